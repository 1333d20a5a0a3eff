import { isTerminalRunStatus, type EvalRun } from '../../api/contract/runs.ts'

/**
 * What became of a run. Only `passed` and `failed` are verdicts: `inconclusive` is the decision to withhold one,
 * `undecided` ended without any (contract: `notEstablished`), `broken` ended without having executed, and any unknown
 * status counts as `in-flight` (contract: "Eval run status").
 */
export type RunOutcome = 'in-flight' | 'passed' | 'failed' | 'inconclusive' | 'undecided' | 'cancelled' | 'broken'

type Judged = Pick<EvalRun, 'status' | 'result' | 'decisionSummary'>

/** The outcome of a run. The run's own decision goes before its result (contract: "Decision summary"). */
export function outcomeOfRun({ status, result, decisionSummary }: Judged): RunOutcome {
  if (!isTerminalRunStatus(status)) return 'in-flight'
  if (status === 'cancelled') return 'cancelled'
  const decision = decisionSummary?.decision
  if (isVerdict(decision)) return decision
  // A verdict that was never established was not withheld either.
  if (decision === 'inconclusive')
    return verdictWord(decisionSummary) === 'notEstablished' ? 'undecided' : 'inconclusive'
  if (isVerdict(result)) return result
  return status === 'completed' ? 'undecided' : 'broken'
}

/** Whether a decision or a result is one of the two verdicts. */
export function isVerdict(text: string | null | undefined): text is 'passed' | 'failed' {
  return text === 'passed' || text === 'failed'
}

/** The verdict of a decision summary: services spell it as a text or as an object with a `kind`. */
export function verdictWord(summary: EvalRun['decisionSummary']): string | undefined {
  const verdict = summary?.verdict
  const { kind } = Object(verdict) as { kind?: unknown }
  return wordsOf(verdict) ?? wordsOf(kind)
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
