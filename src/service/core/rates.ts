import { ServiceError } from './errors.ts'
import { NOBODY, type Caller } from './access.ts'
import type { OrganizationLimits, LimitName } from './limits.ts'
import type { RateBucket } from './database/rows.ts'
import { writeWherePossible } from './database/storage-problem.ts'
import type { Store } from './database/store.ts'

export type RateLimit = {
  /** Requests that one key may send a minute, sustained. */
  perMinute: number
  /** Requests that it may send at once after a pause. */
  burst: number
}

/** A token bucket per key, exact over every process that shares the data directory. */
export type RateLimiter = {
  /**
   * Takes one request from the key's bucket; nothing is read or written where there is no limit.
   * @throws ServiceError `RATE_LIMITED` with whole seconds after which the next one passes
   */
  take(caller: Pick<Caller, 'keyId' | 'organizationId'>): void
}

/** One request in the unit of a bucket, in which a millisecond repays `perMinute`. */
const REQUEST = 60_000

/**
 * Reading and writing the bucket are one transaction, so that parallel requests take from it in turn.
 * @param now epoch milliseconds, the one clock that processes have in common
 */
export function createRateLimiter(store: Store, limits: OrganizationLimits, now = Date.now): RateLimiter {
  // Requests without a key have no row that a bucket could belong to, nor have others while nothing can be written.
  let shared: RateBucket | undefined
  const takeShared = (limit: RateLimit): number => {
    const taken = takeOne(shared, limit, now())
    shared = taken.bucket
    return taken.waitMs
  }
  const takeStored = (keyId: string, limit: RateLimit): number =>
    store.write(() => {
      const taken = takeOne(store.rateBuckets.get(keyId), limit, now())
      store.rateBuckets.set(keyId, taken.bucket)
      return taken.waitMs
    })
  return {
    take({ keyId, organizationId }) {
      const perMinute = limits.number(organizationId, 'requestsPerMinute')
      if (perMinute === 0) return
      const limit = { perMinute, burst: limits.number(organizationId, 'burst') }
      const waitMs =
        keyId === NOBODY ? takeShared(limit) : (writeWherePossible(() => takeStored(keyId, limit)) ?? takeShared(limit))
      if (waitMs > 0) throw rateLimited(Math.ceil(waitMs / 1000))
    },
  }
}

/**
 * A bucket after a request; `waitMs` is 0 when it passed. A clock that was set back repays nothing and costs no more
 * than that, and a burst that was made smaller leaves an empty bucket, not a debt.
 */
export function takeOne(
  bucket: RateBucket | undefined,
  { perMinute, burst }: RateLimit,
  now: number,
): { bucket: RateBucket; waitMs: number } {
  const { owed: before, at } = bucket ?? { owed: 0, at: now }
  const repaid = Math.max(0, now - at) * perMinute
  const owed = Math.min(burst * REQUEST, Math.max(0, before - repaid))
  const missing = owed + REQUEST - burst * REQUEST
  return missing > 0
    ? { bucket: { owed, at: now }, waitMs: missing / perMinute }
    : { bucket: { owed: owed + REQUEST, at: now }, waitMs: 0 }
}

/** The refusal of whoever asks too often. */
export function rateLimited(retryAfterSeconds: number): ServiceError {
  return new ServiceError('RATE_LIMITED', `Too many requests; try again in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
  })
}

/** Requests that are counted by brake and by day (service-api, "Limits"). */
export type QuotaKind = 'generation' | 'launch' | 'insights'

const NAMES = {
  generation: ['generationsPerMinute', 'generationsPerDay'],
  launch: ['launchesPerMinute', 'launchesPerDay'],
  insights: ['insightsPerMinute', 'insightsPerDay'],
} as const satisfies Record<QuotaKind, readonly [LimitName, LimitName]>

export type Quotas = {
  /**
   * Counts one request. Runs inside the caller's transaction, so that a refused request counts nothing.
   * @throws ServiceError `RATE_LIMITED`: within the brake after seconds, within the day's number at 00:00 UTC
   */
  take(organizationId: string, kind: QuotaKind): void
}

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** What an organization has used since 00:00 UTC of its daily numbers. */
export function quotaUsage(
  store: Store,
  limits: OrganizationLimits,
  organizationId: string,
  now: number,
): { limit: LimitName; used: number; value: number }[] {
  return Object.entries(NAMES).map(([kind, [, limit]]) => ({
    limit,
    used: store.quotaUses.since(organizationId, kind, midnightBefore(now)).count,
    value: limits.number(organizationId, limit),
  }))
}

export function createQuotas(store: Store, limits: OrganizationLimits, now = Date.now): Quotas {
  return {
    take(organizationId, kind) {
      const [perMinute, perDay] = NAMES[kind]
      const time = now()
      const midnight = midnightBefore(time)
      const today = store.quotaUses.since(organizationId, kind, midnight)
      if (today.count >= limits.number(organizationId, perDay)) throw spent(perDay, midnight + DAY_MS - time)
      const recent = store.quotaUses.since(organizationId, kind, time - MINUTE_MS + 1)
      if (recent.count >= limits.number(organizationId, perMinute))
        throw spent(perMinute, (recent.oldest ?? time) + MINUTE_MS - time)
      store.quotaUses.insert(organizationId, kind, time)
    },
  }
}

function midnightBefore(time: number): number {
  return time - (time % DAY_MS)
}

function spent(limit: string, waitMs: number): ServiceError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
  const until = limit.endsWith('Day') ? 'until 00:00 UTC' : `for ${retryAfterSeconds} s`
  return new ServiceError('RATE_LIMITED', `The limit ${limit} is used up ${until}.`, {
    details: { limit },
    retryAfterSeconds,
  })
}
