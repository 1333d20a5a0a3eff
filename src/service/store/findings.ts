import { parseStored } from '../../lib/json-depth.ts'
import type { ActionableFindingEvidence } from '../../api/contract/insight-shapes.ts'
import type { FindingState, WaveRecording } from '../findings/lifecycle.ts'
import { assignments, fromJson, insertInto, toJson, type Database } from '../core/database/database.ts'

/** Whose findings: one of a project's swarms, or one scenario's, by its id. */
export type FindingScope = { projectId: string; scope: string }

/** Scope of the findings that waves of journey runs share; ids of scenarios are the other ones. */
export const SWARM_SCOPE = 'swarm'

/** How a finding is named and shown; refreshed with every sighting but for the identities. */
export type FindingSubject = {
  fingerprint: string
  dimension: string
  title: string
  subjectKind: string
  subjectId: string
  subjectLabel: string
}

export type FindingRow = FindingScope &
  FindingSubject &
  FindingState & {
    id: string
    /** Place in the order in which findings were first recorded; also the key of their pages. */
    position: number
    /** Null = shown. Independent of the status. */
    dismissedAt: number | null
    updatedAt: number
  }

export type FindingRows = {
  get(scope: FindingScope, id: string): FindingRow | undefined
  find(scope: FindingScope, fingerprint: string): FindingRow | undefined
  /** Newest first. */
  list(scope: FindingScope): FindingRow[]
  /** Newest first, up to `limit` rows recorded before the one at `before`. */
  page(scope: FindingScope, before: number | undefined, limit: number): FindingRow[]
  /** Those that a wave saw, oldest first. */
  seenIn(scope: FindingScope, waveId: string): FindingRow[]
  insert(row: Omit<FindingRow, 'position'>): void
  update(id: string, values: Partial<FindingSubject & FindingState> & { updatedAt: number }): void
  setDismissed(id: string, dismissedAt: number | null, updatedAt: number): void

  wave(findingId: string, waveId: string): WaveRecording | undefined
  /** The finding's state after its last wave before this one. */
  stateBefore(findingId: string, wave: WaveRecording): FindingState | undefined
  /** The finding's waves from this one on, in order. */
  wavesFrom(findingId: string, wave: WaveRecording): WaveRecording[]
  /** Replaces what was recorded of the finding in this wave. */
  putWave(findingId: string, wave: WaveRecording): void
  setStateAfter(findingId: string, waveId: string, state: FindingState | undefined): void

  /** Leaves out what is known of this wave. */
  addEvidence(findingId: string, waveId: string, evidence: readonly ActionableFindingEvidence[]): void
  /** In the order in which it was recorded. */
  evidence(findingId: string, waveId: string): ActionableFindingEvidence[]
}

const IN_SCOPE = 'projectId = :projectId AND scope = :scope'

export function createFindingRows(database: Database): FindingRows {
  const where = (condition: string) => `SELECT * FROM finding WHERE ${IN_SCOPE} AND ${condition}`
  return {
    get: (scope, id) => database.get(where('id = :id'), { ...scope, id }),
    find: (scope, fingerprint) =>
      database.get(where('fingerprint = :fingerprint'), { ...scope, fingerprint }),
    list: scope => database.all(`SELECT * FROM finding WHERE ${IN_SCOPE} ORDER BY position DESC`, scope),
    page: (scope, before = Number.MAX_SAFE_INTEGER, limit) =>
      database.all(where('position < :before ORDER BY position DESC LIMIT :limit'), {
        ...scope,
        before,
        limit,
      }),
    seenIn: (scope, waveId) =>
      database.all(
        `SELECT finding.* FROM finding JOIN findingWave ON findingId = finding.id
         WHERE ${IN_SCOPE} AND waveId = :waveId AND seen ORDER BY position`,
        { ...scope, waveId },
      ),
    insert: row => void database.run(insertInto('finding', Object.keys(row)), row),
    update: (id, values) =>
      void database.run(`UPDATE finding SET ${assignments(Object.keys(values))} WHERE id = :id`, {
        ...values,
        id,
      }),
    setDismissed: (id, dismissedAt, updatedAt) =>
      void database.run(
        'UPDATE finding SET dismissedAt = :dismissedAt, updatedAt = :updatedAt WHERE id = :id',
        { id, dismissedAt, updatedAt },
      ),
    ...waveRows(database),
    addEvidence(findingId, waveId, evidence) {
      for (const item of evidence)
        database.run(
          `INSERT INTO findingEvidence (findingId, waveId, evidence) VALUES (:findingId, :waveId, :evidence)
           ON CONFLICT DO NOTHING`,
          { findingId, waveId, evidence: JSON.stringify(item) },
        )
    },
    evidence: (findingId, waveId) =>
      database
        .all<{ evidence: string }>(
          'SELECT evidence FROM findingEvidence WHERE findingId = :findingId AND waveId = :waveId ORDER BY id',
          { findingId, waveId },
        )
        .map(row => parseStored(row.evidence) as ActionableFindingEvidence),
  }
}

type StoredWave = Omit<WaveRecording, 'seen'> & { seen: 0 | 1 }
type WaveRows = Pick<FindingRows, 'wave' | 'stateBefore' | 'wavesFrom' | 'putWave' | 'setStateAfter'>

function waveRows(database: Database): WaveRows {
  const columns = 'SELECT waveId, seen, at, firstAt FROM findingWave WHERE findingId = :findingId'
  const read = ({ seen, ...row }: StoredWave): WaveRecording => ({ ...row, seen: seen === 1 })
  return {
    wave(findingId, waveId) {
      const row = database.get<StoredWave>(`${columns} AND waveId = :waveId`, { findingId, waveId })
      return row && read(row)
    },
    stateBefore(findingId, { at, waveId }) {
      const row = database.get<{ state: string | null }>(
        `SELECT state FROM findingWave WHERE findingId = :findingId AND (at, waveId) < (:at, :waveId)
         ORDER BY at DESC, waveId DESC LIMIT 1`,
        { findingId, at, waveId },
      )
      return row && fromJson<FindingState>(row.state)
    },
    wavesFrom: (findingId, { at, waveId }) =>
      database
        .all<StoredWave>(`${columns} AND (at, waveId) >= (:at, :waveId) ORDER BY at, waveId`, {
          findingId,
          at,
          waveId,
        })
        .map(read),
    putWave: (findingId, wave) =>
      void database.run(
        `INSERT INTO findingWave (findingId, waveId, seen, firstAt, at)
         VALUES (:findingId, :waveId, :seen, :firstAt, :at)
         ON CONFLICT DO UPDATE SET seen = :seen, firstAt = :firstAt, at = :at`,
        { findingId, ...wave },
      ),
    setStateAfter: (findingId, waveId, state) =>
      void database.run(
        'UPDATE findingWave SET state = :state WHERE findingId = :findingId AND waveId = :waveId',
        { findingId, waveId, state: toJson(state) },
      ),
  }
}
