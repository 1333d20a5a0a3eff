import type { EvalRun } from '../../api/contract/runs.ts'
import type { TrialCounts } from './trials.ts'
import { formatCount } from '../../lib/format.ts'

/** The counts of a run in one unit, which is given in words; undefined if the service reports none. */
export type RunCounts = {
  passed: number
  failed: number
  /** Counted without a verdict. */
  undecided: number | undefined
  total: number | undefined
  unit: string | undefined
}

type Counted = Pick<EvalRun, 'decisionSummary' | 'summary'>

/**
 * Returns the counts of the run's decision with their unit. Rates are never converted between units (contract:
 * "Decision summary").
 */
export function decisionCounts({ decisionSummary }: Pick<EvalRun, 'decisionSummary'>) {
  const counts = decisionSummary?.counts ?? {}
  const [passed, failed] = [countOf(counts.passed), countOf(counts.failed)]
  const unit = unitOf(decisionSummary)
  if (passed === undefined || failed === undefined || unit === undefined) return undefined
  return {
    passed,
    failed,
    undecided: countOf(counts.undecided),
    total: countOf(counts.total),
    unit,
  } satisfies RunCounts
}

/**
 * Returns the counts of a run: those of its decision, else those of its summary. The contract gives these no unit, so
 * the unit of the decision is used if it has one.
 */
export function runCounts(run: Counted): RunCounts | undefined {
  const own = decisionCounts(run)
  if (own) return own
  const [passed, failed] = [countOf(run.summary?.passed), countOf(run.summary?.failed)]
  if (passed === undefined || failed === undefined) return undefined
  return { passed, failed, undecided: undefined, total: countOf(run.summary?.total), unit: unitOf(run.decisionSummary) }
}

/**
 * Returns the trial counts of a run by class, from its decision. The contract does not require these counts. Running
 * trials count as pending there. Undefined if the counts do not add up.
 */
export function reportedTrials({ decisionSummary }: Pick<EvalRun, 'decisionSummary'>): TrialCounts | undefined {
  const { total: all, ...classes } = Object(decisionSummary?.counts?.['trials']) as Record<string, unknown>
  const total = countOf(all)
  const of = (name: string) => countOf(classes[name]) ?? 0
  const sum = Object.keys(classes).reduce((all, name) => all + of(name), 0)
  if (total === undefined || sum !== total) return undefined
  const [passed, failed, cancelled, pending] = [of('passed'), of('failed'), of('cancelled'), of('pending')]
  const ended = total - pending
  const ungraded = ended - passed - failed - cancelled
  return { total, passed, failed, ungraded, cancelled, pending, running: 0, ended }
}

function unitOf(summary: EvalRun['decisionSummary']): string | undefined {
  return summary?.measurementUnit ? unitName(summary.measurementUnit) : undefined
}

/** Returns a unit of the contract as words. An iteration of a case is called a trial everywhere in mcpdeck. */
export function unitName(unit: string): string {
  return unit === 'iterations' ? 'trials' : unit.replaceAll('_', ' ')
}

/** Returns `1 case execution` or `2 case executions`. Units are given as plurals. */
export function inUnit(count: number, unit: string): string {
  return `${formatCount(count)} ${count === 1 ? unit.replace(/s$/, '') : unit}`
}

/** Returns a valid count, which is an integer of at least 0. */
function countOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined
}
