import type { EvalIteration } from '../../api/contract/iterations.ts'
import { ownValue } from '../../lib/own-value.ts'

/** Trials of a suite's last run that are read at once. */
export const TRIALS_READ = 200

/** What became of some trials, counted in trials; `total` is the sum of all but `ended`. */
export type TrialCounts = {
  total: number
  passed: number
  failed: number
  /** Ended without a verdict: not executed, or not graded. */
  ungraded: number
  cancelled: number
  pending: number
  running: number
  /** All that will not change any more. */
  ended: number
}

type Standing = Exclude<keyof TrialCounts, 'total' | 'ended'>
type Judged = Pick<EvalIteration, 'status' | 'result'>

const BY_STATUS: Readonly<Record<string, Standing>> = { pending: 'pending', running: 'running', cancelled: 'cancelled' }
const BY_RESULT: Readonly<Record<string, Standing>> = { passed: 'passed', failed: 'failed' }

/** Where a trial stands; a trial without a verdict is no failure of its case. */
export function trialState({ status, result }: Judged): Standing {
  return ownValue(BY_STATUS, status) ?? ownValue(BY_RESULT, result) ?? 'ungraded'
}

/** What the local workspace quotes of a program that ended (`src/service/connections`). */
const PRINTED = /(\b(?:exited with code \S+|was ended by \S+|last output on stderr):).*/s

/** The error of a trial without what the program of a server printed, whose words may be about anything. */
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

/** Share of passed among what was graded, from 0 to 1; undefined where nothing was graded. */
export function passRate({ passed, failed }: { passed: number; failed: number }): number | undefined {
  return passed + failed === 0 ? undefined : passed / (passed + failed)
}

/**
 * Why the first execution of a trial broke off where it was run again: the local service does so once when other
 * trials may have ended its server. The contract has no field for it.
 */
export function whyRanAgain(trial: EvalIteration): string | undefined {
  const why = trial['ranAgainAfter']
  return typeof why === 'string' ? why : undefined
}

/** Names of cases of which a trial was run again because its server broke under several. */
export function casesRunAgain(trials: readonly EvalIteration[]): string[] {
  return [...new Set(trials.filter(trial => whyRanAgain(trial) !== undefined).map(caseName))]
}

/**
 * Names of cases of which a trial passed that nothing checked; of trials without recorded scores that is not known. The
 * local service says `checksNothing` where assertions come before anything was called.
 */
export function uncheckedCases(trials: readonly EvalIteration[]): string[] {
  const unchecked = trials.filter(
    trial => trial.result === 'passed' && (trial.scores?.length === 0 || trial['checksNothing'] === true),
  )
  return [...new Set(unchecked.map(caseName))]
}

const caseName = ({ title, testCaseId, id }: EvalIteration): string => title ?? testCaseId ?? id
