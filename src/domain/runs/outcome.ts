import { isTerminalRunStatus, type EvalRun } from '../../api/contract/runs.ts'

/**
 * The outcome of a run. Only `passed` and `failed` are verdicts. `inconclusive` is a decision to withhold one,
 * `undecided` means that it ended without any (contract: `notEstablished`), `broken` that it ended without executing.
 * Any unknown status counts as `in-flight` (contract: "Eval run status").
 */
export type RunOutcome = 'in-flight' | 'passed' | 'failed' | 'inconclusive' | 'undecided' | 'cancelled' | 'broken'

type Judged = Pick<EvalRun, 'status' | 'result' | 'decisionSummary'>

/** Returns the outcome of a run. Its decision takes precedence over its result (contract: "Decision summary"). */
export function outcomeOfRun({ status, result, decisionSummary }: Judged): RunOutcome {
  if (!isTerminalRunStatus(status)) return 'in-flight'
  if (status === 'cancelled') return 'cancelled'
  const decision = decisionSummary?.decision
  if (isVerdict(decision)) return decision
  // A verdict that was never established was not withheld.
  if (decision === 'inconclusive')
    return verdictWord(decisionSummary) === 'notEstablished' ? 'undecided' : 'inconclusive'
  if (isVerdict(result)) return result
  return status === 'completed' ? 'undecided' : 'broken'
}

/** Whether a decision or result is one of the two verdicts. */
export function isVerdict(text: string | null | undefined): text is 'passed' | 'failed' {
  return text === 'passed' || text === 'failed'
}

/** Returns the verdict of a decision summary, which services send as text or as an object with a `kind`. */
export function verdictWord(summary: EvalRun['decisionSummary']): string | undefined {
  const verdict = summary?.verdict
  const { kind } = Object(verdict) as { kind?: unknown }
  return wordsOf(verdict) ?? wordsOf(kind)
}

/** Returns the service's reason why a run has no verdict; undefined if it gives none. */
export function whyUndecided(run: Pick<EvalRun, 'decisionSummary'>): string | undefined {
  const { message, reason } = undecidedOf(run)
  return message ?? reason
}

/** Returns why a run has no verdict: the service's `reason`, and its sentence if it gives one. */
export function undecidedOf({ decisionSummary }: Pick<EvalRun, 'decisionSummary'>): {
  reason?: string | undefined
  message?: string | undefined
} {
  // The contract does not define whether the reason is beside the verdict or inside it.
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
