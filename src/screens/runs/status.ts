import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { outcomeOfRun, type RunOutcome } from '../../api/runs/outcome.ts'
import type { Symbols, Tone } from '../../app/theme/theme.ts'

export type Look = {
  symbol: keyof Pick<Symbols, 'ok' | 'error' | 'warn' | 'live' | 'pending' | 'cancelled'>
  tone: Tone
  word: string
}

const LOOKS: Record<Exclude<RunOutcome, 'in-flight'>, Look> = {
  passed: { symbol: 'ok', tone: 'ok', word: 'passed' },
  failed: { symbol: 'error', tone: 'error', word: 'failed' },
  undecided: { symbol: 'warn', tone: 'warn', word: 'undecided' },
  cancelled: { symbol: 'cancelled', tone: 'muted', word: 'cancelled' },
  broken: { symbol: 'error', tone: 'error', word: 'broken' },
}

/**
 * A run's state for reading. Status and verdict stay two things, and an unknown status counts as in flight and shows
 * as it is.
 */
export function runLook(run: Pick<EvalRun, 'status' | 'result' | 'decisionSummary'>): Look {
  const outcome = outcomeOfRun(run)
  if (outcome === 'in-flight')
    return { symbol: run.status === 'pending' ? 'pending' : 'live', tone: 'live', word: run.status }
  // A status that ended without a name of ours speaks for itself.
  if (outcome === 'broken' && run.status !== 'failed') return { ...LOOKS.broken, word: run.status }
  return LOOKS[outcome]
}

/** A trial's state for reading; without a verdict it was not graded, which is no failure of the case. */
export function trialLook(trial: Pick<EvalIteration, 'status' | 'result'>): Look {
  if (trial.status === 'pending') return { symbol: 'pending', tone: 'muted', word: 'pending' }
  if (trial.status === 'running') return { symbol: 'live', tone: 'live', word: 'running' }
  if (trial.status === 'cancelled') return { symbol: 'cancelled', tone: 'muted', word: 'cancelled' }
  if (trial.result === 'passed') return { symbol: 'ok', tone: 'ok', word: 'passed' }
  if (trial.result === 'failed') return { symbol: 'error', tone: 'error', word: 'failed' }
  if (trial.status === 'completed') return { symbol: 'warn', tone: 'warn', word: 'ungraded' }
  return { symbol: 'warn', tone: 'warn', word: trial.status === 'failed' ? 'not run' : trial.status }
}

const URGENCY: readonly Look['symbol'][] = ['error', 'warn', 'live', 'pending', 'cancelled', 'ok']

/** Trials in the order in which they deserve a look: failing first, passed last. */
export function byUrgency(trials: readonly EvalIteration[]): EvalIteration[] {
  const bySymbol = Object.groupBy(trials, trial => trialLook(trial).symbol)
  return URGENCY.flatMap(symbol => bySymbol[symbol] ?? [])
}
