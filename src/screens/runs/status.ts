import type { EvalIteration } from '../../api/contract/iterations.ts'
import { isTerminalRunStatus, type EvalRun } from '../../api/contract/runs.ts'
import type { Symbols, Tone } from '../../app/theme/theme.ts'

export type Look = {
  symbol: keyof Pick<Symbols, 'ok' | 'error' | 'warn' | 'live' | 'pending' | 'cancelled'>
  tone: Tone
  word: string
}

/**
 * A run's state for reading. Status and verdict stay two things: a completed run without a verdict is
 * undecided, and an unknown status counts as in flight and shows as it is.
 */
export function runLook(run: Pick<EvalRun, 'status' | 'result'>): Look {
  if (run.status === 'pending') return { symbol: 'pending', tone: 'live', word: 'pending' }
  if (!isTerminalRunStatus(run.status)) return { symbol: 'live', tone: 'live', word: run.status }
  if (run.status === 'cancelled') return { symbol: 'cancelled', tone: 'muted', word: 'cancelled' }
  if (run.result === 'passed') return { symbol: 'ok', tone: 'ok', word: 'passed' }
  if (run.result === 'failed') return { symbol: 'error', tone: 'error', word: 'failed' }
  return run.status === 'completed'
    ? { symbol: 'warn', tone: 'warn', word: 'undecided' }
    : { symbol: 'error', tone: 'error', word: run.status === 'failed' ? 'broken' : run.status }
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
  return [...trials].sort(
    (a, b) => URGENCY.indexOf(trialLook(a).symbol) - URGENCY.indexOf(trialLook(b).symbol),
  )
}

export type Progress = { total: number; ended: number; running: number; passed: number; failed: number }

/** What became of a run's trials so far, counted in trials. */
export function progressOf(trials: readonly EvalIteration[]): Progress {
  const count = (test: (trial: EvalIteration) => boolean): number => trials.filter(test).length
  return {
    total: trials.length,
    ended: count(trial => trial.status !== 'pending' && trial.status !== 'running'),
    running: count(trial => trial.status === 'running'),
    passed: count(trial => trial.result === 'passed'),
    failed: count(trial => trial.result === 'failed'),
  }
}
