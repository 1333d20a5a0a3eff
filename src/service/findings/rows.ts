import type {
  ActionableFindingEvidence,
  ActionableFinding,
  InsightsEnvelope,
} from '../../api/contract/insight-shapes.ts'
import { parseStored } from '../../lib/json.ts'
import type { Database } from '../../lib/sqlite.ts'
import { boolean, json, tableOf } from '../core/database/table.ts'
import type { Discovery } from './discovery.ts'
import type { FindingState, WaveRecording } from './lifecycle.ts'

/** The owner of findings: all swarms of a project, or one scenario by its id. */
export type FindingScope = { projectId: string; scope: string }

/** Scope of all findings from journey runs. Any other scope is the id of a scenario. */
export const SWARM_SCOPE = 'swarm'

/** The identity and the texts of a finding. The latest sighting sets the texts. */
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
    /** Order in which findings were first recorded. Pages use it too. */
    position: number
    /** Null if the finding is not dismissed. Does not depend on the status. */
    dismissedAt: number | null
    updatedAt: number
  }

export function createFindingRows(database: Database) {
  const findings = tableOf<Omit<FindingRow, 'position'>, FindingRow>(database, 'finding')
  return {
    get: ({ projectId, scope }: FindingScope, id: string) => findings.one({ projectId, scope, id }),
    find: ({ projectId, scope }: FindingScope, fingerprint: string) => findings.one({ projectId, scope, fingerprint }),
    list: ({ projectId, scope }: FindingScope) => findings.all({ projectId, scope }, 'ORDER BY position DESC'),
    /** Returns up to `limit` rows, newest first, that were recorded before the row at `before`. */
    page: ({ projectId, scope }: FindingScope, before: number | undefined, limit: number) =>
      findings.latest({ projectId, scope }, before, limit),
    seenIn: ({ projectId, scope }: FindingScope, waveId: string): FindingRow[] =>
      database.all(
        `SELECT finding.* FROM finding JOIN findingWave ON findingId = finding.id
         WHERE projectId = :projectId AND scope = :scope AND waveId = :waveId AND seen ORDER BY position`,
        { projectId, scope, waveId },
      ),
    insert: findings.basics.insert,
    update: (id: string, values: Partial<FindingSubject & FindingState> & { updatedAt: number }) =>
      findings.change({ id }, values),
    setDismissed: (id: string, dismissedAt: number | null, updatedAt: number) =>
      findings.change({ id }, { dismissedAt, updatedAt }),
    ...waveRows(database),
    /** Adds evidence. Evidence that is stored for this wave already is skipped. */
    addEvidence(findingId: string, waveId: string, evidence: readonly ActionableFindingEvidence[]) {
      for (const item of evidence)
        database.run(
          `INSERT INTO findingEvidence (findingId, waveId, evidence) VALUES (:findingId, :waveId, :evidence)
           ON CONFLICT DO NOTHING`,
          { findingId, waveId, evidence: JSON.stringify(item) },
        )
    },
    evidence: (findingId: string, waveId: string) =>
      database
        .all<{ evidence: string }>(
          'SELECT evidence FROM findingEvidence WHERE findingId = :findingId AND waveId = :waveId ORDER BY id',
          { findingId, waveId },
        )
        .map(row => parseStored(row.evidence) as ActionableFindingEvidence),
  }
}

type StoredWave = WaveRecording & { findingId: string; state?: FindingState | undefined }

function waveRows(database: Database) {
  const waves = tableOf<StoredWave>(database, 'findingWave', {
    key: 'findingId',
    kinds: { seen: boolean(), state: json() },
  })
  const recording = ({ waveId, seen, at, firstAt }: StoredWave): WaveRecording => ({ waveId, seen, at, firstAt })
  return {
    wave(findingId: string, waveId: string) {
      const row = waves.one({ findingId, waveId })
      return row && recording(row)
    },
    stateBefore: (findingId: string, { at, waveId }: WaveRecording) =>
      waves.one({ findingId }, 'AND (at, waveId) < (:at, :waveId) ORDER BY at DESC, waveId DESC LIMIT 1', {
        at,
        waveId,
      })?.state,
    wavesFrom: (findingId: string, { at, waveId }: WaveRecording) =>
      waves.all({ findingId }, 'AND (at, waveId) >= (:at, :waveId) ORDER BY at, waveId', { at, waveId }).map(recording),
    putWave: (findingId: string, wave: WaveRecording) =>
      void database.run(
        `INSERT INTO findingWave (findingId, waveId, seen, firstAt, at)
         VALUES (:findingId, :waveId, :seen, :firstAt, :at)
         ON CONFLICT DO UPDATE SET seen = :seen, firstAt = :firstAt, at = :at`,
        { findingId, ...wave },
      ),
    setStateAfter: (findingId: string, waveId: string, state: FindingState | undefined) =>
      waves.change({ findingId, waveId }, { state }),
  }
}

/** The result of one generation. Only its discovery may be added later. */
export type InsightsDocument = {
  summary: string
  coverage: NonNullable<InsightsEnvelope['coverage']>
  findings: ActionableFinding[]
  runHealth?: NonNullable<InsightsEnvelope['runHealth']>
  /** Number of findings that are left out, and number of pieces of evidence that shown findings leave out. */
  omittedFindings: number
  omittedEvidence: number
  /** Observations of the model. They are added last, if at all. */
  discovery?: Discovery
}

export type InsightsRow = FindingScope & {
  /** Id of the latest generation. Each request creates a new one. */
  id: string
  waveId: string
  status: 'pending' | 'completed' | 'failed'
  /** The result of the last generation that was completed, which may not be the latest one. */
  document: InsightsDocument | undefined
  /** Time of the document in epoch milliseconds. */
  generatedAt: number | null
  errorCode: string | null
  errorMessage: string | null
  /** Whether another request may succeed. */
  retryable: boolean
  updatedAt: number
}

export type InsightsEnd = Pick<InsightsRow, 'status' | 'errorCode' | 'errorMessage' | 'retryable' | 'updatedAt'> &
  Partial<Pick<InsightsRow, 'document' | 'generatedAt'>>

export function createInsightsRows(database: Database) {
  const insights = tableOf<InsightsRow>(database, 'insights', { kinds: { document: json(), retryable: boolean() } })
  return {
    get: ({ projectId, scope }: FindingScope, waveId: string) => insights.one({ projectId, scope, waveId }),
    latest: ({ projectId, scope }: FindingScope) => insights.one({ projectId, scope }, 'ORDER BY waveId DESC LIMIT 1'),
    /** Inserts a row, or replaces that of an earlier generation. */
    put(row: InsightsRow) {
      const { projectId, scope, waveId } = row
      database.run('DELETE FROM insights WHERE projectId = :projectId AND scope = :scope AND waveId = :waveId', {
        projectId,
        scope,
        waveId,
      })
      insights.basics.insert(row)
    },
    /**
     * Adds the discovery to the document of a completed generation. Does nothing if a later generation was requested.
     */
    setDiscovery: (id: string, discovery: Discovery, at: number) =>
      void database.run(
        `UPDATE insights SET document = json_set(document, '$.discovery', json(:discovery)), updatedAt = :at
         WHERE id = :id AND status = 'completed'`,
        { id, discovery: JSON.stringify(discovery), at },
      ),
    /** Ends a generation. Returns false if it is not pending, or if a later one was requested. */
    end: (id: string, { document, ...end }: InsightsEnd) =>
      insights.change({ id, status: 'pending' }, { ...end, ...(document && { document }) }) > 0,
  }
}
