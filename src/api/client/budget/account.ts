import { type Cause, type Count, counted, type LostLedger, type Spent } from './gauge.ts'

/** A rate of requests: `capacity` at once, `refillPerSecond` in the long run. */
export type BucketRule = { capacity: number; refillPerSecond: number }

/** A token bucket as plain data. */
type Bucket = {
  /** Tokens at the time `at`. */
  level: number
  /** Time of `level`, in milliseconds; in the future while the bucket is paused. */
  at: number
  /** Requests sent and not yet answered or failed. */
  inFlight: number
}

/**
 * Part of the refill left unused for rounding and clock drift: our bucket must never refill faster than the service's.
 */
const DRIFT = 1e-4

function fullBucket(rule: BucketRule, now: number): Bucket {
  return { level: rule.capacity, at: now, inFlight: 0 }
}

/**
 * The bucket at a later time. Tokens never exceed the capacity less the requests in flight, because those may reach the
 * service only now: so ours never has more than the service's.
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

/** The bucket after a request failed before it was sent: its token is returned. */
function returned(bucket: Bucket, rule: BucketRule): Bucket {
  const inFlight = bucket.inFlight - 1
  return { ...bucket, level: Math.min(Math.max(0, rule.capacity - inFlight), bucket.level + 1), inFlight }
}

/** The bucket after the service refused: empty until `until`, then a single token, as the service says. */
function drained(bucket: Bucket, until: number): Bucket {
  return { ...bucket, level: 1, at: Math.max(bucket.at, until) }
}

/** Milliseconds until `tokens` are available, or `undefined` if an answer must come first. */
export function timeUntil(bucket: Bucket, tokens: number, now: number, rule: BucketRule): number | undefined {
  const pause = Math.max(0, bucket.at - now)
  if (bucket.level >= tokens) return pause
  if (rule.capacity - bucket.inFlight < tokens) return undefined
  return pause + ((tokens - bucket.level) / (rule.refillPerSecond * (1 - DRIFT))) * 1000
}

/** What a key may still send, as plain data. Times are milliseconds of the ledger that stores it. */
export type Account = {
  /** Includes the requests in flight of all that share the key. */
  bucket: Bucket
  /** Number of pauses so far, so that refusals of requests sent before a pause do not lengthen it. */
  pauses: number
  refusalsInARow: number
  /** Share of the steady rate that is assumed to be available, at most 1; less while others use the key unseen. */
  pace: number
  /** Time up to which the recovery of `pace` is counted; in the future just after a refusal. */
  pacedAt: number
}

const SLOWEST_PACE = 1 / 20
/** Time without a refusal after which one machine fewer is assumed to share the key. */
const RECOVERY_MS = 22 * 60_000
/** Maximum recovery for one success, since it says nothing about a long silence before it. */
const RECOVERY_STEP_MS = 60_000
/** A refusal this soon after another shows that far more machines share the key than assumed. */
const SETTLING_MS = 60_000
const SETTLING_GROWTH = 0.45

/** Longest pause in milliseconds, whatever the service asks: all processes observe it, so it must end. */
const LONGEST_PAUSE_MS = 3_600_000

export function freshAccount(rule: BucketRule, now: number): Account {
  return { bucket: fullBucket(rule, now), pauses: 0, refusalsInARow: 0, pace: 1, pacedAt: now }
}

/** The rate that is currently assumed. */
export function pacedRule({ pace }: Pick<Account, 'pace'>, rule: BucketRule): BucketRule {
  return { ...rule, refillPerSecond: rule.refillPerSecond * pace }
}

export function advanced<A extends Account>(account: A, now: number, rule: BucketRule): A {
  const { bucket } = account
  const paused = { ...bucket, at: Math.min(bucket.at, now + LONGEST_PAUSE_MS) }
  return { ...account, bucket: refilled(paused, now, pacedRule(account, rule)) }
}

/** Number of machines assumed to share the key, including this one. */
export function sharersOf({ pace }: Pick<Account, 'pace'>): number {
  return 1 / pace
}

/** After an accepted request: the pace recovers with the time since the last one. */
export function accepted<A extends Account>(account: A, now: number): A {
  const { pacedAt } = account
  const fewer = Math.min(RECOVERY_STEP_MS, Math.max(0, now - pacedAt)) / RECOVERY_MS
  const pace = 1 / Math.max(1, sharersOf(account) - fewer)
  return { ...account, refusalsInARow: 0, pace, pacedAt: Math.max(now, pacedAt) }
}

/** After a first refusal somebody unseen uses the key: one more machine is assumed, or several if refusals repeat. */
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

/** Ends the pause, in place, with one token, as after any pause. @returns whether there was one */
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
 * The wait of the first request in a process's queue, announced so that others leave it the tokens that it may claim.
 */
type Claim = {
  /** Rank of its priority, starting from 0. */
  rank: number
  /** End of the announcement, so that a stopped process does not block others. */
  until: number
}

/** What each process reports to the others. */
export type Member = {
  inFlight: number
  /** Live pollers, which share the steady rate. */
  pollers: number
  claim: Claim | undefined
  /** When its last request was sent; of equal claims the one served longest ago goes first. */
  servedAt: number
}

/** What a process knows of itself; `sent` contains its requests of the last minute. */
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

/** Where the account of a key is stored. */
export type Ledger = {
  /** Time of the ledger, in milliseconds on any scale. */
  now: () => number
  /** The entry as last known, at most slightly outdated. */
  read: () => Entry
  /** Changes the entry in one atomic step. `step` may run twice, so it must only change its argument. */
  update: <T>(step: (entry: Entry) => T) => T
  /** Time after which others may have changed the entry; undefined if only this process changes it. */
  readonly changesWithinMs: number | undefined
  /** False while other processes share the account but cannot be reached. */
  readonly reached: boolean
  /** What prevents this process from using the shared account, if known. */
  readonly lost: LostLedger | undefined
  /** Requests of all processes in the last minute, as far as they can be read. */
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

/** The account of a process that shares its key with no other. */
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
