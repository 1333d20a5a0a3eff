import { localDay } from '../../lib/times.ts'

const DAY_MS = 24 * 60 * 60_000
const DAYS = 7

/** What ended on a day, and how much of it failed. */
export type WeekDay = { ended: number; failed: number }

/** The last seven days of this machine's calendar, today last; undefined for a day that is not known whole. */
export type Week = readonly (WeekDay | undefined)[]

/**
 * Counts what ended by days.
 * @param ends in epoch milliseconds
 * @param knownFrom before it more may have ended than `ends` has; undefined = that is all
 */
export function weekOf(
  ends: readonly { at: number; failed: boolean }[],
  now: number,
  knownFrom: number | undefined,
): Week {
  const byDay = Map.groupBy(ends, ({ at }) => localDay(at))
  const firstKnown = knownFrom === undefined ? '' : localDay(knownFrom)
  return Array.from({ length: DAYS }, (_, index) => {
    const day = localDay(now - (DAYS - 1 - index) * DAY_MS)
    const ofDay = byDay.get(day) ?? []
    if (knownFrom !== undefined && day <= firstKnown) return undefined
    return { ended: ofDay.length, failed: ofDay.filter(({ failed }) => failed).length }
  })
}

/** The sums of the days that are known; undefined where none is. */
export function weekSum(week: Week): (WeekDay & { days: number }) | undefined {
  const known = week.filter(day => day !== undefined)
  if (known.length === 0) return undefined
  const sum = (count: (day: WeekDay) => number): number => known.reduce((all, day) => all + count(day), 0)
  return { ended: sum(day => day.ended), failed: sum(day => day.failed), days: known.length }
}
