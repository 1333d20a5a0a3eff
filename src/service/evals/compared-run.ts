import { scoresOf, scorersOf, type Score, type Scorer } from './scores.ts'
import type { CaseSnapshot, CheckVerdict, StepVerdict, Transcript, TrialClass } from './types.ts'

/** A trial with what a comparison needs of its outcome. */
export type ComparedTrial = {
  iterationId: string
  caseKey: string
  class: TrialClass
  error?: string | undefined
  /** Empty while the trial has no outcome. */
  steps: readonly StepVerdict[]
  checks: readonly CheckVerdict[]
  usage?: Transcript['usage'] | undefined
}

/** One side of a comparison: a run with the snapshots that it executed. */
export type ComparedRun = {
  id: string
  runNumber: number
  result: 'passed' | 'failed' | null
  /** Epoch milliseconds, as the next. */
  createdAt: number
  completedAt: number | null
  summary: { total: number; passed: number; failed: number; passRate: number | null } | null
  cases: readonly CaseSnapshot[]
  trials: readonly ComparedTrial[]
}

/** A case of one side with its trials and their score rows. */
export type ComparedCaseSide = {
  snapshot: CaseSnapshot
  trials: readonly ComparedTrial[]
  scorers: readonly Scorer[]
  /** The rows of each trial. */
  scores: Score[][]
}

/** The cases of a run by their authored key, in the run's order. */
export function casesByKey(run: ComparedRun): Map<string, ComparedCaseSide> {
  const byKey = Map.groupBy(run.trials, trial => trial.caseKey)
  return new Map(
    run.cases.map(snapshot => {
      const trials = byKey.get(snapshot.caseKey) ?? []
      const scorers = scorersOf(snapshot)
      const scores = trials.map(trial => scoresOf(snapshot, scorers, trial))
      return [snapshot.caseKey, { snapshot, trials, scorers, scores }]
    }),
  )
}
