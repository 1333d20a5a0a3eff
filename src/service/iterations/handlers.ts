import { ServiceError } from '../core/errors.ts'
import { toStepRows, type TrialRow } from '../evals/iteration.ts'
import { toTrace } from '../evals/trace.ts'
import { requireRunId } from '../runs/records.ts'
import type { Store } from '../core/database/store.ts'
import { pageOf } from '../core/list-page.ts'
import { JsonText } from '../core/reply.ts'
import { createTrialTexts, withCases } from './trial-texts.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

const DEFAULT_PAGE = 50

export function iterationHandlers({ store, runs, keptTrials }: ServiceContext): Handlers['iterations'] {
  const texts = createTrialTexts(store, keptTrials)
  return {
    list: ({ project, params, query, vocabulary }) =>
      runs.read(() => {
        const { runId } = params
        requireRunId(store, project.id, runId)
        const { limit = DEFAULT_PAGE } = query
        const list = `iterations/${runId}`
        const after = query.cursor === undefined ? -1 : store.cursors.read(list, query.cursor)
        // One more than requested shows whether there is a next page.
        const found = store.trials.page(runId, after, limit + 1)
        const shown = found.slice(0, limit)
        const last = shown.at(-1)
        const items = texts(runId, shown, vocabulary).join(',')
        const more = found.length > limit && last
        const cursor = more ? `,"nextCursor":${JSON.stringify(store.cursors.write(list, last.position))}` : ''
        return new JsonText(`{"items":[${items}]${cursor}}`)
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
        const items = toStepRows(requireTrial(store, project.id, params))
        const list = `steps/${params.iterationId}`
        return pageOf(store.cursors, { list, items, query, keyOf: ({ stepId }) => stepId })
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
