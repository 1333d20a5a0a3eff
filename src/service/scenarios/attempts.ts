import { ServiceError } from '../core/errors.ts'
import { takeOne, type RateLimit } from '../core/limits/rate-limiter.ts'
import type { RateBucket } from '../store/rate-buckets.ts'

/** Buckets of this process for what strangers may try; they need no place in the database. */
export type Attempts = {
  /** @throws ServiceError `RATE_LIMITED` with whole seconds after which the next one passes */
  take(what: string, limit: RateLimit): void
}

/** Buckets beyond this number are those of sessions long gone. */
const MAX_BUCKETS = 10_000

export function createAttempts(now: () => number): Attempts {
  const buckets = new Map<string, RateBucket>()
  return {
    take(what, limit) {
      const { bucket, waitMs } = takeOne(buckets.get(what), limit, now())
      // Put at the end, so that the first one is the one that was not used for the longest time.
      buckets.delete(what)
      buckets.set(what, bucket)
      const [oldest] = buckets.keys()
      if (buckets.size > MAX_BUCKETS && oldest !== undefined) buckets.delete(oldest)
      if (waitMs === 0) return
      const retryAfterSeconds = Math.ceil(waitMs / 1000)
      throw new ServiceError('RATE_LIMITED', `Too many requests; try again in ${retryAfterSeconds} s.`, {
        retryAfterSeconds,
      })
    },
  }
}
