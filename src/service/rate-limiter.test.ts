import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ServiceError } from './errors.ts'
import { createRateLimiter } from './rate-limiter.ts'

/** Seconds to wait, or 0 when the request passed. */
function take(limiter: ReturnType<typeof createRateLimiter>, key: string, now: number): number {
  try {
    limiter.take(key, now)
    return 0
  } catch (error) {
    if (error instanceof ServiceError) return error.retryAfterSeconds ?? -1
    throw error
  }
}

const limits = fc.record({
  perMinute: fc.integer({ min: 1, max: 5000 }),
  burst: fc.integer({ min: 1, max: 50 }),
})

describe('the token bucket', () => {
  test('lets a burst through at once and then one request per interval', () => {
    const limiter = createRateLimiter({ perMinute: 60, burst: 10 })
    expect(Array.from({ length: 12 }, () => take(limiter, 'a', 0))).toEqual([...Array(10).fill(0), 1, 1])
    expect(take(limiter, 'b', 0)).toBe(0)
    expect([take(limiter, 'a', 999), take(limiter, 'a', 1000), take(limiter, 'a', 1000)]).toEqual([1, 0, 1])
  })

  test('agrees with a bucket that is filled in exact fractions', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 200 })
    fc.assert(
      fc.property(limits, gaps, ({ perMinute, burst }, pauses) => {
        const limiter = createRateLimiter({ perMinute, burst })
        // One token is 60 000 parts; each millisecond brings perMinute parts.
        let parts = burst * 60_000
        let now = 0
        for (const pause of pauses) {
          now += pause
          parts = Math.min(burst * 60_000, parts + pause * perMinute)
          const passes = parts >= 60_000
          expect(take(limiter, 'key', now) === 0).toBe(passes)
          if (passes) parts -= 60_000
        }
      }),
    )
  })

  test('Retry-After is the least whole number of seconds after which a request passes', () => {
    fc.assert(
      fc.property(limits, fc.nat(1_000_000), ({ perMinute, burst }, start) => {
        const limiter = createRateLimiter({ perMinute, burst })
        for (let sent = 0; sent < burst; sent += 1) expect(take(limiter, 'key', start)).toBe(0)
        const seconds = take(limiter, 'key', start)
        expect(seconds).toBeGreaterThanOrEqual(1)
        if (seconds > 1) expect(take(limiter, 'key', start + (seconds - 1) * 1000)).toBeGreaterThan(0)
        expect(take(limiter, 'key', start + seconds * 1000)).toBe(0)
      }),
    )
  })
})
