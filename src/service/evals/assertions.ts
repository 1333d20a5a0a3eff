import { isPlainObject, type Shape } from '../../api/contract/shapes.ts'
import {
  assertionNames,
  assertions,
  isAssertionName,
  type AssertionName,
  type AssertionDeclaration,
} from '../../api/contract/assertions.ts'
import { argumentsMatch } from '../../domain/calls/argument-changes.ts'
import { brief, excerpt, oneLine } from '../core/one-line.ts'
import { testPattern, type PatternTest } from './pattern.ts'
import type { ToolCallRecord, Transcript, WidgetObservation } from './types.ts'
import type * as z from 'zod'

const SHOWN_CALLS = 3

/** Rules of the declared types. Each judges one transcript. */
const assertionTypes = {
  toolCalledWith: assertionType(
    assertions.toolCalledWith,
    ({ toolName: tool, args: { args, argumentMatching = 'partial' }, minCount }, { toolCalls }) => {
      const calls = callsOf(toolCalls, tool)
      const matching = calls.filter(call => argumentsMatch(args, call.arguments, argumentMatching))
      return {
        passed: matching.length >= minCount,
        expected: `at least ${times(minCount)} of ${tool} with ${brief(args)} (${argumentMatching})`,
        actual: `${matching.length} matching of ${describeCalls(calls)}`,
        values: { expected: args, actual: calls.map(call => call.arguments) },
      }
    },
  ),
  toolCalledAtLeastOnce: assertionType(assertions.toolCalledAtLeastOnce, ({ toolName: tool }, { toolCalls }) => {
    const { length } = callsOf(toolCalls, tool)
    return { passed: length > 0, expected: `a call of ${tool}`, actual: describeTools(toolCalls) }
  }),
  toolNeverCalled: assertionType(assertions.toolNeverCalled, ({ toolName: tool }, { toolCalls }) => {
    const { length } = callsOf(toolCalls, tool)
    return { passed: length === 0, expected: `no call of ${tool}`, actual: times(length) }
  }),
  firstToolWas: assertionType(assertions.firstToolWas, ({ toolName: tool }, { toolCalls }) => {
    const first = toolCalls[0]?.toolName
    return { passed: first === tool, expected: `the first call to be ${tool}`, actual: first ?? 'no call' }
  }),
  responseContains: assertionType(assertions.responseContains, ({ needle, caseSensitive }, { finalText }) => {
    const fold = (text: string) => (caseSensitive ? text : text.toLowerCase())
    return {
      passed: fold(finalText).includes(fold(needle)),
      expected: `final text containing ${brief(needle)}${caseSensitive ? ' (case-sensitive)' : ''}`,
      actual: brief(finalText),
      values: { expected: needle, actual: excerpt(finalText) },
    }
  }),
  responseMatches: assertionType(assertions.responseMatches, ({ pattern }, transcript, test) => {
    const { finalText } = transcript
    const answer = test(pattern, finalText, transcript)
    return {
      passed: 'matches' in answer && answer.matches,
      expected: `final text matching ${brief(pattern)}`,
      actual: 'problem' in answer ? `no answer: ${answer.problem}` : brief(finalText),
      values: { expected: pattern, actual: excerpt(finalText) },
    }
  }),
  noToolErrors: assertionType(assertions.noToolErrors, (_fields, { toolCalls }) => {
    const failed = toolCalls.filter(call => call.error !== undefined || call.result?.['isError'] === true)
    const [first] = failed
    const detail = first && `, first ${first.toolName}: ${first.error ?? 'result with isError'}`
    return { passed: !first, expected: 'no tool error', actual: `${failed.length}${detail ?? ''}` }
  }),
  finalAssistantMessageNonEmpty: assertionType(assertions.finalAssistantMessageNonEmpty, (_fields, { finalText }) => ({
    passed: /\S/.test(finalText),
    expected: 'final text that is not blank',
    actual: brief(finalText),
  })),
  tokenBudgetUnder: assertionType(assertions.tokenBudgetUnder, ({ tokens }, { usage }) =>
    under(usage?.totalTokens, tokens, 'tokens', 'no recorded usage'),
  ),
  turnCountUnder: assertionType(assertions.turnCountUnder, ({ turns }, { userTurns }) =>
    under(userTurns, turns, 'user turns', 'no recorded count'),
  ),
  widgetRendered: widgetAssertion(assertions.widgetRendered, 'a rendered widget', (_fields, seen) => {
    const rendered = seen.filter(widget => widget.rendered).length
    return { passed: rendered > 0, actual: `${rendered} rendered of ${seen.length} observed` }
  }),
  widgetRenderLatencyUnder: widgetAssertion(
    assertions.widgetRenderLatencyUnder,
    ({ ms }) => `every widget rendered in under ${ms} ms`,
    ({ ms }, seen) => {
      const rendered = seen.filter(widget => widget.rendered)
      // A widget without a measured latency counts as slower than any limit.
      const latencies = rendered.map(widget => widget.latencyMs ?? Infinity)
      const slowest = Math.max(...latencies)
      const known = Number.isFinite(slowest) ? `${slowest} ms at most` : 'one without a measured latency'
      return {
        passed: rendered.length > 0 && slowest < ms,
        actual: rendered.length > 0 ? known : `none rendered of ${seen.length} observed`,
      }
    },
  ),
  widgetNoConsoleErrors: widgetAssertion(assertions.widgetNoConsoleErrors, 'no console errors', (_fields, seen) => {
    const errors = seen.flatMap(widget => widget.consoleErrors)
    return {
      passed: errors.length === 0,
      actual: errors.length === 0 ? `none in ${seen.length} observed` : `${errors.length}, first ${brief(errors[0])}`,
    }
  }),
} satisfies Record<AssertionName, AssertionType>

