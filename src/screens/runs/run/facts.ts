import type { EvalIteration } from '../../../api/contract/iterations.ts'
import { isTerminalRunStatus, type EvalRun } from '../../../api/contract/runs.ts'
import { amountOf } from '../../../domain/runs/amount.ts'
import { countCauses, type CauseCount } from '../../../domain/runs/causes.ts'
import { reportedTrials } from '../../../domain/runs/counts.ts'
import { distributionOf, type Distribution } from '../../../domain/runs/distribution.ts'
import { classOfTrial, type TrialClass } from '../../../domain/runs/trial-class.ts'
import { countTrials, uncheckedCases, type TrialCounts } from '../../../domain/runs/trials.ts'

/** Facts about all trials of a run together. */
export type TrialFacts = {
  /** Number of trials read; a run in flight may report the counts of all. */
  loaded: number
  /** The class of each trial, in the order of the run. */
  classes: readonly TrialClass[]
  counts: TrialCounts
  causes: readonly CauseCount[]
  /** Durations of the ended trials in milliseconds. */
  latency: Distribution | undefined
  tokens: Distribution | undefined
  /** Tokens of all trials; undefined while none has reported any. */
  tokensUsed: number | undefined
  /** Number of ended trials that used a model but report no tokens. */
  tokensUntold: number
  models: readonly string[]
  /** Names of cases that passed although nothing checked them. */
  unchecked: readonly string[]
}

/**
 * Computed once for each change of the trials.
 * @param run while it is in flight its own counts override those of the trials, because few trials of a long run are
 * read at a time
 */
export function factsOf(trials: readonly EvalIteration[], run?: EvalRun): TrialFacts {
  const { durations, tokens } = measuresOf(trials)
  const untold = trials.filter(
    ({ durationMs, tokensUsed, model }) => model && durationMs != null && amountOf(tokensUsed) === undefined,
  )
  return {
    loaded: trials.length,
    classes: trials.map(classOfTrial),
    counts: countsOf(trials, run),
    causes: countCauses(trials),
    latency: distributionOf(durations),
    tokens: distributionOf(tokens),
    tokensUsed: tokens.length === 0 ? undefined : tokens.reduce((sum, each) => sum + each, 0),
    tokensUntold: untold.length,
    unchecked: uncheckedCases(trials),
    models: [...new Set(trials.flatMap(({ model }) => model || []))],
  }
}

/** Returns the milliseconds and tokens of trials, if reported. */
export function measuresOf(trials: readonly EvalIteration[]): { durations: number[]; tokens: number[] } {
  return {
    durations: trials.flatMap(({ durationMs }) => amountOf(durationMs) ?? []),
    tokens: trials.flatMap(({ tokensUsed }) => amountOf(tokensUsed) ?? []),
  }
}

/** Returns the number of trials in the run, if the service reports it; fewer may have been read. */
export function plannedTrials({ decisionSummary }: EvalRun): number | undefined {
  const { total } = Object(decisionSummary?.counts?.['trials']) as { total?: unknown }
  return typeof total === 'number' ? total : undefined
}

function countsOf(trials: readonly EvalIteration[], run: EvalRun | undefined): TrialCounts {
  const read = countTrials(trials)
  const told = run && !isTerminalRunStatus(run.status) ? reportedTrials(run) : undefined
  if (!told) return read
  const running = Math.min(read.running, told.pending)
  return { ...told, running, pending: told.pending - running }
}
