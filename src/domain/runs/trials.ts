import type { EvalIteration } from '../../api/contract/iterations.ts'
import { ownValue } from '../../lib/own-value.ts'

/** Number of trials of a suite's last run that are read at once. */
export const TRIALS_READ = 200

/** Numbers of trials by state. `total` is the sum of all except `ended`. */
export type TrialCounts = {
  total: number
  passed: number
  failed: number
  /** Trials that ended without a verdict, because they were not executed or not graded. */
  ungraded: number
  cancelled: number
  pending: number
  running: number
  /** All trials that will not change again. */
  ended: number
}

type Standing = Exclude<keyof TrialCounts, 'total' | 'ended'>
type Judged = Pick<EvalIteration, 'status' | 'result'>

const BY_STATUS: Readonly<Record<string, Standing>> = { pending: 'pending', running: 'running', cancelled: 'cancelled' }
const BY_RESULT: Readonly<Record<string, Standing>> = { passed: 'passed', failed: 'failed' }

/** Returns the state of a trial. A trial without a verdict is not a failure of its case. */
export function trialState({ status, result }: Judged): Standing {
  return ownValue(BY_STATUS, status) ?? ownValue(BY_RESULT, result) ?? 'ungraded'
}

/** Matches the local workspace's quote of the output of a program that ended (`src/service/connections`). */
const PRINTED = /(\b(?:exited with code \S+|was ended by \S+|last output on stderr):).*/s

/** Returns the error of a trial without the output of a server's program, which may contain anything. */
export function ownWords(error: string): string {
  return error.replace(PRINTED, '$1')
}

/** Whether a trial may still change. */
export function isOpenTrial({ status }: Pick<EvalIteration, 'status'>): boolean {
  return status === 'pending' || status === 'running'
}

export function countTrials(trials: readonly Judged[]): TrialCounts {
  const counts = {
    total: trials.length,
    passed: 0,
    failed: 0,
    ungraded: 0,
    cancelled: 0,
    pending: 0,
    running: 0,
    ended: 0,
  }
  for (const trial of trials) {
    counts[trialState(trial)] += 1
    if (!isOpenTrial(trial)) counts.ended += 1
  }
  return counts
}

/** Returns the share of graded trials that passed, from 0 to 1; undefined if nothing was graded. */
export function passRate({ passed, failed }: { passed: number; failed: number }): number | undefined {
  return passed + failed === 0 ? undefined : passed / (passed + failed)
}

/**
 * Returns why the first execution of a trial was aborted before it ran again. The local service repeats it once if
 * other trials may have ended its server. The contract has no field for this.
 */
export function whyRanAgain(trial: EvalIteration): string | undefined {
  const why = trial['ranAgainAfter']
  return typeof why === 'string' ? why : undefined
}

/** Returns names of cases with a trial that ran again because its server broke during several trials. */
export function casesRunAgain(trials: readonly EvalIteration[]): string[] {
  return [...new Set(trials.filter(trial => whyRanAgain(trial) !== undefined).map(caseName))]
}

/**
 * Returns names of cases with a passed trial that nothing checked. Trials without recorded scores are unknown. The
 * local service sets `checksNothing` if assertions came before any call.
 */
export function uncheckedCases(trials: readonly EvalIteration[]): string[] {
  const unchecked = trials.filter(
    trial => trial.result === 'passed' && (trial.scores?.length === 0 || trial['checksNothing'] === true),
  )
  return [...new Set(unchecked.map(caseName))]
}

const caseName = ({ title, testCaseId, id }: EvalIteration): string => title ?? testCaseId ?? id
