import { differingArguments } from './argument-matching.ts'
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

type ActualCall = Pick<ToolCallRecord, 'toolName' | 'arguments'>
type Compatible = (expectedIndex: number, actualIndex: number) => boolean
/** For each expected call the position of its actual one. */
type Pairing = (counts: { expected: number; actual: number }, fits: Compatible) => Map<number, number>

const pairings: Record<NonNullable<MatchOptions['toolCallOrder']>, Pairing> = {
  ignore: pairAnyOrder,
  superset: pairInOrder,
  strict: pairByPosition,
}

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
  const order = options.toolCallOrder ?? 'ignore'
  const modeOf = (call: ExpectedToolCall) => call.argumentMatching ?? options.argumentMatching ?? 'partial'
  const sameTool: Compatible = (e, a) => expected[e]?.toolName === actual[a]?.toolName
  const differing = (e: number, a: number) => {
    const [wanted, made] = [expected[e], actual[a]]
    return wanted && made ? differingArguments(wanted.arguments, made.arguments, modeOf(wanted)) : []
  }
  const fits: Compatible = (e, a) => sameTool(e, a) && differing(e, a).length === 0
  const pairs = pairings[order]({ expected: expected.length, actual: actual.length }, fits)
  const sorted = sortLeftovers({ expected, actual, pairs, sameTool, differing })
  const limit =
    options.maxExtraToolCalls === undefined ? (order === 'strict' ? 0 : null) : options.maxExtraToolCalls
  const passed = pairs.size === expected.length && (limit === null || sorted.extra.length <= limit)
  return { passed, reason: explain(expected, actual, { ...sorted, order, limit }), ...sorted }
}

function pairByPosition({ expected, actual }: { expected: number; actual: number }, fits: Compatible) {
  const pairs = new Map<number, number>()
  for (let at = 0; at < Math.min(expected, actual); at++) if (fits(at, at)) pairs.set(at, at)
  return pairs
}

function pairInOrder({ expected, actual }: { expected: number; actual: number }, fits: Compatible) {
  const pairs = new Map<number, number>()
  let next = 0
  for (let e = 0; e < expected; e++) {
    for (let a = next; a < actual; a++) {
      if (!fits(e, a)) continue
      pairs.set(e, a)
      next = a + 1
      break
    }
  }
  return pairs
}

/** A largest pairing (augmenting paths), so that a loose expectation never takes the call that only a strict one fits. */
function pairAnyOrder({ expected, actual }: { expected: number; actual: number }, fits: Compatible) {
  const takenBy = new Map<number, number>()
  const place = (e: number, tried: Set<number>): boolean => {
    for (let a = 0; a < actual; a++) {
      if (tried.has(a) || !fits(e, a)) continue
      tried.add(a)
      const holder = takenBy.get(a)
      if (holder !== undefined && !place(holder, tried)) continue
      takenBy.set(a, e)
      return true
    }
    return false
  }
  for (let e = 0; e < expected; e++) place(e, new Set())
  return new Map([...takenBy].map(([a, e]) => [e, a] as const).toSorted(([left], [right]) => left - right))
}

type Leftovers = Omit<CallMatching, 'passed' | 'reason'>

/** Explains what the pairing left over: the nearest unpaired call of the same tool, else missing or extra. */
function sortLeftovers(input: {
  expected: readonly ExpectedToolCall[]
  actual: readonly ActualCall[]
  pairs: Map<number, number>
  sameTool: Compatible
  differing: (expectedIndex: number, actualIndex: number) => string[]
}): Leftovers {
  const { expected, actual, pairs, sameTool, differing } = input
  const free = new Set(actual.keys())
  for (const a of pairs.values()) free.delete(a)
  const found: Leftovers = { matched: [], argumentDifferences: [], outOfOrder: [], missing: [], extra: [] }
  for (const expectedIndex of expected.keys()) {
    const paired = pairs.get(expectedIndex)
    if (paired !== undefined) {
      found.matched.push({ expectedIndex, actualIndex: paired })
      continue
    }
    const actualIndex = [...free].find(a => sameTool(expectedIndex, a))
    if (actualIndex === undefined) {
      found.missing.push(expectedIndex)
      continue
    }
    free.delete(actualIndex)
    const keys = differing(expectedIndex, actualIndex)
    if (keys.length > 0) found.argumentDifferences.push({ expectedIndex, actualIndex, keys })
    else found.outOfOrder.push({ expectedIndex, actualIndex })
  }
  found.extra.push(...free)
  return found
}

function explain(
  expected: readonly ExpectedToolCall[],
  actual: readonly ActualCall[],
  found: Leftovers & { order: string; limit: number | null },
): string {
  const names = (calls: readonly { toolName: string }[]) =>
    calls.map(call => call.toolName).join(', ') || 'no call'
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
