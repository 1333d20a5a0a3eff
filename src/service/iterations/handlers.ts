import { ServiceError } from '../core/errors.ts'
import { toStepRows, type TrialRow, toIteration } from '../evals/iteration.ts'
import { toTrace } from '../evals/trace.ts'
import { requireRunId } from '../runs/records.ts'
import type { Store } from '../core/database/store.ts'
import { pageOf } from '../core/list-page.ts'
import { JsonText } from '../core/reply.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import { latestTexts } from '../../lib/once-for.ts'
import { inVocabulary, type EvalVocabulary } from '../core/vocabulary.ts'
import type { PagedTrial } from '../runs/trial-rows.ts'

const DEFAULT_PAGE = 50

export function iterationHandlers({ store, runs, cachedTextChars }: ServiceContext): Handlers['iterations'] {
  const listOf = (runId: string) => `iterations/${runId}`
  const pages = createTrialPages(store, cachedTextChars, (runId, position) =>
    store.cursors.write(listOf(runId), position),
  )
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

/**
 * Where a page of a run's trials begins: after the last position of the previous page, or -1; `limit` is its length.
 */
type Place = { runId: string; after: number; limit: number }

/**
 * Returns pages of a run's trials in the format of answers. Ended trials never change, so their texts are
 * cached. A whole page is cached if all its trials have ended and another page follows.
 * @param most maximum number of characters of all cached texts
 * @param cursorAt returns the cursor of a position
 */
export function createTrialPages(
  store: Pick<Store, 'trials' | 'runs' | 'state'>,
  most: number,
  cursorAt: (runId: string, position: number) => string,
) {
  const kept = latestTexts(most)
  return ({ runId, after, limit }: Place, vocabulary: EvalVocabulary): string => {
    const pageName = `${vocabulary}/${runId}/${after}/${limit}`
    const page = kept.get(pageName)
    if (page !== undefined) return page
    // One trial more than requested shows whether there is another page.
    const found = store.trials.page(runId, after, limit + 1)
    const shown = found.slice(0, limit)
    const last = found.length > limit ? shown.at(-1) : undefined
    const nameOf = ({ id }: { id: string }) => `${vocabulary}/${id}`
    const known = shown.map(trial => kept.get(nameOf(trial)))
    const unknown = shown.filter((_, index) => known[index] === undefined)
    const outcomes = store.trials.outcomes(unknown.map(({ id }) => id))
    for (const trial of unknown) trial.outcome = outcomes.get(trial.id)
    // Uncommitted changes are not cached, since they may be rolled back.
    const isCommitted = store.state() !== undefined
    const made = new Map<string, string>()
    for (const row of withCases(store, runId, unknown)) {
      const text = JSON.stringify(inVocabulary(vocabulary, toIteration(row)))
      made.set(row.id, text)
      if (row.outcome && isCommitted) kept.add(nameOf(row), text)
    }
    const items = shown.flatMap(({ id }, index) => known[index] ?? made.get(id) ?? []).join(',')
    const cursor = last && `,"nextCursor":${JSON.stringify(cursorAt(runId, last.position))}`
    const text = `{"items":[${items}]${cursor ?? ''}}`
    if (last && isCommitted && outcomes.size === unknown.length) kept.add(pageName, text, shown.map(nameOf))
    return text
  }
}

/** Returns trials with the snapshots that they executed. Trials that follow each other often share one. */
export function withCases(store: Pick<Store, 'runs'>, runId: string, trials: readonly PagedTrial[]): TrialRow[] {
  if (trials.length === 0) return []
  const positions = trials.map(({ casePosition }) => casePosition)
  // Trials of other programs may not be in the order of their cases.
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
