import { localDay } from '../../lib/times.ts'

const DAY_MS = 24 * 60 * 60_000
const DAYS = 7

/** Numbers of runs that ended, and that failed, on a day. */
export type WeekDay = { ended: number; failed: number }

/** The last seven days of this machine's calendar, ending today. A day that is not completely known is undefined. */
export type Week = readonly (WeekDay | undefined)[]

/**
 * Counts ends by day.
 * @param ends in epoch milliseconds
 * @param knownFrom time before which ends may be missing; undefined = none are missing
 */
export function weekOf(
  ends: readonly { at: number; failed: boolean }[],
  now: number,
  knownFrom: number | undefined,
): Week {
  return weekOfDays([countDays(ends)], now, knownFrom)
}

/** Ends on each day of this machine's calendar, counted once for several weeks. */
export type Days = ReadonlyMap<string, WeekDay>

export function countDays(ends: readonly { at: number; failed: boolean }[]): Days {
  const days = new Map<string, WeekDay>()
  for (const { at, failed } of ends) {
    const day = localDay(at)
    const { ended, failed: before } = days.get(day) ?? NOTHING
    days.set(day, { ended: ended + 1, failed: before + Number(failed) })
  }
  return days
}

const NOTHING: WeekDay = { ended: 0, failed: 0 }

/** Returns the week for days that are already counted. */
export function weekOfDays(all: readonly Days[], now: number, knownFrom: number | undefined): Week {
  const firstKnown = knownFrom === undefined ? '' : localDay(knownFrom)
  return Array.from({ length: DAYS }, (_, index) => {
    const day = localDay(now - (DAYS - 1 - index) * DAY_MS)
    if (knownFrom !== undefined && day <= firstKnown) return undefined
    const counts = all.flatMap(days => days.get(day) ?? [])
    const sum = (count: (day: WeekDay) => number): number => counts.reduce((sum, each) => sum + count(each), 0)
    return { ended: sum(({ ended }) => ended), failed: sum(({ failed }) => failed) }
  })
}

/** Returns the sums over known days; undefined if no day is known. */
export function weekSum(week: Week): (WeekDay & { days: number }) | undefined {
  const known = week.filter(day => day !== undefined)
  if (known.length === 0) return undefined
  const sum = (count: (day: WeekDay) => number): number => known.reduce((all, day) => all + count(day), 0)
  return { ended: sum(day => day.ended), failed: sum(day => day.failed), days: known.length }
}
