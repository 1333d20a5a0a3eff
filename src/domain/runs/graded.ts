import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { runCounts, reportedTrials } from './counts.ts'
import { partLabels, reportRun } from './suite-state.ts'
import { type TrialCounts, passRate } from './trials.ts'
import { formatCount } from '../../lib/format.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'

type Trended = Pick<EvalSuite, 'passRateTrend' | 'latestRun'>

/**
 * Returns the pass rates of a suite's latest runs as fractions, oldest first. The contract does not say whether they
 * are sent as fractions or percent. A value above 1 must be percent; otherwise the counts of the latest run decide, if
 * they fit the last value in only one way. A value that is not a rate in either unit is unknown.
 */
export function trendRates({ passRateTrend, latestRun }: Trended): (number | undefined)[] {
  const values = passRateTrend ?? []
  const scale = isPercent(values, latestRun) ? 100 : 1
  return values.map(value => (value >= 0 && value <= scale ? value / scale : undefined))
}

/** Maximum rounding error of a rate that is sent, as a fraction. */
const ROUNDED = 0.006

function isPercent(values: readonly number[], latestRun: Trended['latestRun']): boolean {
  if (values.some(value => value > 1)) return true
  const { passed, failed, passRate: stated } = latestRun ?? {}
  const counted = passed == null || failed == null ? undefined : passRate({ passed, failed })
  const last = stated ?? values.at(-1)
  if (counted === undefined || last === undefined) return false
  return Math.abs(last - counted) > ROUNDED && Math.abs(last / 100 - counted) <= ROUNDED
}

/** Returns the change from the second-last known rate to the last, as a fraction; undefined with fewer than two. */
export function lastChange(rates: readonly (number | undefined)[]): number | undefined {
  const [before, last] = rates.slice(-2)
  return rates.length < 2 || before === undefined || last === undefined ? undefined : last - before
}

/** The graded part of what a run executed, in one unit. `unit` is a plural, undefined if none is reported. */
export type GradedPart = { graded: number; total: number; unit: string | undefined }

/**
 * Returns how much of a run was graded: in trials, and in the run's own unit if that differs. Each is given if known,
 * since counts are never converted; a variant can pass by one of its trials while the others had no result.
 * @param read the trials that were read; the run's own counts are preferred if they are higher
 */
export function gradedParts(run: EvalRun, read?: TrialCounts): GradedPart[] {
  const reported = reportedTrials(run)
  const trials = reported && (!read || reported.total > read.total) ? reported : read
  const own = runCounts(run)
  const parts: GradedPart[] = []
  if (trials && trials.total > 0)
    parts.push({ graded: trials.passed + trials.failed, total: trials.total, unit: 'trials' })
  if (own?.total !== undefined && own.unit !== 'trials')
    parts.push({ graded: own.passed + own.failed, total: own.total, unit: own.unit })
  return parts
}

/** Returns the part in words: `11 of 12 trials graded`. */
export function gradedLabel({ graded, total, unit }: GradedPart): string {
  return [`${formatCount(graded)} of ${formatCount(total)}`, unit, 'graded'].filter(Boolean).join(' ')
}

/**
 * Returns what to show beside the word `passed` if it does not cover the whole run: `3 of 6 cases`, `11 of 12 trials
 * graded`. Undefined if everything was executed, graded and passed, and for every other run.
 * @param trials all trials of the run, if they were read
 */
export function passedPart(run: EvalRun, trials?: readonly EvalIteration[]): string | undefined {
  const report = reportRun(run, { trials })
  return report.outcome === 'passed' ? partLabels(report).join(', ') || undefined : undefined
}
