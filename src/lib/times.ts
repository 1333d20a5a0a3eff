/** Largest valid time in milliseconds before or after 1970 (ECMA-262, time values). */
const LAST_MS = 8.64e15

/** Replaces a number of milliseconds that is not a valid time. */
export const IMPOSSIBLE_TIME = 'impossible time'

/** Precision of a formatted time. */
export type Precision = 'minutes' | 'seconds'

/**
 * Returns ISO 8601 in UTC, to the millisecond: `2026-11-21T17:42:10.123Z`. Times in this module are milliseconds since
 * 1970.
 */
export function isoTime(at: number): string {
  return isCalendarTime(at) ? new Date(at).toISOString() : IMPOSSIBLE_TIME
}

/** Returns ISO 8601 in UTC, to the second: `2026-11-21T17:42:10Z`. */
export function isoSeconds(at: number): string {
  return isoTime(at).replace(/\.\d+Z$/, 'Z')
}

/** Returns day and time in UTC for people: `2026-11-21 17:42:10 UTC`. */
export function utcTime(at: number, precision: Precision = 'seconds'): string {
  const end = precision === 'seconds' ? /\.\d+Z$/ : /:\d+\.\d+Z$/
  return isoTime(at).replace('T', ' ').replace(end, ' UTC')
}

/** Returns the day in UTC: `2026-11-21`. */
export function utcDay(at: number): string {
  return isoTime(at).replace(/T.*$/, '')
}

/** Returns the time of day in UTC: `17:42:10`. */
export function utcClock(at: number): string {
  return isoTime(at).replace(/^.*T|\.\d+Z$/g, '')
}

/** Returns the time of day on this machine's clock: `18:42`. */
export function localClock(at: number, precision: Precision = 'minutes'): string {
  if (!isCalendarTime(at)) return IMPOSSIBLE_TIME
  const date = new Date(at)
  const parts = [date.getHours(), date.getMinutes(), ...(precision === 'seconds' ? [date.getSeconds()] : [])]
  return parts.map(two).join(':')
}

/** Returns the time of day on this machine's clock, to the millisecond: `18:42:10.123`. */
export function localInstant(at: number): string {
  return isCalendarTime(at) ? `${localClock(at, 'seconds')}.${isoTime(at).slice(-4, -1)}` : IMPOSSIBLE_TIME
}

/** Returns the day on this machine's calendar: `2026-11-21`. */
export function localDay(at: number): string {
  if (!isCalendarTime(at)) return IMPOSSIBLE_TIME
  const date = new Date(at)
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** Returns day and time on this machine's clock: `2026-11-21 18:42`. */
export function localTime(at: number): string {
  return isCalendarTime(at) ? `${localDay(at)} ${localClock(at)}` : IMPOSSIBLE_TIME
}

/** Returns the time of day on this machine's clock, preceded by the day if it is not the day of `now`. */
export function localMoment(at: number, now: number, precision: Precision = 'minutes'): string {
  const clock = localClock(at, precision)
  return localDay(at) === localDay(now) || !isCalendarTime(at) ? clock : `${localDay(at)} ${clock}`
}

/** Whether a number of milliseconds since 1970 is a valid date. */
export function isCalendarTime(at: number): boolean {
  return Math.abs(at) <= LAST_MS
}

function two(part: number): string {
  return String(part).padStart(2, '0')
}
