import { parseStored } from '../../lib/json-depth.ts'
import type { Observations, Verdict } from '../readiness/types.ts'
import { assignments, fromJson, insertInto, toJson, type Database } from '../core/database/database.ts'
import { urlPlace, type Sealer } from '../core/database/sealer.ts'

export type ReadinessRow = {
  id: string
  projectId: string
  /** Its server may be gone. */
  serverId: string
  /** As it was saved when the run was started. */
  serverUrl: string
  kind: 'claude' | 'openai'
  /** Of an OpenAI run. */
  submissionMode: 'mcp-only' | 'mcp-imported-skills' | null
  idempotencyKey: string | null
  includeObservations: boolean
  authMode: 'headless' | 'provided-token'
  status: 'pending' | 'running' | 'completed' | 'failed' | 'cancelled'
  observations: Observations
  /** Present once the run is completed. */
  verdict?: Verdict
  terminalReason: string | null
  errorMessage: string | null
  createdAt: number
  updatedAt: number
}

export type ReadinessFilter = { kind?: string | undefined; serverId?: string | undefined }

export type ReadinessRows = {
  get(projectId: string, id: string): ReadinessRow | undefined
  /** In whatever project it is. */
  find(id: string): ReadinessRow | undefined
  findByKey(row: Pick<ReadinessRow, 'projectId' | 'serverId' | 'kind'>, key: string): ReadinessRow | undefined
  /** Latest first. */
  list(projectId: string, filter: ReadinessFilter): ReadinessRow[]
  insert(row: ReadinessRow): void
  update(row: ReadinessRow): void
  report(runId: string): Record<string, unknown> | undefined
  insertReport(runId: string, report: Record<string, unknown>): void
}

type StoredRun = Omit<ReadinessRow, 'includeObservations' | 'observations' | 'verdict'> & {
  includeObservations: number
  observations: string
  verdict: string | null
}

export function createReadinessRows(database: Database, sealer: Sealer): ReadinessRows {
  const read = (row: StoredRun): ReadinessRow => ({
    ...row,
    serverUrl: sealer.openUrl(row.serverUrl, urlPlace('readinessRun', row.id)),
    includeObservations: row.includeObservations === 1,
    observations: parseStored(row.observations) as Observations,
    verdict: fromJson<Verdict>(row.verdict),
  })
  const one = (row: StoredRun | undefined) => row && read(row)
  const stored = (row: ReadinessRow) => ({
    ...row,
    serverUrl: sealer.sealUrl(row.serverUrl, urlPlace('readinessRun', row.id)),
    observations: JSON.stringify(row.observations),
    verdict: toJson(row.verdict),
  })
  return {
    get: (projectId, id) =>
      one(
        database.get('SELECT * FROM readinessRun WHERE id = :id AND projectId = :projectId', {
          id,
          projectId,
        }),
      ),
    find: id => one(database.get('SELECT * FROM readinessRun WHERE id = :id', { id })),
    findByKey: ({ projectId, serverId, kind }, key) =>
      one(
        database.get(
          `SELECT * FROM readinessRun
           WHERE projectId = :projectId AND serverId = :serverId AND kind = :kind AND idempotencyKey = :key`,
          { projectId, serverId, kind, key },
        ),
      ),
    list: (projectId, { kind, serverId }) =>
      database
        .all<StoredRun>(
          `SELECT * FROM readinessRun
           WHERE projectId = :projectId AND kind = coalesce(:kind, kind) AND serverId = coalesce(:serverId, serverId)
           ORDER BY position DESC`,
          { projectId, kind, serverId },
        )
        .map(read),
    insert(row) {
      const values = stored(row)
      database.run(insertInto('readinessRun', Object.keys(values)), values)
    },
    update(row) {
      const values = stored(row)
      const columns = Object.keys(values).filter(name => name !== 'id')
      database.run(`UPDATE readinessRun SET ${assignments(columns)} WHERE id = :id`, values)
    },
    report: runId =>
      fromJson(
        database.get<{ report: string }>('SELECT report FROM readinessReport WHERE runId = :runId', { runId })
          ?.report ?? null,
      ),
    insertReport(runId, report) {
      database.run('INSERT INTO readinessReport (runId, report) VALUES (:runId, :report)', {
        runId,
        report: JSON.stringify(report),
      })
    },
  }
}
