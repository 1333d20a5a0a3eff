import { randomUUID } from 'node:crypto'
import { chmodSync, closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { makeDirectory } from '../../../lib/files/make-directory.ts'
import type { Account, Entry, Member, Own } from './account.ts'
import { minuteBefore, type Purpose, type Spent } from './gauge.ts'
import type { Machine } from '../../../lib/machine.ts'

/** Longest block of this process by another's step, which takes well under a millisecond. */
const BUSY_TIMEOUT_MS = 100
/** Other processes are asked whether they still live no more often than this. */
const LOOK_EVERY_MS = 250
const SQLITE_BUSY = 5
const SQLITE_LOCKED = 6

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS accounts (
    id TEXT PRIMARY KEY, level REAL NOT NULL, at REAL NOT NULL, seen REAL NOT NULL, pauses INTEGER NOT NULL,
    refusals INTEGER NOT NULL, pace REAL NOT NULL, paced_at REAL NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS members (
    account TEXT NOT NULL, token TEXT NOT NULL, pid INTEGER NOT NULL, started TEXT NOT NULL, lease_until REAL NOT NULL,
    in_flight INTEGER NOT NULL, pollers INTEGER NOT NULL, claim_rank INTEGER, claim_until REAL, served_at REAL NOT NULL,
    PRIMARY KEY (account, token)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS spent (
    account TEXT NOT NULL, token TEXT NOT NULL, second INTEGER NOT NULL, place TEXT NOT NULL, purpose TEXT NOT NULL,
    count INTEGER NOT NULL, PRIMARY KEY (account, token, second, place, purpose)
  ) STRICT, WITHOUT ROWID;
`
const READ_ACCOUNT = 'SELECT * FROM accounts WHERE id = :id'
const READ_OTHERS = 'SELECT * FROM members WHERE account = :id AND token <> :token'
const WRITE_ACCOUNT = `INSERT OR REPLACE INTO accounts VALUES
  (:id, :level, :at, :seen, :pauses, :refusals, :pace, :pacedAt)`
const WRITE_MEMBER = `INSERT OR REPLACE INTO members VALUES
  (:id, :token, :pid, :started, :leaseUntil, :inFlight, :pollers, :claimRank, :claimUntil, :servedAt)`
const WRITE_SPENT = 'INSERT OR REPLACE INTO spent VALUES (:id, :token, :second, :place, :purpose, :count)'
const READ_SPENT =
  'SELECT token, second, place, purpose, count FROM spent WHERE account = :id AND second BETWEEN :since AND :now'
const REMOVE_SPENT = 'DELETE FROM spent WHERE account = :id AND second NOT BETWEEN :since AND :now'
const REMOVE_MEMBER = 'DELETE FROM members WHERE account = :id AND token = :token'

type AccountRow = Record<'level' | 'at' | 'seen' | 'pauses' | 'refusals' | 'pace' | 'paced_at', number>
type MemberRow = Record<'pid' | 'lease_until' | 'in_flight' | 'pollers' | 'served_at', number> & {
  token: string
  started: string
  claim_rank: number | null
  claim_until: number | null
}

type SpentRow = { token: string; second: number; place: string; purpose: Purpose; count: number }

export type LedgerFileOptions = {
  file: string
  /** Names the account in the file. */
  keyId: string
  machine: Machine
  /** How long this process counts as alive after its last step, in milliseconds. */
  leaseMs: number
}

/**
 * The accounts of all processes of one machine, in SQLite. A write-ahead log keeps a step free of
 * waiting for the disk; nothing is lost that matters when the machine stops, because buckets refill.
 */
export class LedgerFile {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  readonly #machine: Machine
  readonly #leaseMs: number
  readonly #id: string
  readonly #token = randomUUID()
  readonly #started: string
  #lookedAt = -Infinity
  /** The counts of earlier seconds are stored. */
  #storedUpTo = -Infinity

  /** Creates directory and file with rights for their owner only. @throws errors of the file system and of SQLite */
  constructor({ file, keyId, machine, leaseMs }: LedgerFileOptions) {
    this.#machine = machine
    this.#leaseMs = leaseMs
    this.#id = `${keyId} ${machine.name}`
    this.#started = machine.startOf(machine.pid) ?? ''
    makeDirectory(dirname(file))
    chmodSync(dirname(file), 0o700)
    closeSync(openSync(file, 'a', 0o600))
    chmodSync(file, 0o600)
    this.#database = openDatabase(file)
  }

  /** Runs `step` on the stored entry, which was last changed at `seen`, and stores what it leaves. */
  update<T>(own: Own, fresh: () => Account, step: (entry: Entry, seen: number) => T): { entry: Entry; result: T } {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      const { entry, seen } = this.#load(own, fresh, true)
      const result = step(entry, seen)
      this.#store(entry)
      this.#database.exec('COMMIT')
      return { entry, result }
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
      throw error
    }
  }

  read(own: Own, fresh: () => Account): Entry {
    return this.#load(own, fresh, false).entry
  }

  /** What all processes sent in the last minute, those that have ended since as well. */
  spent(): Spent[] {
    const rows = this.#prepared(READ_SPENT).all({ id: this.#id, ...this.#lastMinute() }) as SpentRow[]
    return rows.map(({ token, ...count }) => ({ ...count, isOwn: token === this.#token }))
  }

  #lastMinute(): { since: number; now: number } {
    const now = this.#machine.now()
    return { since: minuteBefore(now), now: Math.floor(now / 1000) }
  }

  close(): void {
    try {
      this.#prepared(REMOVE_MEMBER).run({ id: this.#id, token: this.#token })
    } catch {
      // The others see that this process is gone.
    }
    this.#database.close()
  }

  /** @param own this process as it knows itself, because others may have taken it for dead */
  #load(own: Own, fresh: () => Account, clean: boolean): { entry: Entry; seen: number } {
    const row = this.#prepared(READ_ACCOUNT).get({ id: this.#id }) as AccountRow | undefined
    const others = this.#others(clean)
    const inFlight = others.reduce((sum, other) => sum + other.inFlight, own.inFlight)
    const account = row ? this.#accountOf(row) : fresh()
    const entry = { ...account, bucket: { ...account.bucket, inFlight }, own: { ...own }, others }
    return { entry, seen: row?.seen ?? this.#machine.now() }
  }

  /**
   * A time seen in the future is from before a restart of the machine; time went on by at least what is counted now.
   */
  #accountOf(row: AccountRow): Account {
    const shift = Math.max(0, row.seen - this.#machine.now())
    return {
      bucket: { level: row.level, at: row.at - shift, inFlight: 0 },
      pauses: row.pauses,
      refusalsInARow: row.refusals,
      pace: row.pace,
      pacedAt: row.paced_at - shift,
    }
  }

  #others(clean: boolean): Member[] {
    const rows = this.#prepared(READ_OTHERS).all({ id: this.#id, token: this.#token }) as MemberRow[]
    const now = this.#machine.now()
    const look = clean && now - this.#lookedAt >= LOOK_EVERY_MS
    if (look) this.#lookedAt = now
    const alive = (row: MemberRow) =>
      row.lease_until > now &&
      row.lease_until <= now + this.#leaseMs &&
      (!look || this.#machine.startOf(row.pid) === row.started)
    return rows.flatMap(row => {
      if (alive(row)) return [memberOf(row)]
      if (clean) this.#prepared(REMOVE_MEMBER).run({ id: this.#id, token: row.token })
      return []
    })
  }

  #store(entry: Entry): void {
    const { bucket, pauses, refusalsInARow, pace, pacedAt, own } = entry
    const now = this.#machine.now()
    const { level, at } = bucket
    const account = { level, at, seen: now, pauses, refusals: refusalsInARow, pace, pacedAt }
    this.#prepared(WRITE_ACCOUNT).run({ id: this.#id, ...account })
    this.#prepared(WRITE_MEMBER).run({
      id: this.#id,
      token: this.#token,
      pid: this.#machine.pid,
      started: this.#started,
      leaseUntil: now + this.#leaseMs,
      inFlight: own.inFlight,
      pollers: own.pollers,
      claimRank: own.claim?.rank ?? null,
      claimUntil: own.claim?.until ?? null,
      servedAt: own.servedAt,
    })
    this.#storeSpent(own)
  }

  #storeSpent({ sent }: Own): void {
    const news = sent.filter(({ second }) => second >= this.#storedUpTo)
    if (news.length === 0) return
    this.#prepared(REMOVE_SPENT).run({ id: this.#id, ...this.#lastMinute() })
    for (const count of news) this.#prepared(WRITE_SPENT).run({ id: this.#id, token: this.#token, ...count })
    this.#storedUpTo = Math.max(...news.map(({ second }) => second))
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

/** Whether another process only held the file for too long. */
export function isBusy(error: unknown): boolean {
  const code = isSqliteError(error) ? error.errcode & 0xff : undefined
  return code === SQLITE_BUSY || code === SQLITE_LOCKED
}

/** Errors of the database, as against faults of the program. */
export function isSqliteError(error: unknown): error is Error & { errcode: number } {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
}

/** node:sqlite loads here and not with the program, because a local workspace or a plain command may not need it. */
function openDatabase(file: string): DatabaseSync {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
  try {
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${SCHEMA}`)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function memberOf(row: MemberRow): Member {
  const { claim_rank: rank, claim_until: until } = row
  const claim = rank === null || until === null ? undefined : { rank, until }
  return { inFlight: row.in_flight, pollers: row.pollers, claim, servedAt: row.served_at }
}