/** Judges one assertion. Unknown types and malformed fields fail. Only a defect of the evaluator itself throws. */
export function judgeAssertion(
  assertion: unknown,
  transcript: Transcript,
  test: PatternTest = testPattern,
): AssertionVerdict {
  if (!isPlainObject(assertion)) return closed('an assertion object', brief(assertion))
  const { type } = assertion
  if (isAssertionName(type)) return assertionTypes[type].judge(assertion, transcript, test)
  return closed(`one of the known assertion types (${assertionNames.join(', ')})`, brief(type))
}

function under(value: number | undefined, limit: number, unit: string, unknown: string): Finding {
  return {
    passed: value !== undefined && value < limit,
    expected: `fewer than ${limit} ${unit}`,
    actual: value === undefined ? unknown : String(value),
  }
}

function callsOf(calls: readonly ToolCallRecord[], tool: string): ToolCallRecord[] {
  return calls.filter(call => call.toolName === tool)
}

function times(count: number): string {
  return count === 1 ? '1 call' : `${count} calls`
}

function describeCalls(calls: readonly ToolCallRecord[]): string {
  if (calls.length === 0) return times(0)
  return `${times(calls.length)} with ${listSome(calls, call => brief(call.arguments))}`
}

function describeTools(calls: readonly ToolCallRecord[]): string {
  return calls.length === 0 ? 'no call' : `calls of ${listSome(calls, call => call.toolName)}`
}

function listSome<T>(items: readonly T[], show: (item: T) => string): string {
  const more = items.length - SHOWN_CALLS
  return items.slice(0, SHOWN_CALLS).map(show).join(', ') + (more > 0 ? `, ${more} more` : '')
}

/**
 * The verdict of one assertion. Unless a pattern runs out of time, it depends only on the assertion and the transcript.
 */
export type AssertionVerdict = { passed: boolean; reason: string; expected?: unknown; actual?: unknown }

type AssertionType<Fields = unknown> = {
  fields: Shape<z.ZodType<Fields>>
  judge(assertion: unknown, transcript: Transcript, test: PatternTest): AssertionVerdict
}

type Finding = { passed: boolean; expected: string; actual: string; values?: { expected?: unknown; actual?: unknown } }

type FieldsOf<Raw extends z.ZodRawShape> = z.infer<z.ZodObject<Raw, z.core.$strict>>

/**
 * Defines the rule of a declared type. The fields are validated first; an invalid field fails the assertion and is
 * named.
 */
function assertionType<Raw extends z.ZodRawShape>(
  { fields }: AssertionDeclaration<Raw>,
  rule: (fields: FieldsOf<Raw>, transcript: Transcript, test: PatternTest) => Finding,
): AssertionType<FieldsOf<Raw>> {
  return {
    fields,
    judge(assertion, transcript, test) {
      const { type, ...rest } = assertion as { type: string } & Record<string, unknown>
      const parsed = fields().safeParse(rest)
      if (!parsed.success) return closed(`well-formed fields of ${type}`, describeIssues(parsed.error))
      const { passed, expected, actual, values } = rule(parsed.data, transcript, test)
      return { passed, reason: oneLine(`expected ${expected}; actual: ${actual}`), ...values }
    },
  }
}

/** Defines a rule for the widgets that the assertion covers. It fails if there was none. */
function widgetAssertion<Raw extends z.ZodRawShape & { toolName: z.ZodOptional<z.ZodString> }>(
  declared: AssertionDeclaration<Raw>,
  expected: string | ((fields: FieldsOf<Raw>) => string),
  rule: (fields: FieldsOf<Raw>, seen: WidgetObservation[]) => Pick<Finding, 'passed' | 'actual'>,
): AssertionType<FieldsOf<Raw>> {
  return assertionType(declared, (fields, { widgets = [] }) => {
    const scope = (fields as { toolName?: string }).toolName
    const seen = widgets.filter(widget => scope === undefined || widget.toolName === scope)
    const words = typeof expected === 'string' ? expected : expected(fields)
    const finding =
      seen.length > 0 ? rule(fields, seen) : { passed: false, actual: 'no widget observed (needs a browser runner)' }
    return { expected: scope === undefined ? words : `${words} for ${scope}`, ...finding }
  })
}

/** Returns the verdict if nothing can be judged: failed, with the reason. */
function closed(expected: string, actual: string): AssertionVerdict {
  return { passed: false, reason: oneLine(`expected ${expected}; actual: ${actual}`) }
}

function describeIssues(error: z.ZodError): string {
  return error.issues
    .map(issue => (issue.path.length > 0 ? `${issue.path.join('.')}: ${issue.message}` : issue.message))
    .join('; ')
}
