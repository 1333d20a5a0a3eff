import { isPlainObject } from '../../api/contract/shapes.ts'
import { argumentChanges, type ArgumentChange, type ArgumentMatching } from './argument-changes.ts'
import { ownValue } from '../../lib/own-value.ts'

/**
 * Options for comparing expected and actual calls (schemas: MatchOptionsOverride). If `extra` is null, any number of
 * extra calls is allowed.
 */
export type CallMatch = { order: 'any' | 'in-order' | 'exact'; extra: number | null; arguments: ArgumentMatching }

/** A call as it is compared. */
export type PlainCall = {
  toolName: string
  arguments: Record<string, unknown>
  /** How to compare the arguments of this expected call; absent if the match options decide. */
  argumentMatching?: ArgumentMatching
}

/** Numbers are positions in the compared lists. */
export type CallRow =
  | { kind: 'matched'; expected: number; actual: number }
  /** The expected tool was called with other arguments. */
  | { kind: 'arguments'; expected: number; actual: number; changes: readonly ArgumentChange[] }
  /** An expected call was made in the wrong order. */
  | { kind: 'order'; expected: number; actual: number }
  | { kind: 'missing'; expected: number }
  | { kind: 'extra'; actual: number; allowed: boolean }

export type CallDifference = {
  /**
   * Each expected and each actual call is in one row: expected calls in their order, extra calls where they were made.
   */
  rows: readonly CallRow[]
  /** Whether the calls match. */
  holds: boolean
}

const ORDERS: Readonly<Record<string, CallMatch['order']>> = {
  any: 'any',
  ignore: 'any',
  'in-order': 'in-order',
  superset: 'in-order',
  exact: 'exact',
  strict: 'exact',
}
const MATCHINGS: readonly unknown[] = ['partial', 'exact', 'ignore'] satisfies ArgumentMatching[]

/** Merges options in either vocabulary. Later layers override earlier ones, and defaults fill in the rest. */
export function callMatchOf(...layers: readonly (Record<string, unknown> | null | undefined)[]): CallMatch {
  let order: CallMatch['order'] = 'any'
  let extra: number | null | undefined
  let matching: ArgumentMatching = 'partial'
  for (const layer of layers) {
    if (!layer) continue
    const { toolCallOrder, extraToolCalls, maxExtraToolCalls } = layer
    order = ownValue(ORDERS, String(toolCallOrder)) ?? order
    const most = extraToolCalls === 'unlimited' ? null : (extraToolCalls ?? maxExtraToolCalls)
    if (most === null || typeof most === 'number') extra = most
    const wanted = layer['arguments'] ?? layer['argumentMatching']
    if (isMatching(wanted)) matching = wanted
  }
  return { order, extra: extra === undefined ? (order === 'exact' ? 0 : null) : extra, arguments: matching }
}

function isMatching(value: unknown): value is ArgumentMatching {
  return MATCHINGS.includes(value)
}

/** Converts a recorded or expected call from any of its formats. */
export function plainCall(call: Record<string, unknown>): PlainCall {
  const name = call['toolName'] ?? call['name']
  const given = call['arguments'] ?? call['args']
  const matching = call['argumentMatching']
  return {
    toolName: typeof name === 'string' ? name : 'unnamed tool',
    arguments: isPlainObject(given) ? given : given == null ? {} : { value: given },
    ...(isMatching(matching) && { argumentMatching: matching }),
  }
}

/** Positions of expected calls, each with the position of the actual call that satisfies it. */
type Pairs = Map<number, number>
type Compared = { expected: readonly PlainCall[]; actual: readonly PlainCall[]; match: CallMatch }
type Changes = (expected: number, actual: number) => readonly ArgumentChange[]

/**
 * Aligns expected with actual calls and returns the state of each. Unmatched calls are aligned too: an expected call
 * with the nearest other call of its tool, so that wrong arguments do not read as one missing and one extra call.
 */
export function callDifference(compared: Compared): CallDifference {
  const { expected, actual, match } = compared
  const changes: Changes = (e, a) => {
    const wanted = expected[e]!
    return argumentChanges(wanted.arguments, actual[a]!.arguments, wanted.argumentMatching ?? match.arguments)
  }
  const pairs = PAIRINGS[match.order](compared, changes)
  const { aligned, extra } = alignLeftovers(compared, pairs, changes)
  const most = match.extra ?? Infinity
  const extras = extra.map((at, index): CallRow => ({ kind: 'extra', actual: at, allowed: index < most }))
  return { rows: inCallOrder(aligned, extras), holds: pairs.size === expected.length && extra.length <= most }
}

