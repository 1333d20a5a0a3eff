import { type Bucket, type BucketRule, drained, fullBucket, refilled } from './bucket.ts'

/** What one key may still send, as plain data. Times are milliseconds of the ledger that keeps it. */
export type Account = {
  /** With the requests in flight of all who share the key. */
  bucket: Bucket
  /** Pauses so far, so that refusals of requests sent before a pause do not lengthen it. */
  pauses: number
  refusalsInARow: number
  /** Part of the steady rate that is assumed to be there, at most 1; less while others use the key unseen. */
  pace: number
  /** Until when the recovery of `pace` is counted. */
  pacedAt: number
}

const SLOWEST_PACE = 1 / 8
/** Time in which the pace rises from nothing to all. */
const RECOVERY_MS = 600_000
/** Most that one success recovers: it says nothing about a long silence before it. */
const RECOVERY_STEP_MS = 60_000

export function freshAccount(rule: BucketRule, now: number): Account {
  return { bucket: fullBucket(rule, now), pauses: 0, refusalsInARow: 0, pace: 1, pacedAt: now }
}

/** The rate that is assumed now. */
export function pacedRule({ pace }: Pick<Account, 'pace'>, rule: BucketRule): BucketRule {
  return { ...rule, refillPerSecond: rule.refillPerSecond * pace }
}

export function advanced<A extends Account>(account: A, now: number, rule: BucketRule): A {
  return { ...account, bucket: refilled(account.bucket, now, pacedRule(account, rule)) }
}

/** After a request that the service let pass: the pace recovers with the time since it last did. */
export function accepted<A extends Account>(account: A, now: number): A {
  const recovered = Math.min(RECOVERY_STEP_MS, Math.max(0, now - account.pacedAt)) / RECOVERY_MS
  return { ...account, refusalsInARow: 0, pace: Math.min(1, account.pace + recovered), pacedAt: now }
}

/**
 * After a first refusal: only somebody unseen can have used the key's rate, so half of what was
 * assumed is left to them.
 */
export function slowed<A extends Account>(account: A, now: number): A {
  return {
    ...account,
    pauses: account.pauses + 1,
    refusalsInARow: account.refusalsInARow + 1,
    pace: Math.max(SLOWEST_PACE, account.pace / 2),
    pacedAt: now,
  }
}

export function paused<A extends Account>(account: A, until: number): A {
  return { ...account, bucket: drained(account.bucket, until) }
}
