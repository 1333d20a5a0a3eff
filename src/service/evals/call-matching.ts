import { differingArguments } from '../../domain/calls/argument-changes.ts'
import { callDifference, callMatchOf } from '../../domain/calls/call-difference.ts'
import { oneLine } from '../core/one-line.ts'
import type { ExpectedToolCall, MatchOptions, ToolCallRecord } from './types.ts'

/** An expected call and the actual one it was paired with, by position. */
export type CallPair = { expectedIndex: number; actualIndex: number }

/** Expected against actual calls, completely: every expected and every actual call is in exactly one list. */
export type CallMatching = {
  passed: boolean
  /** One line that names expected and actual. */
  reason: string
  matched: CallPair[]
  /** The right tool with the wrong arguments. */
  argumentDifferences: (CallPair & { keys: string[] })[]
  /** The right call, but not where the order wants it. */
  outOfOrder: CallPair[]
  /** Positions of expected calls that nothing answers. */
  missing: number[]
  /** Positions of actual calls that nobody expected. */
  extra: number[]
}

type Found = Omit<CallMatching, 'passed' | 'reason'>
type ActualCall = Pick<ToolCallRecord, 'toolName' | 'arguments'>
/**
 * Compares the sequence of calls with the expected one. `ignore` takes any order, `superset` the expected order with
 * others in between, `strict` the same sequence. Calls beyond the paired ones are limited by `maxExtraToolCalls`;
 * where that is absent, `strict` allows none and the other orders any number.
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
