import { isTerminalRunStatus } from '../../api/contract/runs.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import {
  hasPassedWhole,
  type ListedRun,
  mentionsRuns,
  statesItsRuns,
  statesNoRun,
  type SuiteRecord,
  type SuiteState,
  suiteStateOf,
} from '../runs/suite-state.ts'

/** Number of runs of a suite that are read; more are not listed (contract: at most 100). */
export const RUNS_READ = 100

/** Whether a list of a suite's runs lacks the latest run in the suite's record, or has that run but not its end. */
export function lacksLatest(suite: SuiteRecord, runs: readonly ListedRun[]): boolean {
  const { latestRun } = suite
  if (!latestRun) return runs.length === 0 && mentionsRuns(suite)
  const { id, status, createdAt } = latestRun
  const hasEnded = isTerminalRunStatus(status ?? '')
  const isSame = (run: ListedRun): boolean => !hasEnded || isTerminalRunStatus(run.status)
  if (id != null) return !runs.some(run => run.id === id && isSame(run))
  const newest = runs.toSorted((one, other) => madeAt(other) - madeAt(one))[0]
  if (!newest || madeAt(newest) < (toEpochMs(createdAt) ?? 0)) return true
  return hasEnded && newest.status !== status
}

function madeAt({ createdAt }: ListedRun): number {
  return toEpochMs(createdAt) ?? 0
}

/**
 * Returns why it is unknown whether a suite's last whole run passed, although nothing is known to be wrong; undefined
 * if it is known, if the suite never ran, and if it failed.
 * @param runs its runs as last read
 * @param state the state derived from them
 */
export function whyUnproven(suite: SuiteRecord, runs: readonly ListedRun[], state: SuiteState): string | undefined {
  return lacksLatest(suite, runs) ? 'its latest run is not in the list of its runs' : whyOpen(state, runs.length)
}

/** Whether a suite's own record, without its runs, shows that its last whole run passed, or that it never ran. */
export function isProvenByRecord(suite: SuiteRecord): boolean {
  if (statesNoRun(suite)) return true
  if (!statesItsRuns(suite)) return false
  const state = suiteStateOf({ suite })
  // A record states only the latest runs: if none of them ended with a verdict, earlier ones may have failed.
  return state.outcome !== 'failed' && state.outcome !== 'broken' && whyOpen(state, Infinity) === undefined
}

/** @param read number of runs that were read; if there are fewer than {@link RUNS_READ}, the suite has no others */
function whyOpen(state: SuiteState, read: number): string | undefined {
  switch (state.outcome) {
    case 'failed':
    case 'broken':
    case 'never-run':
      return undefined
    case 'passed':
      return hasPassedWhole(state) ? undefined : 'none of its runs that were read covered the whole suite'
    case 'in-flight':
    case 'cancelled':
      return read < RUNS_READ ? undefined : 'none of its runs that were read came to an end'
    case 'inconclusive':
    case 'undecided':
    case 'unknown':
      return 'its last run has no verdict'
  }
}
