import type { EvalIteration } from '../../../api/contract/iterations.ts'
import { isTerminalRunStatus, type EvalRun } from '../../../api/contract/runs.ts'
import { amountOf } from '../../../domain/runs/amount.ts'
import { countCauses, type CauseCount } from '../../../domain/runs/causes.ts'
import { reportedTrials } from '../../../domain/runs/counts.ts'
import { distributionOf, type Distribution } from '../../../domain/runs/distribution.ts'
import { countTrials, type TrialCounts } from '../../../domain/runs/trials.ts'

/** What a run's trials say together. */
export type TrialFacts = {
  /** How many trials were read; a run in flight may tell the counts of all. */
  loaded: number
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
}

/**
 * One pass over the trials, to be taken once for each change of them.
 * @param run its own counts go before those of the trials while it is in flight, because of a long one few trials are
 *   read at a time
 */
export function factsOf(trials: readonly EvalIteration[], run?: EvalRun): TrialFacts {
  const durations: number[] = []
  const tokens: number[] = []
  const models = new Set<string>()
  let tokensUntold = 0
  for (const { durationMs, tokensUsed, model } of trials) {
    const [took, used] = [amountOf(durationMs), amountOf(tokensUsed)]
    if (took !== undefined) durations.push(took)
    if (used !== undefined) tokens.push(used)
    else if (model && durationMs != null) tokensUntold += 1
    if (model) models.add(model)
  }
  return {
    loaded: trials.length,
    counts: countsOf(trials, run),
    causes: countCauses(trials),
    latency: distributionOf(durations),
    tokens: distributionOf(tokens),
    tokensUsed: tokens.length === 0 ? undefined : tokens.reduce((sum, each) => sum + each, 0),
    tokensUntold,
    models: [...models],
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
