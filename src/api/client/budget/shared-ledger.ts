import { createHash } from 'node:crypto'
import {
  type Account,
  freshAccount,
  paused,
  slowed,
  type BucketRule,
  type Entry,
  freshEntry,
  type Ledger,
  ownSpent,
} from './account.ts'
import type { LostLedger, Spent } from './gauge.ts'
import type { Clock } from '../../../lib/clock.ts'
import { LedgerFile, type LedgerFileOptions } from './ledger-file.ts'
import { type Machine, thisMachine } from '../../../lib/machine.ts'
import { isBusy, resultCode } from '../../../lib/sqlite.ts'

/** Returns a name for the budget of a key at a service. The name does not reveal the key. */
export function budgetKeyId(baseUrl: string, key: string): string {
  return createHash('sha256').update(`${baseUrl}\n${key}`).digest('hex')
}

/** Shares the budget with other processes of the same user, key and machine. */
export type Sharing = {
  /** SQLite database in one of our directories, created if missing. */
  file: string
  /** Identifies key and service without revealing the key. */
  keyId: string
  /** Called at most once, with a sentence, if the budget cannot be shared. */
  onNotice?: (text: string) => void
  machine?: Machine
}

/** Milliseconds without a step after which a process counts as dead. */
export const LEASE_MS = 15_000
const RENEW_EVERY_MS = LEASE_MS / 3
/** Milliseconds before the first retry if the others cannot be reached. The delay grows. */
const FIRST_RETRY_MS = 250
/**
 * Milliseconds in which nothing is sent after the file became unavailable: most blocks are shorter, and others may send
 * meanwhile. Also the longest delay between retries.
 */
const PATIENCE_MS = 2_000
/** SQLite's code for a table that another connection has locked. */
const SQLITE_LOCKED = 6
/** Milliseconds for which an entry is shown without reading it again. */
const FRESH_MS = 250

/** Number of pauses before the file became unavailable, and time of the last attempt to access it. */
type Away = { pauses: number; triedAt: number; retryMs: number }

/**
 * The account of a key in a file that all processes of the machine share. While another process blocks it, this one
 * waits, then sends its share of the rate. Without a usable file it continues alone.
 */
export class SharedLedger implements Ledger {
  readonly now: () => number
  readonly #rule: BucketRule
  readonly #clock: Clock
  readonly #fileOptions: LedgerFileOptions
  readonly #onNotice: (text: string) => void
  #file: LedgerFile | undefined
  /** Permanently true once sharing is abandoned. */
  #alone = false
  #known: Entry
  #knownAt: number
  #away: Away | undefined
  #lost: LostLedger | undefined
  #cancelRenewal: (() => void) | undefined

  constructor(sharing: Sharing, rule: BucketRule, clock: Clock) {
    const machine = sharing.machine ?? thisMachine
    this.now = machine.now
    this.#rule = rule
    this.#clock = clock
    this.#fileOptions = { file: sharing.file, keyId: sharing.keyId, machine, leaseMs: LEASE_MS }
    this.#onNotice = sharing.onNotice ?? (() => {})
    this.#known = freshEntry(rule, machine.now())
    this.#knownAt = machine.now()
  }

  get changesWithinMs(): number | undefined {
    return this.#alone ? undefined : FRESH_MS
  }

  get lost(): LostLedger | undefined {
    return this.#lost
  }

  get reached(): boolean {
    return this.#alone || this.#away === undefined
  }

  read = (): Entry => {
    const file = this.#file
    if (!file || this.#away || this.now() - this.#knownAt < FRESH_MS) return this.#known
    return this.#attempt(() => this.#know(file.read(this.#known.own, this.#fresh))) ?? this.#known
  }

  update = <T>(step: (entry: Entry) => T): T => {
    const done = this.#attempt(() => this.#updateFile(step))
    const result = done ? done.result : step(this.#known)
    this.#renewLater()
    return result
  }

  spent = (): readonly Spent[] => {
    const stored = this.#alone ? undefined : this.#attempt(() => this.#readSpent())
    return stored ?? ownSpent(this.#known)
  }

  close = (): void => {
    this.#cancelRenewal?.()
    this.#cancelRenewal = undefined
    this.#alone = true
    this.#file?.close()
    this.#file = undefined
  }

  #fresh = (): Account => freshAccount(this.#rule, this.now())

  #updateFile<T>(step: (entry: Entry) => T): { result: T } | undefined {
    if (this.#alone || (this.#away && this.now() < this.#away.triedAt + this.#away.retryMs)) return undefined
    this.#file ??= this.#open()
    const away = this.#away
    const { entry, result } = this.#file.update(this.#known.own, this.#fresh, (stored, seen) => {
      if (away) this.#payFor(away, stored, seen)
      return step(stored)
    })
    this.#away = undefined
    this.#lost = undefined
    this.#know(entry)
    return { result }
  }

  #readSpent(): Spent[] {
    const file = (this.#file ??= this.#open())
    if (!this.#away) this.#know(file.read(this.#known.own, this.#fresh))
    return file.spent()
  }

  #open(): LedgerFile {
    return new LedgerFile(this.#fileOptions)
  }

  #know(entry: Entry): Entry {
    this.#known = entry
    this.#knownAt = this.now()
    return entry
  }

  /**
   * Accounts for requests that were sent while the file was blocked: the first process that can use the file again
   * gives up all tokens gained since then.
   */
  #payFor(away: Away, stored: Entry, seen: number): void {
    const { bucket, pauses } = this.#known
    if (seen <= away.triedAt) stored.bucket.at = Math.max(stored.bucket.at, this.now())
    if (pauses > away.pauses) Object.assign(stored, paused(slowed(stored, this.now()), bucket.at, this.now()))
  }

  /** Runs work that needs the file. Returns `undefined` if the file is unavailable. */
  #attempt<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof Error) || (resultCode(error) === 0 && !isSystemError(error))) throw error
      this.#lose(error)
      return undefined
    }
  }

  #lose(error: Error): void {
    const opened = this.#file !== undefined
    this.#lost = { file: this.#fileOptions.file, error }
    if (!isBusy(error) && resultCode(error) !== SQLITE_LOCKED) {
      this.close()
      this.#onNotice(`The request budget is not shared with other processes: ${error.message}`)
      if (!opened) return
    }
    const retryMs = this.#away ? Math.min(PATIENCE_MS, this.#away.retryMs * 2) : FIRST_RETRY_MS
    const pauses = this.#away?.pauses ?? this.#known.pauses
    if (!this.#away) this.#known = isolated(this.#known, this.now())
    this.#away = { pauses, triedAt: this.now(), retryMs }
  }

  /** A process with requests in flight or pollers must renew its lease, even if it has no other step to make. */
  #renewLater(): void {
    const { inFlight, pollers } = this.#known.own
    if (this.#alone || inFlight + pollers === 0) {
      this.#cancelRenewal?.()
      this.#cancelRenewal = undefined
      return
    }
    this.#cancelRenewal ??= this.#clock.after(RENEW_EVERY_MS, () => {
      this.#cancelRenewal = undefined
      this.update(() => {})
    })
  }
}

/**
 * Returns what a process may use if it cannot reach the others: no reserve, and its share of the rate after a while.
 */
function isolated(entry: Entry, now: number): Entry {
  const { bucket, own, others, pace } = entry
  return {
    ...entry,
    bucket: { level: Math.min(0, bucket.level), at: Math.max(bucket.at, now + PATIENCE_MS), inFlight: own.inFlight },
    pace: pace / (1 + Math.max(1, others.length)),
    others: [],
  }
}

/** Whether an error comes from the file system, as opposed to a bug of the program. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}
