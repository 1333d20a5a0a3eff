import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { BOUNDS } from '../../../lib/bounds.ts'
import { systemErrorReason } from '../errors/system-error-text.ts'
import { refusal } from '../errors/api-error.ts'
import { type Clock, systemClock } from '../../../lib/clock.ts'
import { type AnyEndpoint, pathParameters } from '../../contract/endpoint.ts'
import { type Machine, thisMachine, isGone, type Owner, selfOn } from '../../../lib/machine.ts'
import type { Database } from '../../../lib/sqlite.ts'
import { type EntryRow, openEntries } from './database.ts'
import {
  type DoneWrite,
  type EntryResult,
  type Finding,
  type JournalEntry,
  type ReadBackNote,
  type Settlement,
  withoutSecrets,
} from './entry.ts'

export type JournalOptions = {
  /** The database; its directory is made when it is missing and belongs to its owner alone. */
  file: string
  /** Whose writes these are; see `journalProfile`. */
  profile: string
  clock?: Clock
  machine?: Machine
  /** Told when the end of a write cannot be noted; the next start then looks at that write again. */
  onFault?: (error: unknown) => void
}

/** The entry of one write that is about to happen. */
export type Intent = {
  /**
   * Notes that the request may leave from now on.
   * @throws ApiError `refused` with code `journal`
   */
  sent: () => void
  /** Notes the end; never throws. */
  settle: (settlement: Settlement) => void
}

/** The right to find out about one entry; other processes keep off until it is given back or runs out. */
export type Claim = {
  sent: () => void
  /** Closes the entry; false when another process has closed it meanwhile. */
  conclude: (finding: Finding, settlement?: Settlement) => boolean
  /** Gives the entry back for a later look, with what this one showed. */
  release: (readBack?: ReadBackNote) => void
}

/** Every write of a profile, on disk before its request leaves (spec section 7). */
export type Journal = {
  /**
   * Writes down what was confirmed; when it resolves, that is safe on disk.
   * @throws ApiError `refused` with code `journal`, because a write without a record could happen twice
   */
  begin: (write: { endpoint: AnyEndpoint; input: object; idempotencyKey: string | undefined }) => Promise<Intent>
  /** Writes of this profile without a known end whose process is gone or has given up, oldest first. */
  unresolved: () => Promise<JournalEntry[]>
  /** Calls back whenever the list of open writes of this process may have changed. */
  subscribe: (listener: () => void) => () => void
  /** Undefined when another process holds or has closed the entry. */
  claim: (entry: JournalEntry) => Promise<Claim | undefined>
  /**
   * What was written after an entry and not refused: `same` is the same operation with the same input,
   * `place` anything at the same path parameters.
   */
  later: (entry: JournalEntry) => Promise<{ same: boolean; place: boolean }>
  /** Writes of this profile since a time, the earliest first, with how each ended. */
  since: (at: number) => Promise<DoneWrite[]>
  /** Run ids that are accounted for by other entries. */
  knownRunIds: () => Promise<ReadonlySet<string>>
  /**
   * Notes ends that are just arriving, and of all other writes that their end is unknown, then closes the file; open
   * entries stay for the next start.
   */
  close: () => Promise<void>
}

/** How long answers that are there already may take to be read when the journal closes, in milliseconds. */
const ENDING_MS = 100
const CLAIM_MS = 5 * 60_000
const KEEP_SETTLED_MS = 7 * 24 * 60 * 60_000
/** Settled entries further back than this many writes are dropped. */
const KEEP_WRITES = BOUNDS.journalWrites.most

/** The journal of a profile. Opens its file with the first write. */
export function openJournal(options: JournalOptions): Journal {
  return new FileJournal(options)
}

const SINCE = `SELECT operation, place, intendedAt, outcome, code, finding, result FROM entries
  WHERE profile = :profile AND intendedAt >= :at ORDER BY id`
type DoneRow = Pick<DoneWrite, 'operation' | 'intendedAt' | 'outcome' | 'code' | 'finding'> &
  Record<'place', string> &
  Record<'result', string | null>

class FileJournal implements Journal {
  readonly #file: string
  readonly #profile: string
  readonly #clock: Clock
  readonly #machine: Machine
  /** This process, as entries name it. */
  readonly #self: string
  readonly #onFault: (error: unknown) => void
  readonly #listeners = new Set<() => void>()
  /** Writes of this process that have not ended, with what is called at their end. */
  readonly #underWay = new Map<Intent, PromiseWithResolvers<void>>()
  #database: Database | undefined
  #closed = false

