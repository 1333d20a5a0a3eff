import { onceFor } from '../../lib/once-for.ts'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import { EvalRun, isTerminalRunStatus } from '../../api/contract/runs.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import { parentOf } from './comparison-groups.ts'
import { runCounts, reportedTrials, type RunCounts } from './counts.ts'
import { outcomeOfRun, type RunOutcome } from './outcome.ts'
import { countTrials, passRate } from './trials.ts'
import { formatCount, plural } from '../../lib/format.ts'

/** A run as lists show it. Fields that a service adds are read if present. */
export type ListedRun = Pick<EvalRun, 'id' | 'status'> &
  Partial<Pick<EvalRun, 'runNumber' | 'result' | 'summary' | 'decisionSummary' | 'createdAt' | 'completedAt'>> & {
    /** Set if only its counts are known, as for the last run in a list of suites. */
    isCountsOnly?: true
  }

/** The part of its suite that a run executed and graded. */
export type Coverage = {
  /** Number of cases that the run selected, and that its suite has; undefined if unknown. */
  cases: { selected: number; total: number } | undefined
  /** Whether the run repeated the failed cases of another run. Their number may be unknown. */
  isRerun: boolean
  /** The part with a verdict, of everything to be executed. `unit` is undefined if the service gives none. */
  graded: { count: number; passed: number; total: number; unit: string | undefined } | undefined
  /** Whether every case was executed and everything graded; undefined if unknown. */
  isWhole: boolean | undefined
}

/** A run with its outcome. `unknown` means that it ended and the service does not give its verdict. */
export type ReportedRun = {
  run: ListedRun
  outcome: RunOutcome | 'unknown'
  /** Counts in the run's own unit. */
  counts: RunCounts | undefined
  coverage: Coverage
}

/** Facts about a run in addition to its record. */
export type RunFacts = {
  /** All trials of the run, if all were read. */
  trials?: readonly EvalIteration[] | undefined
  /** Current number of cases in its suite. */
  caseCount?: number | undefined
  /** Whether the run is known to be a rerun of failed cases, which its record may not show. */
  isRerun?: boolean | undefined
}

/**
 * The state of a suite according to its runs.
 * - `outcome` is that of the last run of all cases. A later partial run that did not pass makes it worse, and one that
 * passed never improves it.
 * - It is `unknown` if nothing is known of runs that the suite mentions.
 * - Without a run of all cases, it is that of the last run, whose coverage says what it covers.
 */
export type SuiteState = {
  outcome: ReportedRun['outcome'] | 'never-run'
  /** The run that determines the outcome; undefined if there was none. */
  judgedBy: ReportedRun | undefined
  /** The first of the consecutive runs with this outcome. */
  since: ReportedRun | undefined
  /** The newest run, which may be in flight or partial. */
  latest: ReportedRun | undefined
  /**
   * Whether the suite passed, with nothing left out or unknown. Only this state may be shown as green without
   * reservation.
   */
  isPlainlyPassed: boolean
  /**
   * Pass rates of the latest runs as fractions, oldest first; undefined for a partial run, or one without a verdict.
   */
  trend: readonly (number | undefined)[] | undefined
}

/** Facts about a suite in a list, all of which are optional (contract: `EvalSuite`). */
export type SuiteRecord = Partial<Pick<EvalSuite, 'latestRun' | 'totals' | 'passRateTrend'>>

/** Whether a suite's own record says that it never ran. */
export function statesNoRun(suite: SuiteRecord): boolean {
  return suite.totals?.runs === 0 && !mentionsRuns(suite)
}

/** Whether a suite's own record mentions runs, even if only by their figures. */
export function mentionsRuns({ latestRun, totals, passRateTrend }: SuiteRecord): boolean {
  const { runs, passed, failed } = totals ?? {}
  return latestRun != null || [runs, passed, failed, passRateTrend?.length].some(count => (count ?? 0) > 0)
}

/** Returns a run with its outcome and coverage. */
export function reportRun(run: ListedRun, facts: RunFacts = {}): ReportedRun {
  const counts = runCounts(run)
  return { run, outcome: reportedOutcome(run, counts), counts, coverage: coverageOf(run, facts) }
}

/** Whether a run passed with every case of its suite and every trial. With a threshold, a run may pass without that. */
export function isPlainlyPassed({ outcome, coverage }: ReportedRun): boolean {
  return outcome === 'passed' && coverage.isWhole === true && !isShort(coverage)
}

/** Whether the run that determines a suite's state passed, and is not known to have left out part of the suite. */
export function hasPassedWhole({ judgedBy }: SuiteState): boolean {
  if (judgedBy?.outcome !== 'passed') return false
  return judgedBy.coverage.isWhole === undefined || isOverEverything(judgedBy)
}

/** Whether fewer trials passed than were to be executed. */
export function isShort({ graded }: Coverage): boolean {
  return graded !== undefined && graded.passed < graded.total
}

