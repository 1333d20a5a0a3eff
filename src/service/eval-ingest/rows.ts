import type { CaseSnapshot } from '../evals/types.ts'
import type { Database } from '../../lib/sqlite.ts'
import { boolean, tableOf } from '../core/database/table.ts'

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

export function createIngestRunRows(database: Database) {
  const runs = tableOf<IngestRunRow>(database, 'ingestRun', { key: 'runId', kinds: { writesCases: boolean() } })
  return {
    get: (runId: string) => runs.one({ runId }),
    findExternal: (projectId: string, externalRunId: string) => runs.one({ projectId, externalRunId }),
    insert: runs.basics.insert,
    hear: (runId: string, heardAt: number) => runs.change({ runId }, { heardAt }),
    /** Runs in flight of which nothing was heard since. */
    silentSince: (at: number) =>
      runs.all(
        {},
        `AND heardAt < :at AND runId IN (SELECT id FROM run WHERE status IN ('pending', 'running')) ORDER BY heardAt`,
        { at },
      ),
    /** Adds a case behind those that the run has. */
    appendCase: (runId: string, position: number, snapshot: CaseSnapshot) =>
      void database.run('INSERT INTO runCase (runId, position, snapshot) VALUES (:runId, :position, :snapshot)', {
        runId,
        position,
        snapshot: JSON.stringify(snapshot),
      }),
    /** Notes the program's own id of an iteration; false when the run has it already. */
    insertIteration: (runId: string, externalId: string) =>
      database.run(
        `INSERT INTO ingestIteration (runId, externalId) VALUES (:runId, :externalId)
         ON CONFLICT DO NOTHING`,
        { runId, externalId },
      ) > 0,
  }
}
