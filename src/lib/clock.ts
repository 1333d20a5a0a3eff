/** Time as the client sees it. Tests pass a virtual clock. */
export type Clock = {
  /** Milliseconds since the epoch. */
  now: () => number
  /** Calls `run` once after `ms` milliseconds. The returned function cancels it. */
  after: (ms: number, run: () => void) => () => void
}

const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * A monotonic clock that counts on from the start of the process, because a corrected wall clock would refill a rate
 * budget at once. It differs from the time of day after a correction or after the machine slept, so use {@link
 * wallClock} for what people read, what is stored and what is compared with other clocks.
 */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, Math.min(ms, LONGEST_TIMER_MS))
    return () => clearTimeout(timer)
  },
}

/** The current time of day of this machine. It may jump in either direction. */
export const wallClock: Clock = { ...systemClock, now: () => Date.now() }

/** Converts a time of {@link systemClock} to the time of day; both are epoch milliseconds. */
export function wallTime(at: number): number {
  return at + wallClock.now() - systemClock.now()
}

/**
 * Resolves after `ms` milliseconds. Rejects with the signal's reason as soon as it aborts, and leaves no timer behind.
 */
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

type Interval = { ms: number; at: number; run: () => void }

/** Minimum length in milliseconds of intervals that start at multiples of their length. */
const ALIGNED_MS = 1000
/** Milliseconds by which a due call may be early. Timers are about this exact. */
const EARLY_MS = 5

const intervals = new Set<Interval>()
let timer: NodeJS.Timeout | undefined
let wakesAt = Infinity

/**
 * Calls `run` every `ms` milliseconds until the returned function is called. Does not keep the process alive. Intervals
 * of a second or more share their wake-ups, because waking an idle process costs more than most of these calls. The
 * first two calls may come early, but never before half of the interval.
 */
export function every(ms: number, run: () => void): () => void {
  const interval = { ms, at: firstOf(ms, performance.now()), run }
  intervals.add(interval)
  setTimer()
  return () => {
    intervals.delete(interval)
    setTimer()
  }
}

let gatherMs = 0
let gathered: (() => void)[] = []

/** Delivers all news of this many milliseconds together from now on, so that they are rendered once. */
export function gatherNews(milliseconds: number): void {
  gatherMs = milliseconds
  passOn()
}

/** Calls `run` together with other news of the same moment, never synchronously. */
export function together(run: () => void): void {
  gathered.push(run)
  if (gathered.length === 1) setTimeout(passOn, gatherMs)
}

function passOn(): void {
  const news = gathered
  gathered = []
  for (const run of news) run()
}

/** Milliseconds by which a pause may end early to share a wake-up, and between shared wake-ups. */
const SHARED = { earlyMs: 500, everyMs: 10_000 }
/**
 * Milliseconds between polls of running work while nobody is using the program. Pauses that are at least as long end
 * with such a poll.
 */
export const UNSEEN_POLL_MS = 20_000

/**
 * Returns a pause of about `ms` milliseconds that ends when this process wakes up anyway: up to half a second early, or
 * later. Pauses below a second are not changed.
 */
export function sharedPause(ms: number): number {
  // If two polls with the same interval each used every other wake-up, they might never be rendered together.
  return pauseUntil(ms < UNSEEN_POLL_MS - SHARED.everyMs / 2 ? SHARED.everyMs : UNSEEN_POLL_MS, ms)
}

/**
 * Returns a longer pause while news are gathered: one that ends with other wake-ups and, for work that nobody misses
 * while the program is unused, takes at least `least` milliseconds. Otherwise returns `ms`.
 */
export function gatheredPause(ms: number, least?: number): number {
  if (gatherMs === 0) return ms
  if (least === undefined) return pauseUntil(SHARED.everyMs, ms + SHARED.earlyMs)
  return sharedPause(Math.max(ms, least) + SHARED.earlyMs)
}

function pauseUntil(everyMs: number, ms: number): number {
  if (ms < ALIGNED_MS) return ms
  const now = performance.now()
  return nextOf(everyMs, now + ms - SHARED.earlyMs) - now
}

function firstOf(ms: number, now: number): number {
  if (ms < ALIGNED_MS) return now + ms
  const aligned = nextOf(ms, now + ms / 2)
  return aligned <= now + ms ? aligned : (now + aligned) / 2
}

function nextOf(ms: number, after: number): number {
  return ms < ALIGNED_MS ? after + ms : (Math.floor(after / ms) + 1) * ms
}

function setTimer(): void {
  const next = Math.min(...[...intervals].map(({ at }) => at))
  // An overdue wake-up may never come, such as after the machine slept.
  if (next === wakesAt && next > performance.now()) return
  clearTimeout(timer)
  wakesAt = next
  if (next !== Infinity) timer = setTimeout(wake, Math.max(1, Math.ceil(next - performance.now()))).unref()
}

function wake(): void {
  wakesAt = Infinity
  const now = performance.now()
  try {
    for (const interval of intervals) {
      if (interval.at > now + EARLY_MS) continue
      interval.at = nextOf(interval.ms, Math.max(now, interval.at))
      interval.run()
    }
  } finally {
    // Calls that were skipped because an earlier one failed are due at once.
    setTimer()
  }
}
