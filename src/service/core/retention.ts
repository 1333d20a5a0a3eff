import type { Background } from './background.ts'
import type { Store } from './database/store.ts'

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
