import { latestTexts } from '../../lib/once-for.ts'
import { toIteration, type TrialRow } from '../evals/iteration.ts'
import { inVocabulary, type EvalVocabulary } from '../core/vocabulary.ts'
import type { Store } from '../core/database/store.ts'
import type { PagedTrial } from '../runs/trial-rows.ts'

/** Which trials of a run: so many behind a position, as the page before this one ended, or -1. */
type Place = { runId: string; after: number; limit: number }

/**
 * Pages of a run's trials as they are answered. A trial that has ended by itself never changes, nor does the case that
 * it executed, and trials are added at a run's end only: the text of each is kept, because whoever follows a run reads
 * the same trials with every poll, and that of a whole page once all of it has ended and another page follows.
 * @param most characters of all texts that are kept
 * @param cursorAt the cursor of what comes behind a position
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
    // One more than requested shows whether there is a next page.
    const found = store.trials.page(runId, after, limit + 1)
    const shown = found.slice(0, limit)
    const last = found.length > limit ? shown.at(-1) : undefined
    const nameOf = ({ id }: { id: string }) => `${vocabulary}/${id}`
    const known = shown.map(trial => kept.get(nameOf(trial)))
    const unknown = shown.filter((_, index) => known[index] === undefined)
    const outcomes = store.trials.outcomes(unknown.map(({ id }) => id))
    for (const trial of unknown) trial.outcome = outcomes.get(trial.id)
    // What a write has done so far may still be taken back.
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

/** Trials with the snapshots they executed; neighbours share most of them. */
export function withCases(store: Pick<Store, 'runs'>, runId: string, trials: readonly PagedTrial[]): TrialRow[] {
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
