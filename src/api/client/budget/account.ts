import { type Cause, type Count, counted, type LostLedger, type Spent } from './gauge.ts'

/** A rate of requests: `capacity` at once, `refillPerSecond` in the long run. */
export type BucketRule = { capacity: number; refillPerSecond: number }

/** The state of a token bucket as plain data. */
type Bucket = {
  /** Tokens at the time `at`. */
  level: number
  /** Time of `level`, in milliseconds; in the future while the bucket is paused. */
  at: number
  /** Requests sent and not yet answered or failed. */
  inFlight: number
}

/**
 * Share of the refill that is left unused for rounding and clock drift: our bucket must never refill faster than the
 * service's.
 */
const DRIFT = 1e-4

function fullBucket(rule: BucketRule, now: number): Bucket {
  return { level: rule.capacity, at: now, inFlight: 0 }
}

/**
 * Returns the bucket at a later time. Tokens never exceed the capacity minus the requests in flight, because those may
 * reach the service only now. So our bucket never has more than the service's.
 */
function refilled(bucket: Bucket, now: number, rule: BucketRule): Bucket {
  if (now <= bucket.at) return bucket
  const gained = ((now - bucket.at) / 1000) * rule.refillPerSecond * (1 - DRIFT)
  const ceiling = Math.max(0, rule.capacity - bucket.inFlight)
  return { ...bucket, level: Math.min(ceiling, bucket.level + gained), at: now }
}

function taken(bucket: Bucket): Bucket {
  return { ...bucket, level: bucket.level - 1, inFlight: bucket.inFlight + 1 }
}

function settled(bucket: Bucket): Bucket {
  return { ...bucket, inFlight: bucket.inFlight - 1 }
}

/** Returns the bucket after a request failed before it was sent, with its token returned. */
function returned(bucket: Bucket, rule: BucketRule): Bucket {
  const inFlight = bucket.inFlight - 1
  return { ...bucket, level: Math.min(Math.max(0, rule.capacity - inFlight), bucket.level + 1), inFlight }
}

/**
 * Returns the bucket after a refusal by the service: empty until `until`, then with a single token, like the service's
 * own.
 */
function drained(bucket: Bucket, until: number): Bucket {
  return { ...bucket, level: 1, at: Math.max(bucket.at, until) }
}

/** Returns milliseconds until `tokens` are available, or `undefined` if an answer must come first. */
export function timeUntil(bucket: Bucket, tokens: number, now: number, rule: BucketRule): number | undefined {
  const pause = Math.max(0, bucket.at - now)
  if (bucket.level >= tokens) return pause
  if (rule.capacity - bucket.inFlight < tokens) return undefined
  return pause + ((tokens - bucket.level) / (rule.refillPerSecond * (1 - DRIFT))) * 1000
}

/**
 * What a key has used, which determines what it may still send, as plain data. Times are milliseconds of the ledger
 * that stores it.
 */
export type Account = {
  /** Includes the requests in flight of all processes that share the key. */
  bucket: Bucket
  /** Number of pauses so far, so that refusals of requests sent before a pause do not lengthen it. */
  pauses: number
  refusalsInARow: number
  /**
   * Share of the steady rate that is assumed to be available, at most 1. It is lower while unknown clients use the key.
   */
  pace: number
  /** Time up to which the recovery of `pace` is counted. It is in the future just after a refusal. */
  pacedAt: number
}

const SLOWEST_PACE = 1 / 20
/** Milliseconds without a refusal after which one machine fewer is assumed to share the key. */
const RECOVERY_MS = 22 * 60_000
/**
 * Maximum milliseconds of recovery that one success counts for, because it says nothing about a long silence before it.
 */
const RECOVERY_STEP_MS = 60_000
/** If two refusals are fewer milliseconds apart than this, far more machines than assumed must share the key. */
const SETTLING_MS = 60_000
const SETTLING_GROWTH = 0.45

/** Longest pause in milliseconds, whatever the service requests. All processes observe it, so it must end. */
const LONGEST_PAUSE_MS = 3_600_000

export function freshAccount(rule: BucketRule, now: number): Account {
  return { bucket: fullBucket(rule, now), pauses: 0, refusalsInARow: 0, pace: 1, pacedAt: now }
}

/** Returns the rate that is currently assumed. */
export function pacedRule({ pace }: Pick<Account, 'pace'>, rule: BucketRule): BucketRule {
  return { ...rule, refillPerSecond: rule.refillPerSecond * pace }
}

export function advanced<A extends Account>(account: A, now: number, rule: BucketRule): A {
  const { bucket } = account
  const paused = { ...bucket, at: Math.min(bucket.at, now + LONGEST_PAUSE_MS) }
  return { ...account, bucket: refilled(paused, now, pacedRule(account, rule)) }
}

/** Returns the number of machines assumed to share the key, including this one. */
export function sharersOf({ pace }: Pick<Account, 'pace'>): number {
  return 1 / pace
}

