import { type AssertionVerdict, judgeAssertion } from './assertions.ts'
import { matchToolCalls } from './call-matching.ts'
import { messageOf } from '../core/one-line.ts'
import type { PatternTest } from './pattern.ts'
import { checkId } from './scores.ts'
import type { TrialClass } from '../../domain/runs/trial-classes.ts'
import type {
  Assertion,
  CaseSnapshot,
  CheckVerdict,
  ExpectedToolCall,
  Judged,
  StepVerdict,
  Transcript,
} from './types.ts'
/** Judges an assertion. A failure of the evaluator itself is reported as such and never as a failed case. */
export function judge(assertion: unknown, transcript: Transcript, test?: PatternTest): Judged {
  return guarded(() => judgeAssertion(assertion, transcript, test))
}

export type EarlyEnd = {
  why: string
  /** Whether unanswered calls failed, rather than being cancelled. */
  callsBroke: boolean
}

/**
 * Judges an assertion of a trial that ended early: it is skipped, because an assertion such as "never called" would
 * pass by accident. Only `noToolErrors` can fail, namely if `callsBroke`.
 */
export function judgeEarly(assertion: unknown, transcript: Transcript, { why, callsBroke }: EarlyEnd): Judged {
  const skipped: Judged = { status: 'skipped', reason: why }
  if (!callsBroke || (assertion as Assertion | undefined)?.type !== 'noToolErrors') return skipped
  const judged = judge(assertion, transcript)
  return judged.status === 'fail' ? judged : skipped
}

/** A rule for the whole trial, beside the verdicts on its steps. */
type TrialRule = Pick<CheckVerdict, 'id' | 'source' | 'type'> & {
  assertion?: Assertion
  judge(transcript: Transcript, test?: PatternTest): Judged
}

/**
 * Returns the verdicts on the whole trial: by the rule for negative cases or by the match options, and by `checks`.
 * @param early see {@link judgeEarly}
 */
export function judgeChecks(
  snapshot: CaseSnapshot,
  transcript: Transcript,
  expected: readonly ExpectedToolCall[],
  early?: EarlyEnd,
  test?: PatternTest,
): CheckVerdict[] {
  return rulesOf(snapshot, expected).map(({ judge: rule, assertion, ...identity }) => ({
    ...identity,
    ...(early ? judgeEarly(assertion, transcript, early) : rule(transcript, test)),
  }))
}

/**
 * Returns the class of a completed trial. One failure makes it fail. If there is none, but the evaluator itself failed
 * somewhere, the trial has no verdict.
 */
export function classOf(verdicts: readonly Judged[]): Extract<TrialClass, 'passed' | 'failed' | 'evaluator_error'> {
  if (verdicts.some(verdict => verdict.status === 'fail')) return 'failed'
  return verdicts.some(verdict => verdict.evaluatorError !== undefined) ? 'evaluator_error' : 'passed'
}

export function firstReason(verdicts: readonly (StepVerdict | CheckVerdict)[]): string | undefined {
  const first =
    verdicts.find(verdict => verdict.status === 'fail') ??
    verdicts.find(verdict => verdict.evaluatorError !== undefined)
  return first?.reason
}

function rulesOf(snapshot: CaseSnapshot, expected: readonly ExpectedToolCall[]): TrialRule[] {
  const { matchOptions } = snapshot
  const rules: TrialRule[] = []
  if (snapshot.isNegative) {
    rules.push({ id: 'negative', source: 'negative', type: 'noToolCalled', judge: judgeNegative })
  } else if (matchOptions) {
    const match = ({ toolCalls }: Transcript) => guarded(() => matchToolCalls(expected, toolCalls, matchOptions))
    rules.push({ id: 'match', source: 'match', type: 'toolCallMatch', judge: match })
  }
  for (const [index, check] of snapshot.checks.entries())
    rules.push({
      id: checkId(check, index),
      source: 'check',
      type: check.type,
      assertion: check,
      judge: (transcript, test) => judge(check, transcript, test),
    })
  return rules
}

function judgeNegative({ toolCalls }: Transcript): Judged {
  const names = toolCalls.map(call => call.toolName).join(', ')
  return toJudged({
    passed: toolCalls.length === 0,
    reason: `expected no tool call (negative case); actual: ${names || 'none'}`,
  })
}

function guarded(evaluate: () => Pick<AssertionVerdict, 'passed' | 'reason' | 'expected' | 'actual'>): Judged {
  try {
    return toJudged(evaluate())
  } catch (error) {
    const evaluatorError = messageOf(error)
    return { status: 'skipped', reason: `not graded, the evaluator failed: ${evaluatorError}`, evaluatorError }
  }
}

function toJudged({ passed, reason, expected, actual }: AssertionVerdict): Judged {
  const evidence = { ...(expected !== undefined && { expected }), ...(actual !== undefined && { actual }) }
  return { status: passed ? 'ok' : 'fail', reason, ...(Object.keys(evidence).length > 0 && { evidence }) }
}
