import { isTerminalRunStatus, RERUN_REASONS, type RerunPreview } from '../../api/contract/runs.ts'
import type { TrialClass } from '../../domain/runs/trial-classes.ts'

/** The run whose failed cases are to be run again. Its cases are in their order in the run. */
export type RerunSource = {
  runId: string
  suiteId: string
  status: string
  cases: readonly { caseId: string; trials: readonly TrialClass[] }[]
}

/**
 * Returns what a rerun with `scope: failed_cases` would execute (contract: "Rerun preview"): every case with a trial
 * that has not passed. `reasons` and `excluded` count trials.
 */
export function previewRerun(source: RerunSource): RerunPreview {
  const selected = source.cases.filter(({ trials }) => trials.some(qualifies))
  const sourceTerminal = isTerminalRunStatus(source.status)
  const trials = source.cases.flatMap(entry => entry.trials)
  return {
    runId: source.runId,
    suiteId: source.suiteId,
    scope: 'failed_cases',
    sourceStatus: source.status,
    sourceTerminal,
    totalCaseCount: source.cases.length,
    selectedCaseCount: selected.length,
    selectedCaseIds: selected.map(({ caseId }) => caseId),
    reasons: tally(trials.filter(qualifies)),
    excluded: tally(trials.filter(trial => !qualifies(trial))),
    rerunnable: sourceTerminal && selected.length > 0,
  }
}

function qualifies(trial: TrialClass): boolean {
  return (RERUN_REASONS as readonly string[]).includes(trial)
}

function tally(trials: readonly TrialClass[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const trial of trials) counts[trial] = (counts[trial] ?? 0) + 1
  return counts
}
