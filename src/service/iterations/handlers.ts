import { ServiceError } from '../core/errors.ts'
import { toStepRows, type TrialRow } from '../evals/iteration.ts'
import { toTrace } from '../evals/trace.ts'
import { requireRunId } from '../runs/records.ts'
import type { Store } from '../core/database/store.ts'
import { pageOf } from '../core/list-page.ts'
import { JsonText } from '../core/reply.ts'
import { createTrialPages, withCases } from './trial-pages.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

const DEFAULT_PAGE = 50

export function iterationHandlers({ store, runs, keptTexts }: ServiceContext): Handlers['iterations'] {
  const listOf = (runId: string) => `iterations/${runId}`
  const pages = createTrialPages(store, keptTexts, (runId, position) => store.cursors.write(listOf(runId), position))
  return {
    list: ({ project, params, query, vocabulary }) =>
      runs.read(() => {
        const { runId } = params
        requireRunId(store, project.id, runId)
        const { limit = DEFAULT_PAGE, cursor } = query
        const after = cursor === undefined ? -1 : store.cursors.read(listOf(runId), cursor)
        return new JsonText(pages({ runId, after, limit }, vocabulary))
      }),
    trace: ({ project, params }) =>
      runs.read(() => {
        const row = requireTrial(store, project.id, params)
        const { outcome } = row
        if (outcome) {
          const endedAt = outcome.startedAt + outcome.durationMs
          return toTrace({ ...row, outcome }, store.runTools.seenAt(params.runId, endedAt))
        }
        throw new ServiceError('NOT_FOUND', 'This iteration has no trace yet.', {
          details: { reason: 'TRACE_NOT_AVAILABLE' },
        })
      }),
    steps: ({ project, params, query }) =>
      runs.read(() => {
        const rows = toStepRows(requireTrial(store, project.id, params))
        const list = `steps/${params.iterationId}`
        return pageOf(store.cursors, { list, rows, query, keyOf: ({ stepId }) => stepId }, step => step)
      }),
  }
}

function requireTrial(
  store: Store,
  projectId: string,
  { runId, iterationId }: { runId: string; iterationId: string },
): TrialRow {
  requireRunId(store, projectId, runId)
  const trial = store.trials.get(runId, iterationId)
  const [row] = trial ? withCases(store, runId, [trial]) : []
  if (!row) throw new ServiceError('NOT_FOUND', `There is no iteration ${iterationId} in this run.`)
  return row
}
