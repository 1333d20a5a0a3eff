import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { BOUNDS } from '../../../lib/bounds.ts'
import { systemErrorReason } from '../errors/system-error-text.ts'
import { refusal } from '../errors/api-error.ts'
import { type Clock, wallClock } from '../../../lib/clock.ts'
import type { AnyEndpoint } from '../../contract/endpoint.ts'
import { serviceOffset } from '../transport/service-time.ts'
import { type Machine, thisMachine, selfOn } from '../../../lib/machine.ts'
import type { Database } from '../../../lib/sqlite.ts'
import { bulkOf, planOf } from './bulk.ts'
import { CLAIM_MS, type EntryRow, isAbandoned, isClaimed, openEntries } from './database.ts'
import {
  digestOf,
  type DoneWrite,
  type Finding,
  type JournalEntry,
  placeOf,
  type PlannedWrite,
  type ReadBackNote,
  type Settlement,
  subjectOf,
  toEntry,
  withoutSecrets,
  type EntryResult,
} from './entry.ts'

type JournalOptions = {
  /** The database. Its directory is created if missing and accessible only to its owner. */
  file: string
  /** The profile of these writes; see `journalProfile`. */
  profile: string
  clock?: Clock
  machine?: Machine
  /** Called if the end of a write cannot be recorded. The next start then checks that write again. */
  onFault?: (error: unknown) => void
}

/** The entry of one write that is about to be sent. */
export type Intent = {
  /** Records that the request may be sent from now on. @throws ApiError `refused` with code `journal` */
  sent: () => void
  /** Records the end. Never throws. */
  settle: (settlement: Settlement) => void
}

/** The right to find out the outcome of one entry. Other processes leave it alone until it is released or expires. */
export type Claim = {
  sent: () => void
  /** Extends the claim. Returns false if another process has the entry or closed it meanwhile. */
  renew: () => boolean
  /** Closes the entry. Returns false if another process has closed it meanwhile. */
  conclude: (finding: Finding, settlement?: Settlement) => boolean
  /** Releases the entry for a later check, with the result of this one. */
  release: (readBack?: ReadBackNote) => void
}

/** Records every write of a profile on disk before its request is sent (spec section 7). */
export type Journal = {
  /** Stores a confirmed write. Resolves when it is safe on disk. @throws ApiError `refused` with code `journal` */
  begin: (write: PlannedWrite) => Promise<Intent>
  /**
   * Stores the writes of a planned bulk action, and resolves with a function that records the outcome. A single write
   * is not stored, since it gets its own entry.
   * @throws ApiError `refused` with code `journal`
   */
  plan: (writes: readonly PlannedWrite[]) => Promise<Intent['settle']>
  /**
   * Returns open writes of this profile whose process is gone or has given up, oldest first, including claimed ones.
   */
  unresolved: () => Promise<JournalEntry[]>
  /**
   * Adds the sentence that the person was shown to the last successful write of these operations.
   * @param from epoch milliseconds
   */
  tell: (operations: readonly string[], from: number, words: string) => Promise<void>
  /** Calls the listener whenever this process may have changed the list of open writes. */
  subscribe: (listener: () => void) => () => void
  /** Claims an entry. Undefined if another process holds or has closed it. */
  claim: (entry: JournalEntry) => Promise<Claim | undefined>
  /**
   * Whether later writes followed an entry and were not refused: `same` with the same operation and input, `place` with
   * the same path.
   */
  later: (entry: JournalEntry) => Promise<{ same: boolean; place: boolean }>
  /** Returns writes of this profile since a time, the earliest first, each with its outcome. */
  since: (at: number) => Promise<DoneWrite[]>
  /** Returns the ids that the answers to successful writes named, among them all runs that were launched. */
  knownRunIds: () => Promise<ReadonlySet<string>>
  /** Stores outcomes that arrive, marks all other writes as unknown, and closes the file. Open entries are kept. */
  close: () => Promise<void>
}

/** Milliseconds to read answers that have already arrived when the journal closes. */
const ENDING_MS = 100
const KEEP_SETTLED_MS = 7 * 24 * 60 * 60_000
/** Number of latest writes that are kept. Settled entries before them are deleted. */
const KEEP_WRITES = BOUNDS.journalWrites.most

