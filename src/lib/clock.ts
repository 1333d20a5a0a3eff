/** Time as the client sees it; tests pass a virtual one. */
export type Clock = {
  /** Milliseconds since the epoch; never runs backwards. */
  now: () => number
  /** Runs once after `ms` milliseconds; the returned function cancels. */
  after: (ms: number, run: () => void) => () => void
}

const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Counts on from the start of the process, because a corrected wall clock would refill a rate budget at once. */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, Math.min(ms, LONGEST_TIMER_MS))
    return () => clearTimeout(timer)
  },
}

/** Resolves after `ms`; rejects with the signal's reason as soon as it aborts, and leaves no timer behind. */
export function sleep(ms: number, clock: Clock, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    })
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
