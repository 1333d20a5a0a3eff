import { every } from '../../lib/clock.ts'
import type { Store } from './database/store.ts'

/** Work that is repeated while the service is open, such as the launch of scheduled runs. */
export type Background = {
  /**
   * Calls `work` at this interval until it returns false. It is not called again while it runs. Failures are logged.
   */
  every(milliseconds: number, work: () => unknown): void
  /** Starts no more work, and resolves when the work in progress is done. */
  close(): Promise<void>
}

/** @param longestMs upper limit for the interval of any work */
export function createBackground(onError: (error: unknown) => void, longestMs = Infinity): Background {
  const ends = new Set<() => void>()
  const underWay = new Set<Promise<void>>()
  return {
    every(milliseconds, work) {
      let busy = false
      const once = async () => {
        busy = true
        try {
          if ((await work()) === false) end()
        } catch (error) {
          onError(error)
        } finally {
          busy = false
        }
      }
      const stop = every(Math.min(milliseconds, longestMs), () => {
        if (busy) return
        const done = once()
        underWay.add(done)
        void done.finally(() => underWay.delete(done))
      })
      const end = () => {
        stop()
        ends.delete(end)
      }
      ends.add(end)
    },
    async close() {
      for (const end of ends) end()
      await Promise.all(underWay)
    },
  }
}

/** Days for which the reply to an idempotency key is kept. Afterwards the same key counts as a new request. */
export const IDEMPOTENCY_DAYS = 7
/** Days for which counted requests are kept. The longest limit covers one day. */
const QUOTA_DAYS = 2

const DAY_MS = 24 * 60 * 60 * 1000
const FORGET_EVERY_MS = 10 * 60 * 1000

/** Deletes old records from time to time while the service is open. @param now epoch milliseconds */
export function forgetInBackground(store: Store, background: Background, now: () => number): void {
  background.every(FORGET_EVERY_MS, () => forgetOld(store, now()))
}

/** Deletes records that are too old. @param now epoch milliseconds */
export function forgetOld(store: Store, now: number): void {
  store.write(() => {
    store.idempotency.deleteBefore(now - IDEMPOTENCY_DAYS * DAY_MS)
    store.quotaUses.deleteBefore(now - QUOTA_DAYS * DAY_MS)
  })
}