/** Opens the journal of a profile. Its file is opened with the first write. */
export function openJournal(options: JournalOptions): Journal {
  return new FileJournal(options)
}

/** The writes that began after a bulk action are the only record of its progress, so they are kept. */
const SPARED = `id < coalesce((SELECT min(id) FROM entries WHERE open = 1 AND planned IS NOT NULL), id + 1)`

class FileJournal implements Journal {
  readonly #file: string
  readonly #profile: string
  readonly #clock: Clock
  readonly #machine: Machine
  /** This process, as named in entries. */
  readonly #self: string
  readonly #onFault: (error: unknown) => void
  readonly #listeners = new Set<() => void>()
  /** Writes of this process that have not ended, each with a promise that is resolved at its end. */
  readonly #underWay = new Map<Intent, PromiseWithResolvers<void>>()
  #database: Database | undefined
  #closed = false

  constructor(options: JournalOptions) {
    this.#file = options.file
    this.#profile = options.profile
    this.#clock = options.clock ?? wallClock
    this.#machine = options.machine ?? thisMachine
    this.#self = JSON.stringify(selfOn(this.#machine))
    this.#onFault = options.onFault ?? (() => {})
  }

  begin: Journal['begin'] = async ({ endpoint, input, idempotencyKey }) => {
    try {
      const database = this.#open()
      const stored = withoutSecrets(endpoint, input)
      const text = JSON.stringify(stored.input)
      const isShort = text.length <= BOUNDS.journalInput.most
      const id = database.write(() => {
        const row = this.#insert(database, {
          operation: endpoint.operation,
          place: placeOf(endpoint, stored.input),
          digest: digestOf(text),
          input: isShort ? text : JSON.stringify(subjectOf(endpoint, stored.input)),
          complete: Number(stored.complete && isShort),
          key: idempotencyKey ?? null,
        })
        database.run(`DELETE FROM entries WHERE open = 0 AND id <= :last AND ${SPARED}`, { last: row - KEEP_WRITES })
        return row
      })
      return this.#intent(database, id, endpoint)
    } catch (error) {
      throw this.#refused(error, endpoint, 'so nothing was sent')
    }
  }

  plan: Journal['plan'] = async writes => {
    const [first] = writes
    if (!first || writes.length === 1) return () => {}
    try {
      const database = this.#open()
      const stored = planOf(writes)
      const values = { operation: first.endpoint.operation, place: '', digest: digestOf(stored.input), key: null }
      const id = this.#insert(database, { ...values, ...stored })
      return this.#intent(database, id, first.endpoint).settle
    } catch (error) {
      throw this.#refused(error, first.endpoint, 'so nothing was sent')
    }
  }

  unresolved: Journal['unresolved'] = async () => {
    const database = this.#openExisting()
    if (!database) return []
    this.#compact(database)
    return this.#openRows(database)
      .map(row => ({ row, claimed: isClaimed(row, this.#now(), this.#machine) }))
      .filter(({ row, claimed }) => claimed || isAbandoned(row, this.#now(), this.#machine))
      .map(({ row, claimed }) => {
        const entry = toEntry(row, claimed)
        return row.planned === null ? entry : { ...entry, bulk: bulkOf(database, row) }
      })
      .filter(({ id, bulk }) => {
        const isWhole = bulk?.rest.length === 0
        // Each write of the bulk action already has a separate record.
        if (isWhole) this.#settle(database, { outcome: 'succeeded', result: {} }, 'id = :id', { id })
        return !isWhole
      })
  }

  subscribe: Journal['subscribe'] = listener => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  claim: Journal['claim'] = async ({ id }) => {
    const database = this.#open()
    const token = randomUUID()
    const claimed = database.write(() => {
      const row = this.#openRows(database).find(other => other.id === id)
      if (!row || isClaimed(row, this.#now(), this.#machine) || !isAbandoned(row, this.#now(), this.#machine))
        return false
      database.run(
        'UPDATE entries SET claimToken = :token, claimOwner = :owner, claimedUntil = :until WHERE id = :id',
        { id, token, owner: this.#self, until: this.#now() + CLAIM_MS },
      )
      return true
    })
    if (!claimed) return undefined
    this.#changed()
    return this.#claim(database, id, token)
  }

  later: Journal['later'] = async ({ id }) => {
    const database = this.#open()
    const matches = (column: 'digest' | 'place', operation: string) =>
      database.all(
        `SELECT 1 FROM entries AS other JOIN entries AS one ON one.id = :id
         WHERE other.id > one.id AND other.profile = one.profile AND other.${column} = one.${column} ${operation}
           AND other.outcome IS NOT 'refused' LIMIT 1`,
        { id },
      ).length > 0
    return { same: matches('digest', 'AND other.operation = one.operation'), place: matches('place', '') }
  }

  knownRunIds: Journal['knownRunIds'] = async () => {
    const database = this.#open()
    const rows = database.all<{ runId: string | null }>(
      `SELECT coalesce(result ->> 'runId', result ->> 'id') AS runId FROM entries
       WHERE profile = :profile AND outcome = 'succeeded'`,
      { profile: this.#profile },
    )
    return new Set(rows.flatMap(({ runId }) => (runId === null ? [] : [runId])))
  }

  tell: Journal['tell'] = async (operations, from, words) =>
    noteWords(this.#openExisting(), { profile: this.#profile, operations, from, words })

  since: Journal['since'] = async at => doneSince(this.#openExisting(), this.#profile, at)

  close: Journal['close'] = async () => {
    const ends = Promise.all([...this.#underWay.values()].map(({ promise }) => promise))
    const patience = new AbortController()
    await Promise.race([ends, delay(ENDING_MS, undefined, { signal: patience.signal })])
    patience.abort()
    for (const intent of this.#underWay.keys()) intent.settle({ outcome: 'unknown', code: 'program-ended' })
    this.#closed = true
    this.#database?.close()
    this.#database = undefined
  }

  #open(): Database {
    if (this.#closed) throw new Error('the program is ending')
    return (this.#database ??= openEntries(this.#file))
  }

  /** Reading back creates no file if nothing was ever written. */
  #openExisting(): Database | undefined {
    return this.#database || existsSync(this.#file) ? this.#open() : undefined
  }

  #insert(
    database: Database,
    values: Pick<EntryRow, 'operation' | 'place' | 'digest' | 'input' | 'complete' | 'key'> &
      Partial<Pick<EntryRow, 'planned'>>,
  ): number {
    return database.get<{ id: number }>(
      `INSERT INTO entries (profile, operation, place, digest, input, complete, key, owner, state, open, intendedAt,
         serviceOffset, planned)
       VALUES (:profile, :operation, :place, :digest, :input, :complete, :key, :owner, 'intended', 1, :now,
         :serviceOffset, :planned)
       RETURNING id`,
      {
        planned: null,
        ...values,
        profile: this.#profile,
        owner: this.#self,
        now: this.#now(),
        serviceOffset: serviceOffset() ?? null,
      },
    )!.id
  }

  #intent(database: Database, id: number, endpoint: AnyEndpoint): Intent {
    const intent: Intent = {
      sent: () => {
        try {
          this.#markSent(database, id)
        } catch (error) {
          throw this.#refused(error, endpoint, 'so it was not sent; the next start settles it')
        }
      },
      settle: settlement => {
        this.#underWay.get(intent)?.resolve()
        this.#underWay.delete(intent)
        try {
          // If another process assumed that this one was gone and read back, its result takes precedence.
          this.#settle(database, settlement, 'id = :id AND finding IS NULL', { id })
          if (settlement.outcome === 'unknown') this.#changed()
        } catch (error) {
          this.#onFault(error)
        }
      },
    }
    this.#underWay.set(intent, Promise.withResolvers())
    return intent
  }

  #claim(database: Database, id: number, token: string): Claim {
    const mine = 'id = :id AND claimToken = :token AND open = 1'
    return {
      sent: () => this.#markSent(database, id),
      renew: () =>
        database.run(`UPDATE entries SET claimedUntil = :until WHERE ${mine}`, {
          id,
          token,
          until: this.#now() + CLAIM_MS,
        }) > 0,
      conclude: (finding, settlement) => {
        const isOurs = database.write(() => {
          if (settlement) this.#settle(database, settlement, mine, { id, token })
          return (
            database.run(
              `UPDATE entries SET state = 'settled', open = 0, input = NULL, finding = :finding,
                 settledAt = coalesce(settledAt, :now) WHERE id = :id AND claimToken = :token AND finding IS NULL`,
              { id, token, finding, now: this.#now() },
            ) > 0
          )
        })
        this.#changed()
        return isOurs
      },
      release: readBack => {
        database.run(
          `UPDATE entries SET claimToken = NULL, claimOwner = NULL, claimedUntil = NULL,
             readBack = coalesce(:readBack, readBack) WHERE ${mine}`,
          { id, token, readBack: readBack ? JSON.stringify(readBack) : null },
        )
        this.#changed()
      },
    }
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }

  /**
   * Overwrites the time of an earlier attempt, since the service may act on a repeated request just as long after it
   * was sent.
   */
  #markSent(database: Database, id: number): void {
    database.run(
      `UPDATE entries SET state = iif(state = 'intended', 'sent', state), sentAt = :now WHERE id = :id AND open = 1`,
      { id, now: this.#now() },
    )
  }

  /** The input is needed only while the outcome is unknown. */
  #settle(database: Database, settlement: Settlement, where: string, which: Record<string, string | number>): void {
    const open = settlement.outcome === 'unknown'
    const result = settlement.outcome === 'succeeded' ? JSON.stringify(settlement.result) : null
    const code = settlement.outcome === 'succeeded' ? null : settlement.code
    database.run(
      `UPDATE entries SET state = 'settled', outcome = :outcome, code = :code, result = :result, settledAt = :now,
         open = :open, input = iif(:open, input, NULL) WHERE ${where}`,
      { ...which, outcome: settlement.outcome, code, result, open: Number(open), now: this.#now() },
    )
  }

  #openRows(database: Database): EntryRow[] {
    return database.all<EntryRow>('SELECT * FROM entries WHERE profile = :profile AND open = 1 ORDER BY id', {
      profile: this.#profile,
    })
  }

  #compact(database: Database): void {
    database.run(`DELETE FROM entries WHERE open = 0 AND settledAt < :before AND ${SPARED}`, {
      before: this.#now() - KEEP_SETTLED_MS,
    })
  }

  #refused(error: unknown, endpoint: AnyEndpoint, consequence: string) {
    const why = systemErrorReason(error)
    const message = `The journal of writes ${this.#file} cannot be written (${why}), ${consequence}.`
    return refusal('journal', message, { endpoint })
  }

  #now(): number {
    return Math.round(this.#clock.now())
  }
}

type DoneRow = Pick<DoneWrite, 'operation' | 'intendedAt' | 'outcome' | 'code' | 'finding'> &
  Record<'place', string> &
  Record<'result', string | null>

const SINCE = `SELECT operation, place, intendedAt, outcome, code, finding, result FROM entries
  WHERE profile = :profile AND intendedAt >= :at AND planned IS NULL ORDER BY id`
const NOTE = `UPDATE entries SET result = json_set(coalesce(result, '{}'), '$.words', :words)
  WHERE id = (SELECT max(id) FROM entries WHERE profile = :profile AND intendedAt >= :from AND outcome = 'succeeded'
    AND operation IN (SELECT value FROM json_each(:operations)))`
const LONGEST_WORDS = 500

/** Returns the writes of a profile since a time, in epoch milliseconds, the oldest first. */
function doneSince(database: Database | undefined, profile: string, at: number): DoneWrite[] {
  return (database?.all<DoneRow>(SINCE, { profile, at }) ?? []).map(({ result, place, ...row }) => ({
    ...row,
    result: JSON.parse(result ?? '{}') as EntryResult,
    place: JSON.parse(place) as [string, unknown][],
  }))
}

/** The operations whose last success since `from`, in epoch milliseconds, gets the words that a person was told. */
type Told = { profile: string; operations: readonly string[]; from: number; words: string }

function noteWords(database: Database | undefined, { profile, operations, from, words }: Told): void {
  const cut = words.slice(0, LONGEST_WORDS)
  database?.run(NOTE, { profile, operations: JSON.stringify(operations), from, words: cut })
}
