/** The service's own bucket: exact, refilled continuously, refusing what it has no token for. */
export function exactServer(capacity: number, refillPerSecond: number, start: number) {
  let level = capacity
  let at = start
  let refused = 0
  return {
    /** Whether the request passes; times in milliseconds that never run backwards. */
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
