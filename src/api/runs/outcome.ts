import { isTerminalRunStatus, type EvalRun } from '../contract/runs.ts'

/**
 * What became of a run. Only `passed` and `failed` are verdicts: `undecided` ended without one, `broken` ended without
 * having executed, and any unknown status counts as `in-flight` (contract: "Eval run status").
 */
export type RunOutcome = 'in-flight' | 'passed' | 'failed' | 'undecided' | 'cancelled' | 'broken'

type Judged = Pick<EvalRun, 'status' | 'result' | 'decisionSummary'>

/** The outcome of a run. The run's own decision goes before its result (contract: "Decision summary"). */
export function outcomeOfRun({ status, result, decisionSummary }: Judged): RunOutcome {
  if (!isTerminalRunStatus(status)) return 'in-flight'
  if (status === 'cancelled') return 'cancelled'
  const decision = decisionSummary?.decision
  const verdict = isVerdict(decision) ? decision : decision === 'inconclusive' ? undefined : result
  if (isVerdict(verdict)) return verdict
  return status === 'completed' ? 'undecided' : 'broken'
}

/** Whether a decision or a result is one of the two verdicts. */
export function isVerdict(text: string | null | undefined): text is 'passed' | 'failed' {
  return text === 'passed' || text === 'failed'
}

/** The service's words for why a run has no verdict; undefined where it gives none. */
export function whyUndecided(run: Pick<EvalRun, 'decisionSummary'>): string | undefined {
  const { message, reason } = undecidedOf(run)
  return message ?? reason
}

/** Why a run has no verdict: the service's `reason`, and its sentence where it gives one. */
export function undecidedOf({ decisionSummary }: Pick<EvalRun, 'decisionSummary'>): {
  reason?: string | undefined
  message?: string | undefined
} {
  // The contract does not fix whether it lies beside the verdict or within it.
  for (const holder of [decisionSummary, decisionSummary?.verdict]) {
    const { undecided } = Object(holder) as { undecided?: unknown }
    const { message, reason } = Object(undecided) as { message?: unknown; reason?: unknown }
    const said = { reason: wordsOf(reason), message: wordsOf(message) }
    if (said.reason ?? said.message) return said
  }
  return {}
}

function wordsOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
