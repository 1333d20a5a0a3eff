import { ServiceError } from '../errors.ts'
import type { Store } from '../database/store.ts'
import type { LimitName, OrganizationLimits } from './limits.ts'

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
