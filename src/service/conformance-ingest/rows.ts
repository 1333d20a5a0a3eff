import { parseStored } from '../../lib/json.ts'
import type { Database } from '../../lib/sqlite.ts'
import { json, tableOf } from '../core/database/table.ts'

/** How often each verdict occurs among the checks of a report. */
export type ConformanceCounts = {
  passed: number
  failed: number
  /** Checks that should have run and did not. */
  couldNotRun: number
  notApplicable: number
}

export type ConformanceOutcome = 'passed' | 'failed' | 'incomplete'

export type ConformanceRunRow = {
  id: string
  projectId: string
  /** The program's own id, under which a repeat finds the run. */
  externalRunId: string | null
  requestedSuites: string[]
  /** What the program says about itself and its target, as it came. */
  origin: Record<string, unknown>
  /** `abandoned` = the program fell silent before it finalized the run. */
  status: 'running' | 'completed' | 'abandoned'
  outcome: ConformanceOutcome | null
  counts: ConformanceCounts | null
  startedAt: number
  heardAt: number
  endedAt: number | null
}

export type ConformanceReportRow = {
  runId: string
  suiteKind: string
  contentHash: string
  counts: ConformanceCounts
  report: Record<string, unknown>
  createdAt: number
}

export function createConformanceRunRows(database: Database) {
  const runs = tableOf<ConformanceRunRow>(database, 'conformanceRun', {
    kinds: { requestedSuites: json(), origin: json(), counts: json(null) },
  })
  const reports = tableOf<ConformanceReportRow>(database, 'conformanceReport', {
    key: 'runId',
    kinds: { counts: json(), report: json() },
  })
  const { get, require, insert } = runs.basics
  return {
    get,
    require,
    findExternal: (projectId: string, externalRunId: string) => runs.one({ projectId, externalRunId }),
    insert,
    hear: (id: string, heardAt: number) => runs.change({ id }, { heardAt }),
    /** Open runs of which nothing was heard since. */
    silentSince: (at: number) => runs.all({ status: 'running' }, 'AND heardAt < :at', { at }),
    end: (id: string, ending: Pick<ConformanceRunRow, 'status' | 'outcome' | 'counts' | 'endedAt'>) =>
      runs.change({ id, status: 'running' }, ending),
    /** In the order in which they came, without their documents. */
    reports: (runId: string): Omit<ConformanceReportRow, 'report'>[] =>
      database
        .all<Omit<ConformanceReportRow, 'report' | 'counts'> & { counts: string }>(
          `SELECT runId, suiteKind, contentHash, counts, createdAt FROM conformanceReport
           WHERE runId = :runId ORDER BY rowid`,
          { runId },
        )
        .map(row => ({ ...row, counts: parseStored(row.counts) as ConformanceCounts })),
    insertReport: reports.basics.insert,
  }
}
