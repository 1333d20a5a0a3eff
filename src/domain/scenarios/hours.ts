const HOUR_MS = 3_600_000
/** Number of hours counted. */
export const HOURS = 48

/** Sessions by the hour in which they began, current hour last. Hours that were not completely read are undefined. */
export type Hours = { counts: readonly (number | undefined)[]; at: (time: number) => number | undefined }

/**
 * Counts sessions by the hour in which they began.
 * @param times epoch milliseconds, in any order
 * @param isWhole false if there are older ones
 */
export function hoursOf(times: readonly number[], now: number, isWhole: boolean): Hours {
  const present = Math.floor(now / HOUR_MS)
  const at = (time: number): number | undefined => {
    const index = HOURS - 1 - (present - Math.floor(time / HOUR_MS))
    return index >= 0 && index < HOURS ? index : undefined
  }
  const counts = Array.from({ length: HOURS }, () => 0)
  for (const time of times) {
    const index = at(time)
    if (index !== undefined) counts[index]! += 1
  }
  const oldest = times.reduce((least, time) => Math.min(least, time), Infinity)
  const known = isWhole ? 0 : (at(oldest) ?? (oldest < now ? -1 : HOURS)) + 1
  return { counts: counts.map((count, index) => (index >= known ? count : undefined)), at }
}