  constructor(options: JournalOptions) {
    this.#file = options.file
    this.#profile = options.profile
    this.#clock = options.clock ?? systemClock
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
          digest: createHash('sha256').update(text).digest('base64url'),
          input: isShort ? text : JSON.stringify(subjectOf(endpoint, stored.input)),
          complete: Number(stored.complete && isShort),
          key: idempotencyKey ?? null,
        })
        database.run('DELETE FROM entries WHERE open = 0 AND id <= :last', { last: row - KEEP_WRITES })
        return row
      })
      return this.#intent(database, id, endpoint)
    } catch (error) {
      throw this.#refused(error, endpoint, 'so nothing was sent')
    }
  }

  unresolved: Journal['unresolved'] = async () => {
    const database = this.#openExisting()
    if (!database) return []
    this.#compact(database)
    return this.#openRows(database).flatMap(row => (this.#isFree(row) ? [toEntry(row)] : []))
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
      if (!row || !this.#isFree(row)) return false
      database.run(
        'UPDATE entries SET claimToken = :token, claimOwner = :owner, claimedUntil = :until WHERE id = :id',
        { id, token, owner: this.#self, until: this.#now() + CLAIM_MS },
      )
      return true
    })
    return claimed ? this.#claim(database, id, token) : undefined
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
      `SELECT result ->> 'runId' AS runId FROM entries WHERE profile = :profile AND outcome = 'succeeded'`,
      { profile: this.#profile },
    )
    return new Set(rows.flatMap(({ runId }) => (runId === null ? [] : [runId])))
  }

  since: Journal['since'] = async at => {
    const database = this.#openExisting()
    return (database?.all<DoneRow>(SINCE, { profile: this.#profile, at }) ?? []).map(({ result, place, ...row }) => ({
      ...row,
      result: JSON.parse(result ?? '{}') as EntryResult,
      place: JSON.parse(place) as [string, unknown][],
    }))
  }

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

  /** Looking back makes no file where nothing was ever written. */
  #openExisting(): Database | undefined {
    return this.#database || existsSync(this.#file) ? this.#open() : undefined
  }

  #insert(
    database: Database,
    values: Pick<EntryRow, 'operation' | 'place' | 'digest' | 'input' | 'complete' | 'key'>,
  ): number {
    return database.get<{ id: number }>(
      `INSERT INTO entries (profile, operation, place, digest, input, complete, key, owner, state, open, intendedAt)
       VALUES (:profile, :operation, :place, :digest, :input, :complete, :key, :owner, 'intended', 1, :now)
       RETURNING id`,
      { ...values, profile: this.#profile, owner: this.#self, now: this.#now() },
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
          // A look back of another process that took this one for gone has the last word.
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

  #markSent(database: Database, id: number): void {
    database.run(
      `UPDATE entries SET state = 'sent', sentAt = coalesce(sentAt, :now) WHERE id = :id AND state = 'intended'`,
      { id, now: this.#now() },
    )
  }

  /** The input is needed only as long as the outcome is open. */
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

  /** Whether nobody works on an open entry any more. */
  #isFree(row: EntryRow): boolean {
    const now = this.#now()
    if (row.claimOwner !== null && row.claimedUntil !== null && row.claimedUntil > now)
      return isGone(ownerOf(row.claimOwner), now - (row.claimedUntil - CLAIM_MS), this.#machine)
    return row.state === 'settled' || isGone(ownerOf(row.owner), now - lastSeen(row), this.#machine)
  }

  #compact(database: Database): void {
    database.run('DELETE FROM entries WHERE open = 0 AND settledAt < :before', {
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

/** Longest text of a body that stays of an input that is too large, in characters. */
const SHORT_TEXT = 400

/** What an input is about: its path, and the short texts of its body. */
function subjectOf({ path }: AnyEndpoint, input: Record<string, unknown>): object {
  const isShort = ([, value]: [string, unknown]): boolean => typeof value === 'string' && value.length <= SHORT_TEXT
  const body = Object.entries(Object(input['body']) as object)
    .filter(isShort)
    .slice(0, 50)
  const place = pathParameters(path).map(name => [name, input[name]])
  return { ...Object.fromEntries(place), body: Object.fromEntries(body) }
}

function toEntry(row: EntryRow): JournalEntry {
  return {
    id: row.id,
    operation: row.operation,
    input: JSON.parse(row.input ?? '{}') as Record<string, unknown>,
    complete: row.complete === 1 && row.input !== null,
    idempotencyKey: row.key ?? undefined,
    sent: row.sentAt !== null,
    intendedAt: row.intendedAt,
    lastSeenAt: lastSeen(row),
    readBack: row.readBack === null ? undefined : (JSON.parse(row.readBack) as ReadBackNote),
  }
}

function lastSeen({ settledAt, sentAt, intendedAt }: EntryRow): number {
  return settledAt ?? sentAt ?? intendedAt
}

function ownerOf(text: string): Owner {
  return JSON.parse(text) as Owner
}

function placeOf(endpoint: AnyEndpoint, input: Record<string, unknown>): string {
  return JSON.stringify(pathParameters(endpoint.path).map(name => [name, input[name]]))
}
