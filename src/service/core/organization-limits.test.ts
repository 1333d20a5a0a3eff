import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ServiceError } from './errors.ts'
import { makeKey } from './access.ts'
import { createLimits, createRateLimiter, setLimits, type RateLimit } from './organization-limits.ts'
import { openWorkspace } from '../workspace/store.ts'
import type { Store } from './database/store.ts'

function openStore(): Store {
  const { store } = openWorkspace({ memory: true })
  onTestFinished(() => store.close())
  return store
}

/** Creates a function that takes requests from the bucket of a new key. It returns the seconds to wait, 0 if none. */
function createTaker(store: Store, limit?: RateLimit) {
  const { id: keyId, organizationId } = makeKey(store, 'limited', { role: 'member' }).summary
  const limits = createLimits(store, { requestsPerMinute: limit?.perMinute, burst: limit?.burst })
  let clock = 0
  const limiter = createRateLimiter(store, limits, () => clock)
  return (now: number): number => {
    clock = now
    try {
      limiter.take({ keyId, organizationId: organizationId! })
      return 0
    } catch (error) {
      if (error instanceof ServiceError) return error.retryAfterSeconds ?? -1
      throw error
    }
  }
}

const rates = fc.record({ perMinute: fc.integer({ min: 1, max: 5000 }), burst: fc.integer({ min: 1, max: 50 }) })
const start = fc.integer({ min: 0, max: 2 ** 42 })

describe('the token bucket', () => {
  test('lets a burst pass at once and then one request per interval', () => {
    const store = openStore()
    const take = createTaker(store, { perMinute: 60, burst: 10 })
    expect(Array.from({ length: 12 }, () => take(0))).toEqual([...Array(10).fill(0), 1, 1])
    expect(createTaker(store, { perMinute: 60, burst: 10 })(0)).toBe(0)
    expect([take(999), take(1000), take(1000)]).toEqual([1, 0, 1])
  })

  test('matches a bucket that is filled in exact fractions', () => {
    const store = openStore()
    const gaps = fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 100 })
    fc.assert(
      fc.property(rates, start, gaps, (limit, begin, pauses) => {
        const take = createTaker(store, limit)
        // One request costs 60 000 parts, and each millisecond adds perMinute parts.
        let parts = limit.burst * 60_000
        let now = begin
        for (const pause of pauses) {
          now += pause
          parts = Math.min(limit.burst * 60_000, parts + pause * limit.perMinute)
          const passes = parts >= 60_000
          expect(take(now) === 0).toBe(passes)
          if (passes) parts -= 60_000
        }
      }),
    )
  })

  test('gives the smallest whole number of seconds after which a request passes as Retry-After', () => {
    const store = openStore()
    fc.assert(
      fc.property(rates, start, (limit, begin) => {
        const take = createTaker(store, limit)
        for (let sent = 0; sent < limit.burst; sent += 1) expect(take(begin)).toBe(0)
        const seconds = take(begin)
        expect(seconds).toBeGreaterThanOrEqual(1)
        if (seconds > 1) expect(take(begin + (seconds - 1) * 1000)).toBeGreaterThan(0)
        expect(take(begin + seconds * 1000)).toBe(0)
      }),
    )
  })

  test('keeps a caller waiting no longer than the repeated time if the clock is set back', () => {
    const take = createTaker(openStore(), { perMinute: 60, burst: 2 })
    expect([take(3_600_000), take(3_600_000), take(3_600_000)]).toEqual([0, 0, 1])
    expect([take(0), take(999), take(1000)]).toEqual([1, 1, 0])
  })

  test('applies a change of the organization’s limits from the next request on', () => {
    const store = openStore()
    const take = createTaker(store)
    const set = (...values: string[]) => setLimits(store, store.settings.get('localOrganizationId')!, values)
    set('burst=3', 'requestsPerMinute=60')
    expect([take(0), take(0), take(0), take(0)]).toEqual([0, 0, 0, 1])
    set('burst=1')
    expect([take(0), take(1000), take(1000)]).toEqual([1, 0, 1])
    set('requestsPerMinute=0')
    expect([take(1000), take(1000)]).toEqual([0, 0])
    set('requestsPerMinute=6')
    expect(take(1000)).toBe(10)
  })
})
