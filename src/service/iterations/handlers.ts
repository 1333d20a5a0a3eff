import { ServiceError } from '../core/errors.ts'
import { toIteration, toStepRows, type TrialRow } from '../evals/iteration.ts'
import { toTrace } from '../evals/trace.ts'
import { inVocabulary } from '../core/vocabulary.ts'
import { requireRun } from '../runs/records.ts'
import type { Store } from '../core/database/store.ts'
import type { TrialWithOutcome } from '../runs/trial-rows.ts'
import { pageOf } from '../core/list-page.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

const DEFAULT_PAGE = 50

export function iterationHandlers({ store, runs }: ServiceContext): Handlers['iterations'] {
  const look = <T>(work: () => T): T => {
    runs.settleAbandoned()
    return store.read(work)
  }
  return {
    list: ({ project, params, query, vocabulary }) =>
      look(() => {
        const run = requireRun(store, project.id, params.runId)
        const { cursor, limit = DEFAULT_PAGE } = query
        const list = `iterations/${run.id}`
        const after = cursor === undefined ? -1 : store.cursors.read(list, cursor)
        // One more than requested shows whether there is a next page.
        const found = store.trials.page(run.id, after, limit + 1)
        const shown = found.slice(0, limit)
        const last = shown.at(-1)
        const items = withCases(store, run.id, shown).map(row => inVocabulary(vocabulary, toIteration(row)))
        return found.length > limit && last
          ? { items, nextCursor: store.cursors.write(list, last.position) }
          : { items }
      }),
    trace: ({ project, params }) =>
      look(() => {
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
      look(() => {
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
  const run = requireRun(store, projectId, runId)
  const trial = store.trials.get(run.id, iterationId)
  const [row] = trial ? withCases(store, run.id, [trial]) : []
  if (!row) throw new ServiceError('NOT_FOUND', `There is no iteration ${iterationId} in this run.`)
  return row
}

/** Trials with the snapshots they executed; neighbours share most of them. */
function withCases(store: Store, runId: string, trials: readonly TrialWithOutcome[]): TrialRow[] {
  if (trials.length === 0) return []
  const positions = trials.map(({ casePosition }) => casePosition)
  // Trials that other programs report come in any order of their cases.
  const [first, last] = [Math.min(...positions), Math.max(...positions)]
  const cases = store.runs.cases(runId, first, last)
  return trials.flatMap(({ id, iterationNumber, casePosition, status, startedAt, outcome }) => {
    const snapshot = cases[casePosition - first]
    if (!snapshot) return []
    const open = status === 'running' || status === 'cancelled' ? status : 'pending'
    return {
      id,
      iterationNumber,
      case: snapshot,
      status: open,
      ...(startedAt !== null && { startedAt }),
      ...(outcome && { outcome }),
    }
  })
}
