import { type Account, freshAccount } from './account.ts'
import { type BucketRule, returned, settled, taken } from './bucket.ts'

/** The wait of the first in a process's line, announced so that others leave it the tokens it has a claim to. */
export type Claim = {
  /** Place of its priority, from 0 for the first. */
  rank: number
  /** End of the announcement: a process that stopped must not hold others up. */
  until: number
}

/** What each process reports to the others. */
export type Member = {
  inFlight: number
  /** Live pollers, which share the steady rate. */
  pollers: number
  claim: Claim | undefined
  /** When a request of it last left; of equal claims the one served longest ago goes first. */
  servedAt: number
}

/** The account with `own` requests in flight among those of its bucket. */
export type Entry = Account & { own: Member; others: readonly Member[] }

/** Counts a request that leaves. */
export function countSent(entry: Entry, now: number): void {
  const { own } = entry
  entry.bucket = taken(entry.bucket)
  entry.own = { ...own, inFlight: own.inFlight + 1, servedAt: now, claim: undefined }
}

/**
 * Counts a request that was answered or failed.
 * @param returning the rule by which a request that never left gets its token back
 */
export function countSettled(entry: Entry, returning?: BucketRule): void {
  entry.bucket = returning ? returned(entry.bucket, returning) : settled(entry.bucket)
  entry.own = { ...entry.own, inFlight: entry.own.inFlight - 1 }
}

/** Where the account of a key is kept. */
export type Ledger = {
  /** Time of the ledger, in milliseconds on any scale. */
  now: () => number
  /** The entry as last known, at most a moment old. */
  read: () => Entry
  /**
   * Changes the entry in one step that no other process can come between. `step` changes its argument
   * and must do nothing else, because it may be run a second time.
   */
  update: <T>(step: (entry: Entry) => T) => T
  /** Time after which an entry may have changed without our doing; none when only we change it. */
  readonly changesWithinMs: number | undefined
  /** False while other processes share the account but cannot be reached. */
  readonly reached: boolean
  close: () => void
}

export function freshEntry(rule: BucketRule, now: number): Entry {
  const own = { inFlight: 0, pollers: 0, claim: undefined, servedAt: 0 }
  return { ...freshAccount(rule, now), own, others: [] }
}

/** The account of a process that shares its key with nobody. */
export function memoryLedger(rule: BucketRule, now: () => number): Ledger {
  const entry = freshEntry(rule, now())
  return {
    now,
    read: () => entry,
    update: step => step(entry),
    changesWithinMs: undefined,
    reached: true,
    close: () => {},
  }
}
