import { pacedRule } from './account.ts'
import { type BucketRule, timeUntil } from './bucket.ts'
import { countSent, type Entry } from './ledger.ts'
import { ORDER, type Priority } from './waiting-queue.ts'

/** Tokens that must be there before each priority may take one; the rest is the person's reserve. */
const RESERVE: Record<Priority, number> = { foreground: 1, visible: 2, pinned: 3, background: 4 }
const FULL_RESERVE_CAPACITY = 10
/** How long a claim outlasts the next look of the process that holds it. */
const CLAIM_GRACE_MS = 500

export type PermitRule = {
  rule: BucketRule
  unlimited: boolean
  /** Longest pause that a caller is made to wait for, in milliseconds. */
  longestPauseMs: number
  /** Time after which other processes may have changed the entry; none when there are none. */
  othersWithinMs: number | undefined
  othersReached: boolean
}

/** What becomes of the first in line. */
export type PermitDecision =
  | { kind: 'go'; /** Pauses so far. */ pause: number }
  | { kind: 'refused'; retryAfterMs: number }
  | { kind: 'wait'; wakeMs: number | undefined }

/** Tokens that a priority needs; the reserve shrinks with the capacity, down to none at one. */
export function tokensNeeded(priority: Priority, capacity: number): number {
  const scale = Math.min(1, Math.max(0, (capacity - 1) / (FULL_RESERVE_CAPACITY - 1)))
  return 1 + (RESERVE[priority] - 1) * scale
}

/**
 * Tokens to leave to other processes: those whose first in line has a higher priority, or the same and
 * was served longer ago. All claims end by themselves, so nobody waits for one that does not come.
 */
function tokensClaimed({ own, others }: Entry, rank: number, now: number): number {
  return others.filter(
    ({ claim, servedAt }) =>
      claim !== undefined &&
      claim.until > now &&
      (claim.rank < rank || (claim.rank === rank && servedAt < own.servedAt)),
  ).length
}

/**
 * Takes a token for the first in a process's line, or announces its wait.
 * @param entry changed in place
 */
export function takePermit(entry: Entry, now: number, priority: Priority, turn: PermitRule): PermitDecision {
  const { rule, unlimited, longestPauseMs } = turn
  const pauseMs = Math.max(0, entry.bucket.at - now)
  if (pauseMs > longestPauseMs) return { kind: 'refused', retryAfterMs: pauseMs }
  const rank = ORDER.indexOf(priority)
  const claimed = tokensClaimed(entry, rank, now)
  const tokens = tokensNeeded(priority, rule.capacity) + claimed
  const wait = unlimited ? pauseMs : timeUntil(entry.bucket, tokens, now, pacedRule(entry, rule))
  if (wait === 0) {
    countSent(entry, now)
    return { kind: 'go', pause: entry.pauses }
  }
  const wakeMs = wakeAfter(wait, claimed > 0, turn)
  entry.own = { ...entry.own, claim: { rank, until: now + (wakeMs ?? 0) + CLAIM_GRACE_MS } }
  return { kind: 'wait', wakeMs }
}

/** A wait that depends on other processes may end at any time, so it is looked at again soon. */
function wakeAfter(
  wait: number | undefined,
  othersFirst: boolean,
  { othersWithinMs, othersReached }: PermitRule,
): number | undefined {
  const look = othersFirst || wait === undefined || !othersReached ? othersWithinMs : undefined
  const waits = [wait, look].filter(ms => ms !== undefined)
  return waits.length > 0 ? Math.ceil(Math.min(...waits)) : undefined
}
