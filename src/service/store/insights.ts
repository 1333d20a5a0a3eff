import type { ActionableFinding, InsightsEnvelope } from '../../api/contract/insight-shapes.ts'
import type { Discovery } from '../findings/discovery.ts'
import { assignments, fromJson, insertInto, toJson, type Database } from '../core/database/database.ts'
import type { FindingScope } from './findings.ts'

/** What one generation said; everything in it stays as it was when it was generated. */
export type InsightsDocument = {
  summary: string
  coverage: NonNullable<InsightsEnvelope['coverage']>
  findings: ActionableFinding[]
  runHealth?: NonNullable<InsightsEnvelope['runHealth']>
  /** Findings beyond those that fit, and evidence beyond that of the shown ones. */
  omittedFindings: number
  omittedEvidence: number
  /** Comes behind the rest, or not at all. */
  discovery?: Discovery
}

export type InsightsRow = FindingScope & {
  /** Of the latest generation: another request has another id. */
  id: string
  /** The wave or window that it is about. */
  waveId: string
  status: 'pending' | 'completed' | 'failed'
  /** Of the last generation that was completed, which may be an earlier one. */
  document: InsightsDocument | undefined
  /** Of the document. */
  generatedAt: number | null
  errorCode: string | null
  errorMessage: string | null
  /** Whether asking again could end otherwise. */
  retryable: boolean
  updatedAt: number
}

/** How a generation ended. */
export type InsightsEnd = Pick<
  InsightsRow,
  'status' | 'errorCode' | 'errorMessage' | 'retryable' | 'updatedAt'
> &
  Partial<Pick<InsightsRow, 'document' | 'generatedAt'>>

export type InsightsRows = {
  get(scope: FindingScope, waveId: string): InsightsRow | undefined
  /** Of the wave or window whose id sorts last. */
  latest(scope: FindingScope): InsightsRow | undefined
  /** In place of an earlier generation's. */
  put(row: InsightsRow): void
  /** Adds to a completed generation's document; nothing happens when it is no longer the latest. */
  setDiscovery(id: string, discovery: Discovery, at: number): void
  /** False when this generation is no longer pending, or no longer the latest. */
  end(id: string, end: InsightsEnd): boolean
}

type Stored = Omit<InsightsRow, 'document' | 'retryable'> & { document: string | null; retryable: 0 | 1 }

export function createInsightsRows(database: Database): InsightsRows {
  const one = (condition: string, values: Record<string, string>) => {
    const row = database.get<Stored>(`SELECT * FROM insights WHERE ${condition}`, values)
    return (
      row && {
        ...row,
        document: fromJson<InsightsDocument>(row.document),
        retryable: row.retryable === 1,
      }
    )
  }
  return {
    get: (scope, waveId) =>
      one('projectId = :projectId AND scope = :scope AND waveId = :waveId', { ...scope, waveId }),
    latest: scope =>
      one('projectId = :projectId AND scope = :scope ORDER BY waveId DESC LIMIT 1', { ...scope }),
    put(row) {
      const { projectId, scope, waveId } = row
      database.run(
        'DELETE FROM insights WHERE projectId = :projectId AND scope = :scope AND waveId = :waveId',
        { projectId, scope, waveId },
      )
      const values = { ...row, document: toJson(row.document) }
      database.run(insertInto('insights', Object.keys(values)), values)
    },
    setDiscovery: (id, discovery, at) =>
      void database.run(
        `UPDATE insights SET document = json_set(document, '$.discovery', json(:discovery)), updatedAt = :at
         WHERE id = :id AND status = 'completed'`,
        { id, discovery: JSON.stringify(discovery), at },
      ),
    end(id, { document, ...end }) {
      const values = { ...end, ...(document && { document: toJson(document) }) }
      return (
        database.run(
          `UPDATE insights SET ${assignments(Object.keys(values))} WHERE id = :id AND status = 'pending'`,
          { ...values, id },
        ) > 0
      )
    },
  }
}