/** Returns the account after an accepted request. The pace recovers with the time since the last one. */
export function accepted<A extends Account>(account: A, now: number): A {
  const { pacedAt } = account
  const fewer = Math.min(RECOVERY_STEP_MS, Math.max(0, now - pacedAt)) / RECOVERY_MS
  const pace = 1 / Math.max(1, sharersOf(account) - fewer)
  return { ...account, refusalsInARow: 0, pace, pacedAt: Math.max(now, pacedAt) }
}

/**
 * Returns the account after a refusal, which means that an unknown client uses the key. One more machine is assumed, or
 * several if refusals repeat.
 */
export function slowed<A extends Account>(account: A, now: number): A {
  const sharers = sharersOf(account)
  const more = now < account.pacedAt ? Math.max(1, SETTLING_GROWTH * sharers) : 1
  return {
    ...account,
    pauses: account.pauses + 1,
    refusalsInARow: account.refusalsInARow + 1,
    pace: Math.max(SLOWEST_PACE, 1 / (sharers + more)),
    pacedAt: now + SETTLING_MS,
  }
}

/**
 * Ends the pause, changing `account`: one token is left, as after any pause, and the full rate is assumed.
 * @returns whether there was one
 */
export function resume(account: Account, now: number): boolean {
  const wasPaused = account.bucket.at > now
  const bucket = drained({ ...account.bucket, at: now }, now)
  Object.assign(account, { bucket, refusalsInARow: 0, pace: 1, pacedAt: now })
  return wasPaused
}

export function paused<A extends Account>(account: A, until: number, now: number): A {
  return { ...account, bucket: drained(account.bucket, Math.min(until, now + LONGEST_PAUSE_MS)) }
}

/**
 * A process announces the wait of the first request in its queue, so that others leave it the tokens that it may claim.
 */
type Claim = {
  /** Rank of the request's priority, starting at 0. */
  rank: number
  /** Time at which the announcement expires, so that a stopped process does not block others. */
  until: number
}

/** The report of one process to the others. */
export type Member = {
  inFlight: number
  /** Number of live pollers, which share the steady rate. */
  pollers: number
  claim: Claim | undefined
  /**
   * Time at which its last request was sent. Among equal claims, the process that has waited longest since then comes
   * first.
   */
  servedAt: number
}

/** The facts that a process knows about itself. `sent` contains its requests of the last minute. */
export type Own = Member & { sent: readonly Count[] }

export type Entry = Account & { own: Own; others: readonly Member[] }

export function countSent(entry: Entry, now: number, cause: Cause): void {
  const { own } = entry
  entry.bucket = taken(entry.bucket)
  const sent = counted(own.sent, now, cause)
  entry.own = { ...own, inFlight: own.inFlight + 1, servedAt: now, claim: undefined, sent }
}

export function countRefused(entry: Entry, now: number, { place }: Cause): void {
  entry.own = { ...entry.own, sent: counted(entry.own.sent, now, { place, purpose: 'refused' }) }
}

/** Counts a request as answered or failed. @param returning the rule by which an unsent request gets its token back */
export function countSettled(entry: Entry, returning?: BucketRule): void {
  entry.bucket = returning ? returned(entry.bucket, returning) : settled(entry.bucket)
  entry.own = { ...entry.own, inFlight: entry.own.inFlight - 1 }
}

/** Stores the account of a key. */
export type Ledger = {
  /** Time of the ledger, in milliseconds on any scale. */
  now: () => number
  /** Returns the entry as last known, at most slightly outdated. */
  read: () => Entry
  /** Changes the entry in one atomic step. `step` may run twice, so it must only change its argument. */
  update: <T>(step: (entry: Entry) => T) => T
  /** Milliseconds after which others may have changed the entry; undefined if only this process changes it. */
  readonly changesWithinMs: number | undefined
  /** False if other processes share the account but cannot be reached. */
  readonly reached: boolean
  /** The obstacle that prevents this process from using the shared account, if known. */
  readonly lost: LostLedger | undefined
  /** Returns the requests of all processes in the last minute, as far as they can be read. */
  spent: () => readonly Spent[]
  close: () => void
}

export function freshEntry(rule: BucketRule, now: number): Entry {
  const own = { inFlight: 0, pollers: 0, claim: undefined, servedAt: 0, sent: [] }
  return { ...freshAccount(rule, now), own, others: [] }
}

export function ownSpent({ own }: Entry): readonly Spent[] {
  return own.sent.map(count => ({ ...count, isOwn: true }))
}

/** Creates the account of a process that shares its key with no other. */
export function memoryLedger(rule: BucketRule, now: () => number): Ledger {
  const entry = freshEntry(rule, now())
  return {
    now,
    read: () => entry,
    update: step => step(entry),
    changesWithinMs: undefined,
    reached: true,
    lost: undefined,
    spent: () => ownSpent(entry),
    close: () => {},
  }
}
