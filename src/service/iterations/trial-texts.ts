import { latestTexts } from '../../lib/once-for.ts'
import { toIteration, type TrialRow } from '../evals/iteration.ts'
import { inVocabulary, type EvalVocabulary } from '../core/vocabulary.ts'
import type { Store } from '../core/database/store.ts'
import type { PagedTrial } from '../runs/trial-rows.ts'

/**
 * Trials as their pages write them. What has ended by itself never changes, nor does the case that it executed: its
 * text is kept, because whoever follows a run reads the same trials with every poll.
 * @param most characters of all texts that are kept
 */
export function createTrialTexts(store: Pick<Store, 'trials' | 'runs' | 'state'>, most: number) {
  const kept = latestTexts(most)
  return (runId: string, trials: readonly PagedTrial[], vocabulary: EvalVocabulary): string[] => {
    const nameOf = ({ id }: { id: string }) => `${vocabulary}/${id}`
    const known = trials.map(trial => kept.get(nameOf(trial)))
    const unknown = trials.filter((_, index) => known[index] === undefined)
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
    return trials.flatMap(({ id }, index) => known[index] ?? made.get(id) ?? [])
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
