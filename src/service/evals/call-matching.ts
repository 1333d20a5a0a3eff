import { differingArguments } from '../../domain/calls/argument-changes.ts'
import { callDifference, callMatchOf } from '../../domain/calls/call-difference.ts'
import { oneLine } from '../core/one-line.ts'
import type { ExpectedToolCall, MatchOptions, ToolCallRecord, CaseSnapshot } from './types.ts'
import type * as z from 'zod'
import { isPublicOrder, mixtureIn, PUBLIC_ORDERS } from '../../domain/suites/match-options.ts'
import { MatchOptionsOverride } from '../../api/contract/eval-shapes.ts'
import { ServiceError } from '../core/errors.ts'
import { defined, canonicalJson } from '../../lib/json.ts'
import { isPlainObject } from '../../api/contract/shapes.ts'
import { assertions, isAssertionName } from '../../api/contract/assertions.ts'

type Order = NonNullable<MatchOptions['toolCallOrder']>

/**
 * Converts match options of either vocabulary to the internal one (contract: EvalRunCreateRequest).
 * @param field the name of the field in the refusal
 * @throws ServiceError `VALIDATION_ERROR`
 */
export function toMatchOptions(options: unknown, field = 'matchOptions'): MatchOptions {
  const parsed = MatchOptionsOverride().safeParse(options)
  if (!parsed.success) throw malformed(parsed.error, field)
  const { toolCallOrder, extraToolCalls, arguments: publicMatching, maxExtraToolCalls, argumentMatching } = parsed.data
  const mixture = mixtureIn(parsed.data)
  if (mixture) throw refusal(`${field}.${mixture.field}`, mixture.problem)
  const order = toolCallOrder && (isPublicOrder(toolCallOrder) ? PUBLIC_ORDERS[toolCallOrder] : toolCallOrder)
  return defined({
    toolCallOrder: order satisfies Order | undefined,
    maxExtraToolCalls: extraToolCalls === 'unlimited' ? null : (extraToolCalls ?? maxExtraToolCalls),
    argumentMatching: publicMatching ?? argumentMatching,
  })
}

function malformed({ issues: [issue] }: z.ZodError, field: string): ServiceError {
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  return refusal([field, ...(issue?.path ?? []), ...unknown].join('.'), issue?.message ?? 'is malformed')
}

function refusal(field: string, problem: string): ServiceError {
  return new ServiceError('VALIDATION_ERROR', `${field}: ${problem}`, { details: { field } })
}

/** The positions of an expected call and of the actual call it was paired with. */
type CallPair = { expectedIndex: number; actualIndex: number }

/** The complete comparison of expected and actual calls. Each call is in exactly one list. */
type CallMatching = {
  passed: boolean
  reason: string
  matched: CallPair[]
  /** Calls of the right tool with the wrong arguments. */
  argumentDifferences: (CallPair & { keys: string[] })[]
  /** Expected calls that were made at the wrong position. */
  outOfOrder: CallPair[]
  /** Positions of expected calls that were not made. */
  missing: number[]
  /** Positions of actual calls that were not expected. */
  extra: number[]
}

type Found = Omit<CallMatching, 'passed' | 'reason'>
type ActualCall = Pick<ToolCallRecord, 'toolName' | 'arguments'>
/**
 * Compares calls with the expected sequence: `ignore` allows any order, `superset` requires the expected order but
 * allows calls between, `strict` requires exactly the expected sequence. If `maxExtraToolCalls` is not set, `strict`
 * allows no extra call, and the others allow any number.
 */
export function matchToolCalls(
  expected: readonly ExpectedToolCall[],
  actual: readonly ActualCall[],
  options: MatchOptions,
): CallMatching {
  const match = callMatchOf(options)
  const { rows, holds } = callDifference({ expected, actual, match })
  const keysOf = ({ expectedIndex, actualIndex }: CallPair): string[] => {
    const [wanted, made] = [expected[expectedIndex]!, actual[actualIndex]!]
    return differingArguments(wanted.arguments, made.arguments, wanted.argumentMatching ?? match.arguments)
  }
  const found: Found = { matched: [], argumentDifferences: [], outOfOrder: [], missing: [], extra: [] }
  for (const row of rows) {
    if (row.kind === 'extra') found.extra.push(row.actual)
    else if (row.kind === 'missing') found.missing.push(row.expected)
    else {
      const pair = { expectedIndex: row.expected, actualIndex: row.actual }
      if (row.kind === 'matched') found.matched.push(pair)
      else if (row.kind === 'order') found.outOfOrder.push(pair)
      else found.argumentDifferences.push({ ...pair, keys: keysOf(pair) })
    }
  }
  const order = options.toolCallOrder ?? 'ignore'
  return { passed: holds, reason: explain(expected, actual, { ...found, order, limit: match.extra }), ...found }
}