/** Returns how much of its suite a run covered, by its record and by what else is known. */
export function coverageOf(run: Partial<ListedRun>, facts: RunFacts = {}): Coverage {
  const cases = selectedCases(run, facts)
  const graded = gradedOf(run, facts)
  const isRerun = (facts.isRerun ?? false) || parentOf(run) !== undefined
  const parts = [
    cases ? cases.selected >= cases.total : isRerun ? false : undefined,
    graded && graded.total > 0 && graded.count >= graded.total,
  ]
  const isWhole = parts.includes(false) ? false : parts.includes(undefined) ? undefined : true
  return { cases, isRerun, graded, isWhole }
}

/**
 * Returns what a partial run covers: `3 of 6 cases`, `11 of 12 trials graded`; `9 of 12 trials passed` with a
 * threshold.
 */
export function partLabels({ outcome, coverage }: Pick<ReportedRun, 'outcome' | 'coverage'>): string[] {
  const { cases, isRerun, graded } = coverage
  const ofAll = (count: number, word: string): string =>
    graded ? [`${formatCount(count)} of ${formatCount(graded.total)}`, graded.unit, word].filter(Boolean).join(' ') : ''
  return [
    cases && cases.selected < cases.total ? `${formatCount(cases.selected)} of ${plural(cases.total, 'case')}` : '',
    !cases && isRerun ? 'failed cases only' : '',
    outcome !== 'in-flight' && graded && graded.count < graded.total ? ofAll(graded.count, 'graded') : '',
    outcome === 'passed' && graded && graded.count === graded.total && isShort(coverage)
      ? ofAll(graded.passed, 'passed')
      : '',
  ].filter(part => part !== '')
}

/** Returns a run in words: `passed, 3 of 6 cases`; `coverage unknown` if a passed run does not say what it covered. */
export function runReportLabel(report: ReportedRun): string {
  const { run, outcome, coverage } = report
  const isOpen = outcome === 'in-flight' || outcome === 'unknown'
  const unstated = coverage.isWhole === undefined && (outcome === 'passed' || outcome === 'unknown')
  return [isOpen ? run.status : outcome, ...partLabels(report), unstated ? 'coverage unknown' : '']
    .filter(part => part !== '')
    .join(', ')
}

/** Returns a suite in words: `failed; last run passed, 3 of 6 cases`. */
export function suiteStateLabel({ outcome, judgedBy, latest }: SuiteState): string {
  if (!judgedBy || !latest) return outcome === 'unknown' ? 'unknown, its runs are not stated' : 'never run'
  return judgedBy === latest
    ? runReportLabel(judgedBy)
    : `${runReportLabel(judgedBy)}; last run ${runReportLabel(latest)}`
}

/**
 * Judges a suite by what is known of its runs.
 * @param runs its latest runs, in any order; what the suite's own record says about its runs is included
 * @param factsOf returns what else is known of a run
 */
export function suiteStateOf(options: {
  suite: SuiteRecord
  runs?: readonly ListedRun[] | undefined
  factsOf?: ((runId: string) => RunFacts) | undefined
}): SuiteState {
  const { suite, factsOf } = options
  const caseCount = countAt(suite, 'caseCount')
  const known = allRuns(suite, options.runs ?? [])
  const reports = known.map(run => reportRun(run, { caseCount, ...factsOf?.(run.id) }))
  const latest = reports[0]
  const ended = reports.filter(({ outcome }) => outcome !== 'in-flight' && outcome !== 'cancelled')
  const judgedBy = judgeOf(ended) ?? reports[0]
  return {
    outcome: judgedBy?.outcome ?? (mentionsRuns(suite) ? 'unknown' : 'never-run'),
    judgedBy,
    since: judgedBy && sinceOf(ended, judgedBy),
    latest,
    isPlainlyPassed: judgedBy !== undefined && isPlainlyPassed(judgedBy),
    trend: statesItsRuns(suite) || options.runs ? trendOf(reports) : undefined,
  }
}

/** Returns the run that determines the suite's state, given its ended runs, newest first. */
function judgeOf(ended: readonly ReportedRun[]): ReportedRun | undefined {
  const overall = ended.find(isOverEverything) ?? ended.find(({ coverage }) => coverage.isWhole === undefined)
  if (!overall) return ended[0]
  const later = ended.slice(0, ended.indexOf(overall))
  const spoiling = later.find(({ outcome }) => outcome !== 'passed' && outcome !== 'unknown')
  return overall.outcome === 'passed' || overall.outcome === 'unknown' ? (spoiling ?? overall) : overall
}

/** Returns the first run since which the outcome is the same. A partial pass in between does not count. */
function sinceOf(ended: readonly ReportedRun[], judgedBy: ReportedRun): ReportedRun {
  let since = judgedBy
  for (const report of ended.slice(ended.indexOf(judgedBy) + 1)) {
    if (report.outcome === judgedBy.outcome) since = report
    else if (report.outcome !== 'passed' || report.coverage.isWhole !== false) break
  }
  return since
}

