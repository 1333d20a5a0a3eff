import { randomUUID } from 'node:crypto'
import type { Account, Entry, Member, Own } from './account.ts'
import { minuteBefore, type Purpose, type Spent } from './gauge.ts'
import type { Machine } from '../../../lib/machine.ts'
import { type Database, openForOwner, WRITE_AHEAD_LOG } from '../../../lib/sqlite.ts'

/** Longest time that another process's step may block this one, in milliseconds. */
const PATIENCE_MS = 100
/** Minimum milliseconds between checks whether other processes still run. */
const CHECK_EVERY_MS = 250

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
  keyId: string
  machine: Machine
  /** Milliseconds that this process counts as alive after its last step. */
  leaseMs: number
}

/**
 * Stores the accounts of keys in SQLite, for all processes of one machine. A crash loses nothing important, since
 * buckets refill.
 */
export class LedgerFile {
  readonly #database: Database
  readonly #machine: Machine
  readonly #leaseMs: number
  readonly #id: string
  readonly #token = randomUUID()
  readonly #started: string
  #lookedAt = -Infinity
  /** The last second whose counts are stored. They may still grow. */
  #storedUpTo = -Infinity

  /**
   * Creates directory and file, accessible only to their owner.
   * @throws errors of the file system and of SQLite
   */
  constructor({ file, keyId, machine, leaseMs }: LedgerFileOptions) {
    this.#machine = machine
    this.#leaseMs = leaseMs
    this.#id = `${keyId} ${machine.name}`
    this.#started = machine.startOf(machine.pid) ?? ''
    this.#database = openForOwner(file, { patienceMs: PATIENCE_MS, setup: `${WRITE_AHEAD_LOG} ${SCHEMA}` })
  }

  /** Runs `step` on the stored entry, which was last changed at `seen`, and stores the result. */
  update<T>(own: Own, fresh: () => Account, step: (entry: Entry, seen: number) => T): { entry: Entry; result: T } {
    return this.#database.write(() => {
      const { entry, seen } = this.#load(own, fresh, true)
      const result = step(entry, seen)
      this.#store(entry)
      return { entry, result }
    })
  }

  read(own: Own, fresh: () => Account): Entry {
    return this.#load(own, fresh, false).entry
  }

  /** Returns the requests of all processes in the last minute, including processes that have ended. */
  spent(): Spent[] {
    const rows = this.#database.all<SpentRow>(READ_SPENT, { id: this.#id, ...this.#lastMinute() })
    return rows.map(({ token, ...count }) => ({ ...count, isOwn: token === this.#token }))
  }

  #lastMinute(): { since: number; now: number } {
    const now = this.#machine.now()
    return { since: minuteBefore(now), now: Math.floor(now / 1000) }
  }

  close(): void {
    try {
      this.#database.run(REMOVE_MEMBER, { id: this.#id, token: this.#token })
    } catch {
      // Without the removal, the others learn only from the lease that the process is gone.
    }
    this.#database.close()
  }

  /** @param own what this process knows about itself, because others may have removed it as dead */
  #load(own: Own, fresh: () => Account, clean: boolean): { entry: Entry; seen: number } {
    const row = this.#database.get<AccountRow>(READ_ACCOUNT, { id: this.#id })
    const others = this.#others(clean)
    const inFlight = others.reduce((sum, other) => sum + other.inFlight, own.inFlight)
    const account = row ? this.#accountOf(row) : fresh()
    const entry = { ...account, bucket: { ...account.bucket, inFlight }, own: { ...own }, others }
    return { entry, seen: row?.seen ?? this.#machine.now() }
  }

  /** A stored time in the future is from before a restart of the machine. */
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
    const rows = this.#database.all<MemberRow>(READ_OTHERS, { id: this.#id, token: this.#token })
    const now = this.#machine.now()
    const look = clean && now - this.#lookedAt >= CHECK_EVERY_MS
    if (look) this.#lookedAt = now
    const alive = (row: MemberRow) =>
      row.lease_until > now &&
      row.lease_until <= now + this.#leaseMs &&
      (!look || this.#machine.startOf(row.pid) === row.started)
    return rows.flatMap(row => {
      if (alive(row)) return [memberOf(row)]
      if (clean) this.#database.run(REMOVE_MEMBER, { id: this.#id, token: row.token })
      return []
    })
  }

  #store(entry: Entry): void {
    const { bucket, pauses, refusalsInARow, pace, pacedAt, own } = entry
    const now = this.#machine.now()
    const { level, at } = bucket
    const account = { level, at, seen: now, pauses, refusals: refusalsInARow, pace, pacedAt }
    this.#database.run(WRITE_ACCOUNT, { id: this.#id, ...account })
    this.#database.run(WRITE_MEMBER, {
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
    this.#database.run(REMOVE_SPENT, { id: this.#id, ...this.#lastMinute() })
    for (const count of news) this.#database.run(WRITE_SPENT, { id: this.#id, token: this.#token, ...count })
    this.#storedUpTo = Math.max(...news.map(({ second }) => second))
  }
}

function memberOf(row: MemberRow): Member {
  const { claim_rank: rank, claim_until: until } = row
  const claim = rank === null || until === null ? undefined : { rank, until }
  return { inFlight: row.in_flight, pollers: row.pollers, claim, servedAt: row.served_at }
}
