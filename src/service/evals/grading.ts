import { ServiceError } from '../core/errors.ts'
import { diagnose, type Diagnostics, type DiagnosticsPage } from './diagnostics.ts'
import type { GradedTrials } from './types.ts'
import { TRIAL_CLASSES, type TrialClass } from '../../domain/runs/trial-classes.ts'

export type GradingInput = {
  trials: GradedTrials
  /** Whether trials may still change, the run was cancelled, or every trial has ended. */
  phase: 'running' | 'cancelled' | 'ended'
  /** Suite-wide threshold as a fraction, see {@link passThreshold}; null means grading by case. */
  threshold: number | null
  /** API-relative path of the run, e.g. `/projects/P/eval-runs/R`. */
  runPath: string
  page?: DiagnosticsPage
}

type Outcome = 'passed' | 'failed' | 'undecided'

/** Counts in one unit; `passed + failed + undecided = total`. */
export type UnitCounts = { total: number; passed: number; failed: number; undecided: number }

export type RunDecisionSummary = {
  version: 1
  /** The unit of `counts`: variants (a variant is a case on one model), or trials if the suite has a threshold. */
  measurementUnit: 'case_executions' | 'trials'
  counts: UnitCounts & { trials: { total: number } & Partial<Record<TrialClass, number>> }
  /** The verdict on the run; null if there is none. */
  decision: 'passed' | 'failed' | null
  verdict: 'passed' | 'failed' | 'notEstablished'
  /** Why there is no verdict. */
  undecided?: { reason: 'unfinished' | 'stopped_early' | 'undecidable'; message: string }
  diagnostics: Diagnostics
  /** Path of the trace of the first failed trial; null if no trial failed. */
  evidence: { tracePath: string } | null
}

export type RunGrade = {
  status: 'running' | 'completed' | 'failed' | 'cancelled'
  result: 'passed' | 'failed' | null
  /** Counts in the unit of the verdict. `passRate` is a fraction of what was graded, null if nothing was. */
  summary: { total: number; passed: number; failed: number; passRate: number | null }
  decisionSummary: RunDecisionSummary
}

/**
 * Grades a run. Only trials that passed or failed are graded. Evaluator errors, timeouts and failures to execute do not
 * count as failures of a case and are left out of every rate.
 * - By case: each variant, a case on one model, passes if all its graded trials passed, and is undecided if none
 * was graded. One failed variant fails the run.
 * - With a threshold: the run fails if the share of passed trials among graded ones does not reach it.
 * - Either way a run does not pass while one of its variants has no graded trial. Its verdict is then not established,
 * because it would cover something that was never measured.
 * The status of an ended run is `failed` only if it has no trials or every trial ended in set-up.
 */
export function gradeRun(input: GradingInput): RunGrade {
  const { trials, phase, threshold } = input
  const { tally } = trials
  const variants = [...Map.groupBy(tally, ({ variant }) => variant).values()].map(outcomeOfVariant)
  const classes = countClasses(tally)
  const total = sum(tally.map(group => group.trials))
  const counts = threshold === null ? countOutcomes(variants) : countTrials(classes, total)
  const graded = counts.passed + counts.failed
  const passRate = graded > 0 ? counts.passed / graded : null
  const missed = threshold === null ? counts.failed > 0 : passRate !== null && passRate < threshold
  const measured = total > 0 && !variants.includes('undecided')
  const result = phase !== 'ended' ? null : missed ? 'failed' : measured ? 'passed' : null
  const [firstFailed] = trials.first(['failed'], 1)
  return {
    status: statusOf(input),
    result,
    summary: { total: counts.total, passed: counts.passed, failed: counts.failed, passRate },
    decisionSummary: {
      version: 1,
      measurementUnit: threshold === null ? 'case_executions' : 'trials',
      counts: { ...counts, trials: { total, ...classes } },
      decision: result,
      verdict: result ?? 'notEstablished',
      ...(result === null && { undecided: whyUndecided(input) }),
      diagnostics: diagnose(trials, { total, ended: phase !== 'running' }, input.page),
      evidence: firstFailed ? { tracePath: `${input.runPath}/iterations/${firstFailed.iterationId}/trace` } : null,
    },
  }
}

/**
 * Returns the suite-wide threshold as a fraction; null means grading by case. `minimumPassRate` (a fraction up to 1,
 * else a percentage) takes precedence over `minimumAccuracy`.
 * @throws ServiceError `VALIDATION_ERROR` naming the field
 */
export function passThreshold(settings: {
  minimumPassRate?: number | null | undefined
  minimumAccuracy?: number | null | undefined
}): number | null {
  const { minimumPassRate, minimumAccuracy } = settings
  if (minimumPassRate != null) {
    // The fraction is not computed from the percentage: 0.07 * 100 / 100 is more than 7 of 100.
    const fraction = minimumPassRate <= 1 ? minimumPassRate : minimumPassRate / 100
    return checkedFraction(fraction, 'passCriteria.minimumPassRate')
  }
  return minimumAccuracy == null ? null : checkedFraction(minimumAccuracy / 100, 'settings.minimumAccuracy')
}

function countClasses(tally: GradedTrials['tally']): Partial<Record<TrialClass, number>> {
  const counts: Partial<Record<TrialClass, number>> = {}
  for (const group of tally) counts[group.class] = (counts[group.class] ?? 0) + group.trials
  return counts
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0)
}

function checkedFraction(fraction: number, field: string): number {
  if (fraction >= 0 && fraction <= 1) return fraction
  throw new ServiceError('VALIDATION_ERROR', `${field} must be between 0 and 100.`, { details: { field } })
}

export function outcomeOfVariant(trials: readonly { class: TrialClass }[]): Outcome {
  if (trials.some(trial => trial.class === 'failed')) return 'failed'
  return trials.some(trial => trial.class === 'passed') ? 'passed' : 'undecided'
}

function countTrials(classes: Partial<Record<TrialClass, number>>, total: number): UnitCounts {
  const { passed = 0, failed = 0 } = classes
  return { total, passed, failed, undecided: total - passed - failed }
}

function countOutcomes(outcomes: readonly Outcome[]): UnitCounts {
  const counts = { total: outcomes.length, passed: 0, failed: 0, undecided: 0 }
  for (const outcome of outcomes) counts[outcome]++
  return counts
}

function statusOf({ phase, trials }: GradingInput): RunGrade['status'] {
  if (phase !== 'ended') return phase
  return trials.tally.every(group => group.class === 'setup_failed') ? 'failed' : 'completed'
}

/** Classes of trials that neither passed nor failed, and so say nothing about their case. */
const UNDECIDED = TRIAL_CLASSES.filter(each => each !== 'passed' && each !== 'failed')

function whyUndecided({ phase, trials }: GradingInput): NonNullable<RunDecisionSummary['undecided']> {
  if (phase === 'running') return { reason: 'unfinished', message: 'The run has not ended.' }
  if (phase === 'cancelled') return { reason: 'stopped_early', message: 'The run was cancelled.' }
  const why = trials.first(UNDECIDED, 1)[0]?.error
  const message =
    why ??
    (trials.tally.length === 0 ? 'The run has no trials.' : 'Not every case execution has a trial with a verdict.')
  return { reason: 'undecidable', message }
}
