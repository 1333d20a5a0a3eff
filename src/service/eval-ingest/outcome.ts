import { expectedToolCalls, messageText } from '../evals/call-matching.ts'
import { excerpt, oneLine } from '../core/one-line.ts'
import type { PatternTest } from '../evals/pattern.ts'
import { settledOutcome } from '../evals/trial.ts'
import type { Assertion, CaseSnapshot, StepVerdict, ToolCallRecord, Transcript, TrialOutcome } from '../evals/types.ts'
import { classOf, firstReason, judgeChecks } from '../evals/verdicts.ts'
import type { ReportedResult } from './document.ts'

/** Id of the only step of a reported case, which is the prompt. */
const STEP_ID = 'prompt'

const JUDGED_ELSEWHERE = { why: 'judged by the program that reported it', callsBroke: false }

/** Returns the steps and checks of a reported case. If it is rerun here, they judge it. */
export function caseOf({ title, prompt, expectedCalls }: ReportedResult): {
  steps: CaseSnapshot['steps']
  checks: Assertion[]
} {
  return {
    steps: [{ id: STEP_ID, kind: 'prompt', prompt: prompt?.trim() ? prompt : title }],
    checks: expectedCalls.map(({ toolName, arguments: args }) => ({
      type: 'toolCalledWith',
      toolName,
      args: { args },
    })),
  }
}

/**
 * Returns the outcome of a reported iteration. The program's verdict decides, or the case's checks if there is none.
 */
export function outcomeOf(
  result: ReportedResult,
  snapshot: CaseSnapshot,
  now: number,
  test?: PatternTest,
): TrialOutcome {
  const durationMs = result.durationMs ?? 0
  const startedAt = result.startedAt ?? Math.round(now - durationMs)
  const transcript = transcriptOf(result, startedAt)
  const expected = expectedToolCalls(snapshot)
  const checks = judgeChecks(snapshot, transcript, expected, result.verdict && JUDGED_ELSEWHERE, test)
  const reason = oneLine(result.error ?? '').trim() || undefined
  const judged = classOf(checks)
  // An iteration that failed without a verdict may match the expected calls by accident.
  const verdict = result.verdict ?? (judged === 'passed' && reason !== undefined ? 'execution_failed' : undefined)
  const trialClass = verdict ?? judged
  const error = trialClass === 'passed' ? undefined : (reason ?? firstReason(checks) ?? `reported as ${trialClass}`)
  const steps = [{ ...stepOf({ ...result, verdict }, error), startedAt, durationMs }]
  return settledOutcome(snapshot, {
    class: trialClass,
    error,
    steps,
    checks,
    expectedToolCalls: expected,
    transcript,
    startedAt,
    durationMs,
  })
}

function stepOf({ verdict = 'passed', errorDetails }: ReportedResult, error: string | undefined): StepVerdict {
  const status = verdict === 'passed' ? 'ok' : verdict === 'failed' ? 'fail' : 'skipped'
  return {
    stepId: STEP_ID,
    stepIndex: 0,
    kind: 'prompt',
    status,
    ...(status !== 'ok' && error !== undefined && { reason: error }),
    ...(errorDetails !== undefined && { evidence: { details: excerpt(errorDetails) } }),
  }
}

function transcriptOf({ calls, messages, prompt, tokens }: ReportedResult, trialStart: number): Transcript {
  const said = messages.length > 0 || prompt === undefined ? messages : [{ role: 'user' as const, content: prompt }]
  const usage = usageOf(tokens)
  return {
    messages: said,
    toolCalls: calls.map(({ startedAt = trialStart, ...call }): ToolCallRecord => ({
      stepId: STEP_ID,
      ...call,
      startedAt,
    })),
    finalText: messageText(said.findLast(({ role }) => role === 'assistant')?.content),
    userTurns: said.filter(({ role }) => role === 'user').length,
    ...(usage && { usage }),
  }
}

function usageOf(tokens: ReportedResult['tokens']): Transcript['usage'] {
  const { input, output, total } = tokens ?? {}
  if (input == null && output == null && total == null) return undefined
  return {
    ...(input != null && { inputTokens: input }),
    ...(output != null && { outputTokens: output }),
    totalTokens: total ?? (input ?? 0) + (output ?? 0),
  }
}
