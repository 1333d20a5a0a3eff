import { isTerminalRunStatus, type EvalRun } from '../../api/contract/runs.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'

/** What of a suite is worth being told of when it changes: its name, and how its latest run ended. */
export function suiteSays(suite: EvalSuite): string {
  const { status, passed, failed } = suite.latestRun ?? {}
  return [suite.name, suite.totals?.runs, status, passed, failed].join('\n')
}

/** What of a run is worth being told of when it changes: its end and its verdict, not each step on the way. */
export function runSays(run: EvalRun): string {
  return isTerminalRunStatus(run.status) ? `${run.status}\n${run.result}\n${run.notes}` : 'in flight'
}

/** Only the latest runs of a suite are read. */
export function runBornAt(run: EvalRun): number | undefined {
  return toEpochMs(run.createdAt)
}
