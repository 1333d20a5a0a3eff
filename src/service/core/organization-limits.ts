import type { Gate } from '../../api/contract/endpoint.ts'
import { NOBODY, type Caller } from './access.ts'
import type { RateBucket } from './database/rows.ts'
import { writeWherePossible } from './database/storage-problem.ts'
import type { Store } from './database/store.ts'
import { ServiceError } from './errors.ts'
import { GATES, GATE_NAMES, LIMITS, LIMIT_NAMES, MAX_LIMIT, type LimitName } from './limits.ts'

/**
 * Limits and features of an organization. They are read at each use, so that a change applies to every process at once.
 */
export type OrganizationLimits = {
  number(organizationId: string, name: LimitName): number
  /** Whether a feature is on. Features are on unless they were switched off. */
  isOn(organizationId: string, gate: Gate): boolean
}

/** @param fixed limits with which this process was started; they take precedence over stored limits */
export function createLimits(
  store: Store,
  fixed: { [name in LimitName]?: number | undefined } = {},
): OrganizationLimits {
  const stored = (organizationId: string, name: string) => store.organizationSettings.get(organizationId, name)
  return {
    number: (organizationId, name) => fixed[name] ?? Number(stored(organizationId, name) ?? LIMITS[name].value),
    isOn: (organizationId, gate) => stored(organizationId, gateSetting(gate)) !== 'off',
  }
}

export function gateSetting(gate: Gate): string {
  return `gate.${gate}`
}

/** A limit of an organization with its current value. */
export type LimitSetting = {
  name: LimitName
  value: number
  default: number
  /** Whether someone set the limit. It may be set to its default. */
  isSet: boolean
  says: string
}

export type GateSetting = { name: Gate; says: string; isOn: boolean }

export function listLimits(store: Store, organizationId: string): LimitSetting[] {
  const limits = createLimits(store)
  return LIMIT_NAMES.map(name => ({
    name,
    value: limits.number(organizationId, name),
    default: LIMITS[name].value,
    isSet: store.organizationSettings.get(organizationId, name) !== undefined,
    says: LIMITS[name].says,
  }))
}

/** Returns the limits of this process as capabilities report them; null for no limit. */
export function announcedLimits(limits: OrganizationLimits, organizationId: string): Record<LimitName, number | null> {
  const numbers = LIMIT_NAMES.map(name => [name, limits.number(organizationId, name)])
  const all = Object.fromEntries(numbers) as Record<LimitName, number>
  return { ...all, requestsPerMinute: all.requestsPerMinute || null }
}

/** Sets all limits that are given as `name=value`, or none of them. @throws RangeError naming the first invalid one */
export function setLimits(store: Store, organizationId: string, assignments: readonly string[]): void {
  const parsed = assignments.map(parseAssignment)
  store.write(() => {
    for (const [name, value] of parsed) store.organizationSettings.set(organizationId, name, String(value))
  })
}

/** Resets all named limits to their defaults, or none of them. @throws RangeError naming the first unknown one */
export function unsetLimits(store: Store, organizationId: string, names: readonly string[]): void {
  const known = names.map(limitNamed)
  store.write(() => {
    for (const name of known) store.organizationSettings.unset(organizationId, name)
  })
}

export function listGates(store: Store, organizationId: string): GateSetting[] {
  const limits = createLimits(store)
  return GATE_NAMES.map(name => ({ name, says: GATES[name], isOn: limits.isOn(organizationId, name) }))
}

/** Switches a feature `on` or `off`. @throws RangeError for an unknown feature or state */
export function setGate(store: Store, organizationId: string, name: string, state: string): void {
  const gate = GATE_NAMES.find(known => known === name)
  if (!gate) throw new RangeError(`There is no gate "${name}"; gates are ${GATE_NAMES.join(', ')}.`)
  if (state !== 'on' && state !== 'off') throw new RangeError(`"${state}" is not a state of a gate; use on or off.`)
  store.write(() => {
    if (state === 'off') store.organizationSettings.set(organizationId, gateSetting(gate), state)
    else store.organizationSettings.unset(organizationId, gateSetting(gate))
  })
}

function parseAssignment(text: string): [LimitName, number] {
  const at = text.indexOf('=')
  if (at < 0) throw new RangeError(`"${text}" is not a setting; use name=value.`)
  const name = limitNamed(text.slice(0, at))
  const digits = text.slice(at + 1)
  const value = Number(digits)
  const { min } = LIMITS[name]
  if (!/^\d+$/.test(digits) || value < min || value > MAX_LIMIT)
    throw new RangeError(`${name} takes a whole number from ${min} to ${MAX_LIMIT}, not "${digits}".`)
  return [name, value]
}

function limitNamed(name: string): LimitName {
  const known = LIMIT_NAMES.find(each => each === name)
  if (!known) throw new RangeError(`There is no limit "${name}"; limits are ${LIMIT_NAMES.join(', ')}.`)
  return known
}

export type RateLimit = {
  /** Requests per minute that a key may send continuously. */
  perMinute: number
  /** Requests that a key may send at once after a pause. */
  burst: number
}

/** A token bucket for each key. All processes with the same data directory share it, and none of them exceeds it. */
export type RateLimiter = {
  /**
   * Takes a request from the key's bucket.
   * @throws ServiceError `RATE_LIMITED` with the seconds to wait
   */
  take(caller: Pick<Caller, 'keyId' | 'organizationId'>): void
}

/** Size of one request in the units of a bucket. Each millisecond refills the bucket by `perMinute` units. */
const REQUEST = 60_000

/** Creates a limiter. It reads and writes a bucket in one transaction, so that concurrent requests are all counted. */
export function createRateLimiter(store: Store, limits: OrganizationLimits, now = Date.now): RateLimiter {
  // The bucket for requests without a key, and for all requests while the database cannot be written.
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
 * Returns the state of a bucket after a request. `waitMs` is 0 if the request passed. The bucket never owes more than a
 * burst, so that a clock that was set back does not prolong the wait.
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

export function rateLimited(retryAfterSeconds: number): ServiceError {
  return new ServiceError('RATE_LIMITED', `Too many requests; try again in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
  })
}

/** Kinds of requests that are limited per minute and per day (service-api, "Limits"). */
export type QuotaKind = 'generation' | 'launch' | 'insights'

const NAMES = {
  generation: ['generationsPerMinute', 'generationsPerDay'],
  launch: ['launchesPerMinute', 'launchesPerDay'],
  insights: ['insightsPerMinute', 'insightsPerDay'],
} as const satisfies Record<QuotaKind, readonly [LimitName, LimitName]>

export type Quotas = {
  /** Counts one request in the caller's transaction. @throws ServiceError `RATE_LIMITED` if either limit is reached */
  take(organizationId: string, kind: QuotaKind): void
}

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** Returns how much of its daily limits an organization has used since 00:00 UTC. */
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
