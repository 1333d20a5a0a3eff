import { parseStored } from '../../lib/json-depth.ts'
import { fromJson, toJson, type Database } from '../core/database/database.ts'

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

export type ConformanceRunRows = {
  get(projectId: string, id: string): ConformanceRunRow | undefined
  findExternal(projectId: string, externalRunId: string): ConformanceRunRow | undefined
  insert(row: ConformanceRunRow): void
  hear(id: string, at: number): void
  /** Open runs of which nothing was heard since. */
  silentSince(at: number): ConformanceRunRow[]
  end(id: string, ending: Pick<ConformanceRunRow, 'status' | 'outcome' | 'counts' | 'endedAt'>): void
  /** In the order in which they came, without their documents. */
  reports(runId: string): Omit<ConformanceReportRow, 'report'>[]
  insertReport(row: ConformanceReportRow): void
}

type Stored = Omit<ConformanceRunRow, 'requestedSuites' | 'origin' | 'counts'> & {
  requestedSuites: string
  origin: string
  counts: string | null
}

export function createConformanceRunRows(database: Database): ConformanceRunRows {
  const list = (sql: string, values: Record<string, string | number>) =>
    database.all<Stored>(sql, values).map(read)
  return {
    get: (projectId, id) =>
      list('SELECT * FROM conformanceRun WHERE id = :id AND projectId = :projectId', { id, projectId })[0],
    findExternal: (projectId, externalRunId) =>
      list('SELECT * FROM conformanceRun WHERE projectId = :projectId AND externalRunId = :externalRunId', {
        projectId,
        externalRunId,
      })[0],
    insert: ({ requestedSuites, origin, counts, ...row }) =>
      void database.run(
        `INSERT INTO conformanceRun
         VALUES (:id, :projectId, :externalRunId, :requestedSuites, :origin, :status, :outcome, :counts,
                 :startedAt, :heardAt, :endedAt)`,
        {
          ...row,
          requestedSuites: JSON.stringify(requestedSuites),
          origin: JSON.stringify(origin),
          counts: toJson(counts ?? undefined),
        },
      ),
    hear: (id, at) => void database.run('UPDATE conformanceRun SET heardAt = :at WHERE id = :id', { id, at }),
    silentSince: at =>
      list(`SELECT * FROM conformanceRun WHERE heardAt < :at AND status = 'running'`, { at }),
    end: (id, { status, outcome, counts, endedAt }) =>
      void database.run(
        `UPDATE conformanceRun SET status = :status, outcome = :outcome, counts = :counts, endedAt = :endedAt
         WHERE id = :id AND status = 'running'`,
        { id, status, outcome, counts: toJson(counts ?? undefined), endedAt },
      ),
    reports: runId =>
      database
        .all<Omit<ConformanceReportRow, 'report' | 'counts'> & { counts: string }>(
          `SELECT runId, suiteKind, contentHash, counts, createdAt FROM conformanceReport
           WHERE runId = :runId ORDER BY rowid`,
          { runId },
        )
        .map(row => ({ ...row, counts: parseStored(row.counts) as ConformanceCounts })),
    insertReport: ({ counts, report, ...row }) =>
      void database.run(
        `INSERT INTO conformanceReport (runId, suiteKind, contentHash, counts, report, createdAt)
         VALUES (:runId, :suiteKind, :contentHash, :counts, :report, :createdAt)`,
        { ...row, counts: JSON.stringify(counts), report: JSON.stringify(report) },
      ),
  }
}

function read(stored: Stored): ConformanceRunRow {
  return {
    ...stored,
    requestedSuites: parseStored(stored.requestedSuites) as string[],
    origin: parseStored(stored.origin) as Record<string, unknown>,
    counts: fromJson<ConformanceCounts>(stored.counts) ?? null,
  }
}
