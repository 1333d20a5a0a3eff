/**
 * The first slot after a time. Slots lie at `startsAt + n × intervalMs` for n ≥ 1, so that a slow look or a pause
 * never shifts the ones that follow. Everything is in milliseconds.
 */
export function nextSlot(startsAt: number, intervalMs: number, time: number): number {
  const passed = Math.max(0, Math.floor((time - startsAt) / intervalMs))
  return startsAt + (passed + 1) * intervalMs
}
