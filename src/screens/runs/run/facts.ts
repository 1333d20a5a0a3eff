import type { EvalIteration } from '../../../api/contract/iterations.ts'
import { isTerminalRunStatus, type EvalRun } from '../../../api/contract/runs.ts'
import { amountOf } from '../../../domain/runs/amount.ts'
import { countCauses, type CauseCount } from '../../../domain/runs/causes.ts'
import { reportedTrials } from '../../../domain/runs/counts.ts'
import { distributionOf, type Distribution } from '../../../domain/runs/distribution.ts'
import { classOfTrial, type TrialClass } from '../../../domain/runs/trial-class.ts'
import { countTrials, uncheckedCases, type TrialCounts } from '../../../domain/runs/trials.ts'

/** What a run's trials say together. */
export type TrialFacts = {
  /** How many trials were read; a run in flight may tell the counts of all. */
  loaded: number
  /** What became of each, in the order of the run. */
  classes: readonly TrialClass[]
  counts: TrialCounts
  causes: readonly CauseCount[]
  /** Milliseconds of the trials that ended. */
  latency: Distribution | undefined
  tokens: Distribution | undefined
  /** Tokens of all trials; undefined while none reported any. */
  tokensUsed: number | undefined
  /** Ended trials that a model took part in and that tell no tokens. */
  tokensUntold: number
  models: readonly string[]
  /** Names of cases that passed though nothing checked them. */
  unchecked: readonly string[]
}

/**
 * To be taken once for each change of the trials.
 * @param run its own counts go before those of the trials while it is in flight, because of a long one few trials are
 *   read at a time
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

/** Milliseconds and tokens of trials, where they are reported. */
export function measuresOf(trials: readonly EvalIteration[]): { durations: number[]; tokens: number[] } {
  return {
    durations: trials.flatMap(({ durationMs }) => amountOf(durationMs) ?? []),
    tokens: trials.flatMap(({ tokensUsed }) => amountOf(tokensUsed) ?? []),
  }
}

/** How many trials the run has, where the service reports it; what is loaded may be less. */
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
