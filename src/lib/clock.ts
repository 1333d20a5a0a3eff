/** Time as the client sees it; tests pass a virtual one. */
export type Clock = {
  /** Milliseconds since the epoch. */
  now: () => number
  /** Runs once after `ms` milliseconds; the returned function cancels. */
  after: (ms: number, run: () => void) => () => void
}

const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Counts on from the start of the process, because a corrected wall clock would refill a rate budget at once. After a
 * correction, or the sleep of a machine, it is no longer the time of the day: what people read, what is stored and what
 * is compared with others goes by {@link wallClock}.
 */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, Math.min(ms, LONGEST_TIMER_MS))
    return () => clearTimeout(timer)
  },
}

/** The time of the day as this machine has it now; it may jump, either way. */
export const wallClock: Clock = { ...systemClock, now: () => Date.now() }

/** A time of {@link systemClock} as the time of the day; both in epoch milliseconds. */
export function wallTime(at: number): number {
  return at + wallClock.now() - systemClock.now()
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

type Interval = { ms: number; at: number; run: () => void }

/** From this length on intervals begin at whole multiples of themselves, in milliseconds. */
const ALIGNED_MS = 1000
/** How much earlier than its time something is called with what is due: timers are that exact. */
const EARLY_MS = 5

const intervals = new Set<Interval>()
let timer: NodeJS.Timeout | undefined
let wakesAt = Infinity

/**
 * Calls `run` every `ms` milliseconds until the returned function is called; holds no process alive. Intervals of a
 * second and more share their wakes, for each wake of a resting process costs more than what most of them do: the first
 * two calls come somewhat early, but never before half of the interval.
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

/** From now on, news within so many milliseconds are passed on together, so that they are drawn once. */
export function gatherNews(milliseconds: number): void {
  gatherMs = milliseconds
  passOn()
}

/** Calls `run` with all other news of this moment, never at once. */
export function together(run: () => void): void {
  gathered.push(run)
  if (gathered.length === 1) setTimeout(passOn, gatherMs)
}

function passOn(): void {
  const news = gathered
  gathered = []
  for (const run of news) run()
}

/** How much earlier than wanted a pause may end with a shared wake, and how often those come, in milliseconds. */
const SHARED = { earlyMs: 500, everyMs: 10_000 }
/** Where nobody is, what runs is looked at this often, in milliseconds: what may wait as long ends with that. */
export const UNSEEN_POLL_MS = 20_000

/** A pause of at least `ms` milliseconds that ends when this process wakes for others anyway; short ones stay. */
export function sharedPause(ms: number): number {
  // At every other wake two things that are looked at equally often would never be drawn together.
  return pauseUntil(ms < UNSEEN_POLL_MS - SHARED.everyMs / 2 ? SHARED.everyMs : UNSEEN_POLL_MS, ms)
}

/** The same while news are gathered, and then `least` at least: for what nobody misses, where nobody is. */
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
  // One that should have come by now may never come, as after a machine slept.
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
    // What one that failed kept from its call is due at once.
    setTimer()
  }
}