const PAIRINGS: Record<CallMatch['order'], (compared: Compared, changes: Changes) => Pairs> = {
  any: pairAny,
  'in-order': pairInOrder,
  exact: pairByPosition,
}

function pairByPosition({ expected, actual }: Compared, changes: Changes): Pairs {
  const pairs: Pairs = new Map()
  for (let at = 0; at < Math.min(expected.length, actual.length); at += 1)
    if (expected[at]!.toolName === actual[at]!.toolName && changes(at, at).length === 0) pairs.set(at, at)
  return pairs
}

function pairInOrder({ expected, actual }: Compared, changes: Changes): Pairs {
  const pairs: Pairs = new Map()
  let next = 0
  for (const [e, { toolName }] of expected.entries()) {
    const found = actual.findIndex((call, a) => a >= next && call.toolName === toolName && changes(e, a).length === 0)
    if (found === -1) continue
    pairs.set(e, found)
    next = found + 1
  }
  return pairs
}

/**
 * Returns a maximum matching (augmenting paths), so that a loose expectation never takes the only call that fits a
 * strict one.
 */
function pairAny({ expected, actual }: Compared, changes: Changes): Pairs {
  const byTool = Map.groupBy(actual.keys(), a => actual[a]!.toolName)
  const fitting = expected.map(({ toolName }, e) =>
    (byTool.get(toolName) ?? []).filter(a => changes(e, a).length === 0),
  )
  const takenBy = new Map<number, number>()
  const place = (e: number, tried: Set<number>): boolean => {
    for (const a of fitting[e]!) {
      if (tried.has(a)) continue
      tried.add(a)
      const holder = takenBy.get(a)
      if (holder !== undefined && !place(holder, tried)) continue
      takenBy.set(a, e)
      return true
    }
    return false
  }
  for (const e of expected.keys()) place(e, new Set())
  return new Map([...takenBy].map(([a, e]) => [e, a]))
}

type Aligned = Exclude<CallRow, { kind: 'extra' }>

/** Returns a row for each expected call. Actual calls without a row are extra. */
function alignLeftovers(
  { expected, actual }: Compared,
  pairs: Pairs,
  changes: Changes,
): { aligned: Aligned[]; extra: number[] } {
  const taken = new Set(pairs.values())
  const free = Map.groupBy(
    [...actual.keys()].filter(a => !taken.has(a)),
    a => actual[a]!.toolName,
  )
  const aligned = expected.map(({ toolName }, e): Aligned => {
    const paired = pairs.get(e)
    if (paired !== undefined) return { kind: 'matched', expected: e, actual: paired }
    const others = free.get(toolName)
    const found = others && nearest(others, a => changes(e, a))
    if (!found) return { kind: 'missing', expected: e }
    others.splice(found.index, 1)
    const { at, differences } = found
    return differences.length === 0
      ? { kind: 'order', expected: e, actual: at }
      : { kind: 'arguments', expected: e, actual: at, changes: differences }
  })
  return { aligned, extra: [...free.values()].flat().toSorted((a, b) => a - b) }
}

/** Maximum number of calls searched for the nearest one. */
const MOST_NEAR = 100

/** Returns the call with the fewest differences; of equal ones, the first. */
function nearest(
  calls: readonly number[],
  changesTo: (actual: number) => readonly ArgumentChange[],
): { index: number; at: number; differences: readonly ArgumentChange[] } | undefined {
  let best: ReturnType<typeof nearest>
  for (const [index, at] of calls.slice(0, MOST_NEAR).entries()) {
    const differences = changesTo(at)
    if (!best || differences.length < best.differences.length) best = { index, at, differences }
    if (differences.length === 0) break
  }
  return best
}

function inCallOrder(aligned: readonly Aligned[], extras: readonly CallRow[]): CallRow[] {
  const rows: CallRow[] = []
  const left = [...extras]
  const actualOf = (row: CallRow): number => ('actual' in row ? row.actual : -1)
  for (const row of aligned) {
    const before = left.findIndex(extra => actualOf(extra) > actualOf(row))
    rows.push(...left.splice(0, before === -1 ? left.length : before), row)
  }
  return [...rows, ...left]
}
