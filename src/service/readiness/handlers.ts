import { redactedUrl } from '../core/urls.ts'
import { ServiceError } from '../core/errors.ts'
import type { ServiceContext, Handlers } from '../core/context.ts'
import { pageOf } from '../core/list-page.ts'
import { createReadinessRuns, toReadinessRun, DEFAULT_LIMIT } from './runs.ts'

export function readinessHandlers(context: ServiceContext): Handlers['readiness'] {
  const { store } = context
  const runs = createReadinessRuns(context)
  return {
    startClaude: ({ params, body = {} }) => runs.start({ ...params, ...body, kind: 'claude' }),
    startOpenAI: ({ params, body }) => runs.start({ ...params, ...body, kind: 'openai' }),
    list: ({ project, query: { readinessKind, serverId, cursor, limit = DEFAULT_LIMIT } }) =>
      store.read(() => {
        const list = `readiness/${JSON.stringify([project.id, readinessKind, serverId])}`
        const rows = store.readinessRuns.list(project.id, { kind: readinessKind, serverId })
        return pageOf(store.cursors, { list, rows, query: { cursor, limit } }, row => toReadinessRun(context, row))
      }),
    get: ({ project, params }) =>
      toReadinessRun(context, context.store.readinessRuns.require(project.id, params.runId)),
    cancel({ project, params }) {
      const { id, projectId, status } = runs.cancel(project.id, params.runId)
      return { runId: id, projectId, status }
    },
    report({ project, params }) {
      const row = context.store.readinessRuns.require(project.id, params.runId)
      const report = store.readinessRuns.report(row.id)
      if (!report) throw new ServiceError('NOT_FOUND', `The readiness run has no report: it is ${row.status}.`)
      // Older reports hold the address as it was saved.
      return { ...report, serverUrl: redactedUrl(row.serverUrl) }
    },
  }
}
