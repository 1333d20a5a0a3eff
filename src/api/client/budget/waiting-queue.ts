import { refusal } from '../errors/api-error.ts'
import { pacedRule, type BucketRule, timeUntil, countSent, type Entry } from './account.ts'
import type { Cause, Priority } from './gauge.ts'

export type { Priority } from './gauge.ts'

/** All priorities in order. */
const ORDER: readonly Priority[] = ['foreground', 'visible', 'pinned', 'background']

export type Waiter = { priority: Priority; owner: string }

/** A queue by priority. Within a priority owners take turns, so that a busy pane cannot starve its neighbor. */
export class WaitingLine<T extends Waiter> {
  /** A map keeps the order of its keys, so the first owner is the next one to be served. */
  readonly #owners: Record<Priority, Map<string, T[]>> = {
    foreground: new Map(),
    visible: new Map(),
    pinned: new Map(),
    background: new Map(),
  }
  #size = 0

  all(): T[] {
    return ORDER.flatMap(priority => [...this.#owners[priority].values()].flat())
  }

  get size(): number {
    return this.#size
  }

  add(waiter: T): void {
    const owners = this.#owners[waiter.priority]
    const own = owners.get(waiter.owner)
    if (own) own.push(waiter)
    else owners.set(waiter.owner, [waiter])
    this.#size += 1
  }

  peek(): T | undefined {
    for (const priority of ORDER) {
      const [own] = this.#owners[priority].values()
      if (own) return own[0]
    }
    return undefined
  }

  shift(): T | undefined {
    const waiter = this.peek()
    if (!waiter) return undefined
    this.remove(waiter)
    const owners = this.#owners[waiter.priority]
    const own = owners.get(waiter.owner)
    if (own) {
      owners.delete(waiter.owner)
      owners.set(waiter.owner, own)
    }
    return waiter
  }

  remove(waiter: T): boolean {
    const owners = this.#owners[waiter.priority]
    const own = owners.get(waiter.owner)
    const index = own?.indexOf(waiter) ?? -1
    if (!own || index < 0) return false
    own.splice(index, 1)
    if (own.length === 0) owners.delete(waiter.owner)
    this.#size -= 1
    return true
  }
}

/** Tokens that must be available before each priority may take one. The rest is reserved for the person. */
const RESERVE: Record<Priority, number> = { foreground: 1, visible: 2, pinned: 3, background: 4 }
const FULL_RESERVE_CAPACITY = 10
/** Milliseconds that a claim outlasts the next check of its process. */
const CLAIM_GRACE_MS = 500

type PermitRule = {
  rule: BucketRule
  unlimited: boolean
  /** Longest pause that a caller waits for, in milliseconds. */
  longestPauseMs: number
  /** Milliseconds after which other processes may have changed the entry; undefined if there are none. */
  othersWithinMs: number | undefined
  othersReached: boolean
}

/** The decision about the first request in the queue. */
export type PermitDecision =
  | { kind: 'go'; /** Number of pauses so far. */ pause: number }
  | { kind: 'refused'; retryAfterMs: number }
  | { kind: 'wait'; wakeMs: number | undefined }

/** Returns the tokens that a priority needs. The reserve shrinks with the capacity, down to none at one. */
export function tokensNeeded(priority: Priority, capacity: number): number {
  const scale = Math.min(1, Math.max(0, (capacity - 1) / (FULL_RESERVE_CAPACITY - 1)))
  return 1 + (RESERVE[priority] - 1) * scale
}

/**
 * Returns the tokens to leave to processes whose first request precedes ours. Claims expire, so nobody waits forever.
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
 * Takes a token for the first request in a process's queue, or announces that it waits.
 * @param entry changed in place
 */
export function takePermit(
  entry: Entry,
  now: number,
  { priority, cause }: { priority: Priority; cause: Cause },
  turn: PermitRule,
): PermitDecision {
  const { rule, unlimited, longestPauseMs } = turn
  const pauseMs = Math.max(0, entry.bucket.at - now)
  if (pauseMs > longestPauseMs) return { kind: 'refused', retryAfterMs: pauseMs }
  const rank = ORDER.indexOf(priority)
  const claimed = tokensClaimed(entry, rank, now)
  const tokens = tokensNeeded(priority, rule.capacity) + claimed
  const wait = unlimited ? pauseMs : timeUntil(entry.bucket, tokens, now, pacedRule(entry, rule))
  if (wait === 0) {
    countSent(entry, now, cause)
    return { kind: 'go', pause: entry.pauses }
  }
  const wakeMs = wakeAfter(wait, claimed > 0, turn)
  entry.own = { ...entry.own, claim: { rank, until: now + (wakeMs ?? 0) + CLAIM_GRACE_MS } }
  return { kind: 'wait', wakeMs }
}

/**
 * Returns when to check again. A wait that depends on other processes may end at any time, so it is checked again soon.
 */
function wakeAfter(
  wait: number | undefined,
  othersFirst: boolean,
  { othersWithinMs, othersReached }: PermitRule,
): number | undefined {
  const look = othersFirst || wait === undefined || !othersReached ? othersWithinMs : undefined
  const waits = [wait, look].filter(ms => ms !== undefined)
  return waits.length > 0 ? Math.ceil(Math.min(...waits)) : undefined
}

/** Returns the error for a caller that must not wait as long as the service requested. */
export function pausedTooLong(retryAfterMs: number) {
  const message = `The service asked for a pause of ${Math.ceil(retryAfterMs / 1000)} s.`
  return refusal('rate-paused', message, { retryAfterMs })
}
