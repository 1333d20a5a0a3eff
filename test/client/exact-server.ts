/** The token bucket of the service: exact, refilled continuously, and refusing every request without a token. */
export function exactServer(capacity: number, refillPerSecond: number, start: number) {
  let level = capacity
  let at = start
  let refused = 0
  return {
    /** Returns whether a request is accepted. Times are milliseconds that never decrease. */
    arrive(now: number): boolean {
      level = Math.min(capacity, level + ((now - at) / 1000) * refillPerSecond)
      at = now
      const passes = level >= 1
      if (passes) level -= 1
      else refused += 1
      return passes
    },
    get refused() {
      return refused
    },
  }
}
