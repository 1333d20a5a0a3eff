import type { Observations, Verdict } from './types.ts'
import { fromJson, type Database } from '../../lib/sqlite.ts'
import type { Sealer } from '../core/database/sealer.ts'
import { boolean, json, tableOf, url } from '../core/database/table.ts'

export type ReadinessRow = {
  id: string
  projectId: string
  /** Id of the server, which may have been deleted. */
  serverId: string
  /** The server's address when the run was started. */
  serverUrl: string
  kind: 'claude' | 'openai'
  /** Set only for a run for OpenAI's directory. */
  submissionMode: 'mcp-only' | 'mcp-imported-skills' | null
  idempotencyKey: string | null
  includeObservations: boolean
  authMode: 'headless' | 'provided-token'
  status: 'pending' | 'running' | 'completed' | 'failed' | 'cancelled'
  observations: Observations
  /** Set once the run is completed. */
  verdict?: Verdict
  terminalReason: string | null
  errorMessage: string | null
  createdAt: number
  updatedAt: number
}

export type ReadinessFilter = { kind?: string | undefined; serverId?: string | undefined }

export function createReadinessRows(database: Database, sealer: Sealer) {
  const runs = tableOf<ReadinessRow>(database, 'readinessRun', {
    kinds: {
      serverUrl: url(sealer, 'readinessRun'),
      includeObservations: boolean(),
      observations: json(),
      verdict: json(),
    },
  })
  return {
    ...runs.basics,
    find: (id: string) => runs.one({ id }),
    findByKey: (
      { projectId, serverId, kind }: Pick<ReadinessRow, 'projectId' | 'serverId' | 'kind'>,
      idempotencyKey: string,
    ) => runs.one({ projectId, serverId, kind, idempotencyKey }),
    list: (projectId: string, { kind, serverId }: ReadinessFilter) =>
      runs.all(
        { projectId },
        `AND kind = coalesce(:kind, kind) AND serverId = coalesce(:serverId, serverId) ORDER BY position DESC`,
        { kind, serverId },
      ),
    report(runId: string) {
      const row = database.get<{ report: string }>('SELECT report FROM readinessReport WHERE runId = :runId', { runId })
      return fromJson<Record<string, unknown>>(row?.report ?? null)
    },
    insertReport(runId: string, report: Record<string, unknown>) {
      database.run('INSERT INTO readinessReport (runId, report) VALUES (:runId, :report)', {
        runId,
        report: JSON.stringify(report),
      })
    },
  }
}
