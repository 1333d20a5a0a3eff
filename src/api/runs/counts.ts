import type { EvalRun } from '../contract/runs.ts'

/** What a run counted, in one unit; `unit` is in words and undefined where the service tells none. */
export type RunCounts = {
  passed: number
  failed: number
  /** Counted, and without a verdict. */
  undecided: number | undefined
  total: number | undefined
  unit: string | undefined
}

type Counted = Pick<EvalRun, 'decisionSummary' | 'summary'>

/** The counts of the run's decision with their unit, which no rate is ever converted from (contract: "Decision summary"). */
export function decisionCounts({ decisionSummary }: Pick<EvalRun, 'decisionSummary'>) {
  const { passed, failed, undecided, total } = decisionSummary?.counts ?? {}
  const unit = unitOf(decisionSummary)
  if (typeof passed !== 'number' || typeof failed !== 'number' || unit === undefined) return undefined
  return { passed, failed, undecided: numberOf(undecided), total: numberOf(total), unit } satisfies RunCounts
}

/** The counts of a run: those of its decision, else those of its summary, of which the contract gives no unit. */
export function runCounts(run: Counted): RunCounts | undefined {
  const own = decisionCounts(run)
  if (own) return own
  const { passed, failed, total } = run.summary ?? {}
  if (passed == null || failed == null) return undefined
  return {
    passed,
    failed,
    undecided: undefined,
    total: total ?? undefined,
    unit: unitOf(run.decisionSummary),
  }
}

function unitOf(summary: EvalRun['decisionSummary']): string | undefined {
  return summary?.measurementUnit?.replaceAll('_', ' ') || undefined
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