/** Whether every case was executed, and most of what was to be executed has a verdict. */
function isOverEverything({ coverage: { cases, graded } }: ReportedRun): boolean {
  if (!cases || cases.selected < cases.total) return false
  return graded === undefined || graded.count * 2 > graded.total
}

/** Returns the pass rate. Trials without a verdict count as not passed: a full bar means that everything passed. */
export function reportedRate({ counts, coverage: { graded } }: ReportedRun): number | undefined {
  return graded && graded.count < graded.total ? graded.passed / graded.total : counts && passRate(counts)
}

/** Returns the rates of runs that ended, oldest first; undefined for incomplete ones. */
function trendOf(reports: readonly ReportedRun[]): (number | undefined)[] {
  return reports
    .filter(({ outcome }) => outcome !== 'in-flight')
    .map(report => (isOverEverything(report) ? reportedRate(report) : undefined))
    .toReversed()
}

/** Returns all known runs, without duplicates, newest first. */
function allRuns(suite: Pick<EvalSuite, 'latestRun'>, listed: readonly ListedRun[]): ListedRun[] {
  const { latestRun } = suite
  const own = latestRun?.id && latestRun.status ? [latestRunOf(latestRun)] : []
  const found = new Map<string, ListedRun>()
  for (const run of [...own, ...recentRuns(suite), ...listed]) {
    const earlier = found.get(run.id)
    // Of two answers for a run, the one in which the run has ended is newer.
    if (earlier && isTerminalRunStatus(earlier.status) && !isTerminalRunStatus(run.status)) continue
    found.set(run.id, run)
  }
  return [...found.values()].toSorted((one, other) => ageOrder(one) - ageOrder(other))
}

function ageOrder({ createdAt }: ListedRun): number {
  return -(toEpochMs(createdAt) ?? Number.MAX_SAFE_INTEGER)
}

type LatestRun = NonNullable<EvalSuite['latestRun']>

/** Returns the last run in a list of suites, which has only counts and no verdict. */
function latestRunOf({ id, status, passed, failed, createdAt }: LatestRun): ListedRun {
  return {
    id: id ?? '',
    status: status ?? '',
    isCountsOnly: true,
    summary: { passed, failed },
    ...(createdAt != null && { createdAt }),
  }
}

const runsIn = onceFor((listed: unknown[]): readonly ListedRun[] =>
  listed.flatMap(run => EvalRun().safeParse(run).data ?? []),
)

/** Returns the latest runs that services may include in the suite, without entries that are not runs. */
function recentRuns(suite: object): readonly ListedRun[] {
  const listed = fieldOf(suite, 'recentRuns')
  return Array.isArray(listed) ? runsIn(listed) : []
}

/** Whether the suite's own record includes its latest runs. */
export function statesItsRuns(suite: object): boolean {
  return Array.isArray(fieldOf(suite, 'recentRuns'))
}

function reportedOutcome(run: ListedRun, counts: RunCounts | undefined): ReportedRun['outcome'] {
  const outcome = outcomeOfRun({ ...run, result: run.result ?? null })
  if (outcome !== 'undecided' || !run.isCountsOnly) return outcome
  return counts && counts.passed + counts.failed > 0 ? 'unknown' : outcome
}

function selectedCases(run: Partial<ListedRun>, { trials, caseCount }: RunFacts): Coverage['cases'] {
  const selected = countAt(run, 'selectedCaseCount') ?? casesOf(trials)
  const total = countAt(run, 'totalCaseCount')
  // A run does not cover cases that were added later.
  const most = total === undefined || caseCount === undefined ? (total ?? caseCount) : Math.max(total, caseCount)
  return selected === undefined || most === undefined ? undefined : { selected, total: most }
}

/** Returns the number of cases that the trials belong to; undefined if one trial does not say. */
function casesOf(trials: readonly EvalIteration[] | undefined): number | undefined {
  if (!trials || trials.length === 0 || trials.some(({ testCaseId }) => testCaseId == null)) return undefined
  return new Set(trials.map(({ testCaseId }) => testCaseId)).size
}

function gradedOf(run: Partial<ListedRun>, { trials }: RunFacts): Coverage['graded'] {
  const counted = reportedTrials(run) ?? (trials && countTrials(trials))
  if (counted) {
    const { passed, failed, total } = counted
    return { count: passed + failed, passed, total, unit: 'trials' }
  }
  const { passed, failed, total, unit } = runCounts(run) ?? {}
  if (passed === undefined || failed === undefined || total === undefined) return undefined
  return { count: passed + failed, passed, total, unit }
}

/** Returns a count in a record that its type may not declare; undefined if there is none. */
export function countAt(record: object, field: string): number | undefined {
  const value = fieldOf(record, field)
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

function fieldOf(record: object, field: string): unknown {
  return (record as Record<string, unknown>)[field]
}
