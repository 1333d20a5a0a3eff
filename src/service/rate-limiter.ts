import { ServiceError } from './errors.ts'

export type RateLimit = {
  /** Requests that one key may send a minute, sustained. */
  perMinute: number
  /** Requests that it may send at once after a pause. */
  burst: number
}

/** A token bucket per key, kept as the one time at which the bucket would be full again. */
export type RateLimiter = {
  /**
   * Takes one request from the key's bucket.
   * @param now milliseconds on any clock that never runs backwards
   * @throws ServiceError `RATE_LIMITED` with whole seconds after which the next one passes
   */
  take(key: string, now: number): void
}

const MINUTE_MS = 60_000

/**
 * Exact also for parallel requests, because taking is one synchronous step. Time is counted in units of
 * 1/perMinute ms, in which the distance of two tokens is a whole number.
 */
export function createRateLimiter({ perMinute, burst }: RateLimit): RateLimiter {
  const fullAt = new Map<string, number>()
  return {
    take(key, now) {
      const time = Math.floor(now) * perMinute
      const full = Math.max(fullAt.get(key) ?? 0, time)
      const wait = full + MINUTE_MS - burst * MINUTE_MS - time
      if (wait > 0) throw rateLimited(Math.ceil(wait / perMinute / 1000))
      fullAt.set(key, full + MINUTE_MS)
    },
  }
}

function rateLimited(retryAfterSeconds: number): ServiceError {
  return new ServiceError('RATE_LIMITED', `Too many requests; try again in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
  })
}
