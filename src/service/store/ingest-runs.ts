import type { CaseSnapshot } from '../evals/types.ts'
import type { Database } from '../core/database/database.ts'

/** A run that another program executes and reports. */
export type IngestRunRow = {
  runId: string
  projectId: string
  /** The program's own id, under which a repeat finds the run. */
  externalRunId: string | null
  /** Whether the run's cases are written into its suite. */
  writesCases: boolean
  /** When the program was last heard of. */
  heardAt: number
}

export type IngestRunRows = {
  get(runId: string): IngestRunRow | undefined
  findExternal(projectId: string, externalRunId: string): IngestRunRow | undefined
  insert(row: IngestRunRow): void
  hear(runId: string, at: number): void
  /** Runs in flight of which nothing was heard since. */
  silentSince(at: number): IngestRunRow[]
  /** Adds a case behind those that the run has. */
  appendCase(runId: string, position: number, snapshot: CaseSnapshot): void
  /** Notes the program's own id of an iteration; false when the run has it already. */
  insertIteration(runId: string, externalId: string): boolean
}

export function createIngestRunRows(database: Database): IngestRunRows {
  const list = (sql: string, values: Record<string, string | number>) =>
    database
      .all<Omit<IngestRunRow, 'writesCases'> & { writesCases: number }>(sql, values)
      .map((row): IngestRunRow => ({ ...row, writesCases: row.writesCases === 1 }))
  return {
    get: runId => list('SELECT * FROM ingestRun WHERE runId = :runId', { runId })[0],
    findExternal: (projectId, externalRunId) =>
      list('SELECT * FROM ingestRun WHERE projectId = :projectId AND externalRunId = :externalRunId', {
        projectId,
        externalRunId,
      })[0],
    insert: row =>
      void database.run(
        `INSERT INTO ingestRun (runId, projectId, externalRunId, writesCases, heardAt)
         VALUES (:runId, :projectId, :externalRunId, :writesCases, :heardAt)`,
        row,
      ),
    hear: (runId, at) =>
      void database.run('UPDATE ingestRun SET heardAt = :at WHERE runId = :runId', { runId, at }),
    silentSince: at =>
      list(
        `SELECT ingestRun.* FROM ingestRun JOIN run ON run.id = runId
         WHERE heardAt < :at AND status IN ('pending', 'running') ORDER BY heardAt`,
        { at },
      ),
    appendCase: (runId, position, snapshot) =>
      void database.run(
        'INSERT INTO runCase (runId, position, snapshot) VALUES (:runId, :position, :snapshot)',
        { runId, position, snapshot: JSON.stringify(snapshot) },
      ),
    insertIteration: (runId, externalId) =>
      database.run(
        `INSERT INTO ingestIteration (runId, externalId) VALUES (:runId, :externalId)
         ON CONFLICT DO NOTHING`,
        { runId, externalId },
      ) > 0,
  }
}
