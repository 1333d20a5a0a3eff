import type { Store } from './database/store.ts'

/** Work that is looked at again and again while the service is open, such as schedules. */
export type Background = {
  /**
   * Calls `look` every so many milliseconds, never twice at once, until it answers false; its failures are logged and
   * it goes on.
   */
  every(milliseconds: number, look: () => unknown): void
  /** No look begins any more; resolves when those under way are done. */
  close(): Promise<void>
}

/** @param longestMs longest pause between two looks, where the looks themselves would wait longer */
export function createBackground(onError: (error: unknown) => void, longestMs = Infinity): Background {
  const timers = new Map<number, { looks: Set<() => void>; timer: NodeJS.Timeout }>()
  const underWay = new Set<Promise<void>>()
  /** Looks of one pause are begun together: each wake of a resting process costs more than most looks do. */
  const together = (pause: number) => {
    const looks = new Set<() => void>()
    const timer = setInterval(() => {
      for (const begin of looks) begin()
    }, pause).unref()
    timers.set(pause, { looks, timer })
    return looks
  }
  const end = (pause: number, begin: () => void) => {
    const { looks, timer } = timers.get(pause)!
    looks.delete(begin)
    if (looks.size > 0) return
    clearInterval(timer)
    timers.delete(pause)
  }
  return {
    every(milliseconds, look) {
      const pause = Math.min(milliseconds, longestMs)
      const looks = timers.get(pause)?.looks ?? together(pause)
      let busy = false
      const once = async () => {
        busy = true
        try {
          if ((await look()) === false) end(pause, begin)
        } catch (error) {
          onError(error)
        } finally {
          busy = false
        }
      }
      const begin = () => {
        if (busy) return
        const done = once()
        underWay.add(done)
        void done.finally(() => underWay.delete(done))
      }
      looks.add(begin)
    },
    async close() {
      for (const { timer } of timers.values()) clearInterval(timer)
      await Promise.all(underWay)
    },
  }
}

/** How long the reply to an idempotency key is kept; afterwards the same key is a new intent. */
export const IDEMPOTENCY_DAYS = 7
/** Counted requests are kept until no limit looks at them: the longest looks at one day. */
const QUOTA_DAYS = 2

const DAY_MS = 24 * 60 * 60 * 1000
const LOOK_MS = 10 * 60 * 1000

/**
 * Forgets what has outlived its use, now and then, as long as the service is open.
 * @param now epoch milliseconds
 */
export function forgetInBackground(store: Store, background: Background, now: () => number): void {
  background.every(LOOK_MS, () => forgetOld(store, now()))
}

/** @param now epoch milliseconds */
export function forgetOld(store: Store, now: number): void {
  store.write(() => {
    store.idempotency.deleteBefore(now - IDEMPOTENCY_DAYS * DAY_MS)
    store.quotaUses.deleteBefore(now - QUOTA_DAYS * DAY_MS)
  })
}
