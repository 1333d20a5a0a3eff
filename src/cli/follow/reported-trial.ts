import type { EvalIteration } from '../../api/contract/iterations.ts'
import { causeOf } from '../../domain/runs/causes.ts'
import { whyRanAgain } from '../../domain/runs/trials.ts'
import { defined } from '../../lib/json.ts'

/**
 * A trial with only what following a run prints, judges by and reports. A run can have ten thousand, and what servers
 * returned, scores and configuration are most of them; why one did not pass is in its calls and scores, which stay
 * there alone.
 */
export function reportedTrial(trial: EvalIteration): EvalIteration {
  const { id, testCaseId, title, iterationNumber, status, result, startedAt, durationMs } = trial
  const { model, provider, tokensUsed, error, trialClass } = trial
  const reported: EvalIteration = {
    id,
    testCaseId,
    title,
    iterationNumber,
    status,
    result,
    startedAt,
    durationMs,
    model,
    provider,
    tokensUsed,
    error,
    ...(typeof trialClass === 'string' && { trialClass }),
    ...defined({ ranAgainAfter: whyRanAgain(trial) }),
    ...(trial['checksNothing'] === true && { checksNothing: true }),
  }
  if (causeOf(trial) === undefined) return trial.scores?.length === 0 ? { ...reported, scores: [] } : reported
  return {
    ...reported,
    scores: trial.scores?.flatMap(reportedScore),
    expectedToolCalls: trial.expectedToolCalls?.map(({ toolName }) => ({ toolName })),
    actualToolCalls: trial.actualToolCalls?.map(reportedCall),
  }
}

type Score = NonNullable<EvalIteration['scores']>[number]

/** The scores that say why. */
function reportedScore({ scorerId, status, passed, error, rationale }: Score): Score[] {
  return passed === false || status === 'error' ? [{ scorerId, status, passed, error, rationale }] : []
}

/** Which tool it was, and whether that went wrong. */
function reportedCall({ toolName, error, result }: Record<string, unknown>): Record<string, unknown> {
  const { isError } = Object(result) as { isError?: unknown }
  return { toolName, ...(error != null && { error }), ...(isError === true && { result: { isError } }) }
}