function explain(
  expected: readonly ExpectedToolCall[],
  actual: readonly ActualCall[],
  found: Found & { order: string; limit: number | null },
): string {
  const names = (calls: readonly { toolName: string }[]) => calls.map(call => call.toolName).join(', ') || 'no call'
  const at = (calls: readonly { toolName: string }[], index: number) => calls[index]?.toolName ?? ''
  const problems = [
    ...found.missing.map(index => `${at(expected, index)} missing`),
    ...found.argumentDifferences.map(
      ({ expectedIndex, keys }) => `${at(expected, expectedIndex)} differs in ${keys.join(', ')}`,
    ),
    ...found.outOfOrder.map(({ expectedIndex }) => `${at(expected, expectedIndex)} out of order`),
  ]
  if (found.limit !== null && found.extra.length > found.limit)
    problems.push(`${found.extra.length} extra, at most ${found.limit} allowed`)
  const detail = problems.length > 0 ? ` (${problems.join('; ')})` : ''
  return oneLine(`expected ${names(expected)} in order "${found.order}"; actual: ${names(actual)}${detail}`)
}

/**
 * Maximum number of repetitions of one expected call. The assertion itself counts the calls, so more would only enlarge
 * rows.
 */
const MAX_REPEATS = 50

/**
 * Returns the calls that a case expects, in authored order, steps before checks. Identical expectations count once,
 * with their highest `minCount`. "At least once" adds a call only if nothing else expects that
 * tool.
 */
export function expectedToolCalls(snapshot: Pick<CaseSnapshot, 'steps' | 'checks'>): ExpectedToolCall[] {
  const authored: unknown[] = [...snapshot.steps.map(step => step.assertion), ...snapshot.checks]
  const wanted = authored.flatMap(toExpectation)
  const specific = new Set(wanted.filter(({ loose }) => !loose).map(({ call }) => call.toolName))
  const distinct = new Map<string, { call: ExpectedToolCall; count: number }>()
  for (const { call, count, loose } of wanted) {
    if (loose && specific.has(call.toolName)) continue
    const key = canonicalJson(call)
    const known = distinct.get(key)
    if (known) known.count = Math.max(known.count, count)
    else distinct.set(key, { call, count })
  }
  return [...distinct.values()].flatMap(({ call, count }) => Array.from({ length: count }, () => call))
}

function toExpectation(assertion: unknown): { call: ExpectedToolCall; count: number; loose: boolean }[] {
  const { type, ...fields } = (assertion ?? {}) as Record<string, unknown>
  if (!isAssertionName(type)) return []
  if (type === 'toolCalledAtLeastOnce') {
    const parsed = assertions.toolCalledAtLeastOnce.fields().safeParse(fields)
    if (!parsed.success) return []
    const call = { toolName: parsed.data.toolName, arguments: {}, argumentMatching: 'ignore' as const }
    return [{ call, count: 1, loose: true }]
  }
  if (type !== 'toolCalledWith') return []
  const parsed = assertions.toolCalledWith.fields().safeParse(fields)
  if (!parsed.success) return []
  const { toolName, args, minCount } = parsed.data
  const call = {
    toolName,
    arguments: args.args,
    ...(args.argumentMatching && { argumentMatching: args.argumentMatching }),
  }
  return [{ call, count: Math.min(minCount, MAX_REPEATS), loose: false }]
}

/** Returns the text of a message: plain text, or its text parts. */
export function messageText(content: unknown): string {
  if (typeof content === 'string') return content
  const parts = Array.isArray(content) ? (content as unknown[]) : []
  return parts
    .flatMap(part => (isPlainObject(part) && typeof part['text'] === 'string' ? [part['text']] : []))
    .join('\n')
}
