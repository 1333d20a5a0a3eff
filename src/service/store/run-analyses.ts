import { parseStored } from '../../lib/json-depth.ts'
import type { Database } from '../core/database/database.ts'

/** What a model found out about a run after its end. */
export type RunAnalysisKind = 'goalCompletion' | 'insights'
type RunAnalysisStatus = 'pending' | 'completed' | 'failed'
export type RunAnalysis<T> = { status: RunAnalysisStatus; document: T }

/** One analysis of a kind for each run; its document is the kind's own. */
export type RunAnalysisRows = {
  /** `T` states the document of the kind; undefined when it was never asked for. */
  get<T>(runId: string, kind: RunAnalysisKind): RunAnalysis<T> | undefined
  /** Begins an analysis in place of an earlier one. */
  begin(runId: string, kind: RunAnalysisKind, document: unknown): void
  /** pending → its end; false when it had ended already, or its run is gone. */
  end(
    runId: string,
    kind: RunAnalysisKind,
    status: Exclude<RunAnalysisStatus, 'pending'>,
    document: unknown,
  ): boolean
}

export function createRunAnalysisRows(database: Database): RunAnalysisRows {
  return {
    get<T>(runId: string, kind: RunAnalysisKind) {
      const row = database.get<{ status: RunAnalysisStatus; document: string }>(
        'SELECT status, document FROM runAnalysis WHERE runId = :runId AND kind = :kind',
        { runId, kind },
      )
      return row && { status: row.status, document: parseStored(row.document) as T }
    },
    begin(runId, kind, document) {
      database.run(
        `INSERT INTO runAnalysis (runId, kind, status, document) VALUES (:runId, :kind, 'pending', :document)
         ON CONFLICT (runId, kind) DO UPDATE SET status = 'pending', document = :document`,
        { runId, kind, document: JSON.stringify(document) },
      )
    },
    end: (runId, kind, status, document) =>
      database.run(
        `UPDATE runAnalysis SET status = :status, document = :document
         WHERE runId = :runId AND kind = :kind AND status = 'pending'`,
        { runId, kind, status, document: JSON.stringify(document) },
      ) > 0,
  }
}
