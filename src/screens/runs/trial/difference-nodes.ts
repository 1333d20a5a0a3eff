import { jsonText } from '../../../lib/printable.ts'
import type { ArgumentChange } from '../../../domain/calls/argument-changes.ts'
import {
  callDifference,
  plainCall,
  type CallMatch,
  type CallRow,
  type PlainCall,
} from '../../../domain/calls/call-difference.ts'
import { plural } from '../../../lib/format.ts'
import type { Symbols, Tone } from '../../../tui/theme/theme.ts'
import { jsonNode } from '../../../components/json/json-tree.ts'
import { jsonSample } from '../../../components/transcript/transcript-nodes.ts'
import type { OutlineNode } from '../../../components/viewer/outline-tree.ts'
import { linesNode } from '../../../components/viewer/sections.ts'
import type { Line, Span } from '../../../components/viewer/source.ts'
import { cleanSpans, fitSpans } from '../../../components/viewer/spans.ts'

const ID = 'calls'
/** From this width on expected and actual calls are side by side. */
const TWO_COLUMNS = 90
const WORD_WIDTH = 13
/** Maximum length of a value on one line; a longer one can be unfolded. */
const MOST_VALUE = 60

export type ComparedCalls = {
  expected: readonly Record<string, unknown>[]
  actual: readonly Record<string, unknown>[]
  match: CallMatch
  /** Whether the options could be read; otherwise the contract's defaults are used. */
  isKnown: boolean
  isNegative: boolean
}

export type Difference = {
  nodes: readonly OutlineNode[]
  /** Whether something is wrong, so that it comes first. */
  isWrong: boolean
}

/** Compares expected with actual calls, with the result of each. */
export function differenceOf(symbols: Symbols, compared: ComparedCalls): Difference {
  if (compared.isNegative) return negative(symbols, compared.actual)
  const expected = compared.expected.map(plainCall)
  const actual = compared.actual.map(plainCall)
  if (expected.length === 0) {
    const text = `The case expects no particular call; ${made(actual.length)}.`
    return { nodes: [linesNode(ID, [{ text, tone: 'muted' }])], isWrong: false }
  }
  const { rows, holds } = callDifference({ expected, actual, match: compared.match })
  const wrong = rows.filter(isWrong).length
  const title =
    wrong === 0
      ? `Expected calls: all ${expected.length} as expected`
      : `Expected and actual calls: ${plural(wrong, 'difference')}`
  return {
    isWrong: !holds,
    nodes: [
      {
        id: ID,
        head: { text: title, tone: 'accent' },
        isFlat: true,
        open: wrong > 0,
        children: () => [
          linesNode(`${ID}/match`, [{ text: matchWords(compared), tone: 'muted' }]),
          ...rows.map((row, index) => rowNode({ row, id: `${ID}/${index}`, symbols, expected, actual })),
        ],
      },
    ],
  }
}

function made(count: number): string {
  return count === 0 ? 'none was made' : `${plural(count, 'call')} ${count === 1 ? 'was' : 'were'} made`
}

function negative(symbols: Symbols, actual: readonly Record<string, unknown>[]): Difference {
  const isFine = actual.length === 0
  const text = `No tool may be called; ${made(actual.length)}.`
  const head: Line = isFine
    ? { text: `${symbols.ok} ${text}`, tone: 'ok' }
    : { text: `${symbols.error} ${text}`, tone: 'error' }
  const rows = actual.map((_, index) =>
    rowNode({
      row: { kind: 'extra', actual: index, allowed: false },
      id: `${ID}/${index}`,
      symbols,
      expected: [],
      actual: actual.map(plainCall),
    }),
  )
  if (isFine) return { nodes: [linesNode(ID, [head])], isWrong: false }
  return { nodes: [{ id: ID, head, isFlat: true, open: true, children: () => rows }], isWrong: true }
}

function isWrong(row: CallRow): boolean {
  return row.kind === 'extra' ? !row.allowed : row.kind !== 'matched'
}

const ORDERS: Record<CallMatch['order'], string> = {
  any: 'in any order',
  'in-order': 'in this order, others in between',
  exact: 'exactly in this order',
}
const ARGUMENTS: Record<CallMatch['arguments'], string> = {
  partial: 'only the given arguments',
  exact: 'with exactly these arguments',
  ignore: 'with any arguments',
}

function matchWords({ match, isKnown }: ComparedCalls): string {
  const most = match.extra === 0 ? 'no further calls' : `at most ${plural(match.extra ?? 0, 'further call')}`
  const extra = match.extra === null ? 'any number of further calls' : most
  const words = `Compared ${ORDERS[match.order]}, ${ARGUMENTS[match.arguments]}, ${extra}`
  return isKnown
    ? `${words}: as suite and case are set now.`
    : `${words}: the defaults, since the settings of suite and case could not be read.`
}

type Shown = {
  row: CallRow
  id: string
  symbols: Symbols
  expected: readonly PlainCall[]
  actual: readonly PlainCall[]
}

function lookOf(row: CallRow, symbols: Symbols): { sign: string; tone: Tone; word: string } {
  switch (row.kind) {
    case 'matched':
      return { sign: symbols.ok, tone: 'ok', word: 'matched' }
    case 'missing':
      return { sign: symbols.error, tone: 'error', word: 'missing' }
    case 'arguments':
      return { sign: symbols.changed, tone: 'error', word: 'arguments' }
    case 'order':
      return { sign: symbols.warn, tone: 'error', word: 'out of order' }
    case 'extra':
      return row.allowed
        ? { sign: symbols.new, tone: 'muted', word: 'further' }
        : { sign: symbols.new, tone: 'error', word: 'extra' }
  }
}

function rowNode(shown: Shown): OutlineNode {
  const { row, id, symbols } = shown
  const wanted = 'expected' in row ? shown.expected[row.expected] : undefined
  const called = 'actual' in row ? shown.actual[row.actual] : undefined
  const look = lookOf(row, symbols)
  const sign: Span = { text: `${look.sign} ${look.word.padEnd(WORD_WIDTH)}`, tone: look.tone }
  const changes = row.kind === 'arguments' ? row.changes : []
  const sides = [wanted, called].map(call => (call ? callSpans(call, look.tone) : NOTHING))
  const text = [...new Set([wanted, called].flatMap(call => (call ? [callText(call)] : [])))].join(' / ')
  return {
    id,
    head: { block: columns => [rowLine({ sign, sides, columns, row })], text: () => `${sign.text}${text}` },
    open: isWrong(row),
    copy: () => jsonText({ expected: wanted, actual: called }, 2),
    raw: () => ({ expected: wanted, actual: called }),
    children: () => [
      ...changes.map((change, index) => changeNode(change, `${id}/${index}`, symbols)),
      ...(wanted && row.kind !== 'matched'
        ? [jsonNode(wanted.arguments, { id: `${id}/expected`, name: 'expected arguments ' })]
        : []),
      ...(called ? [jsonNode(called.arguments, { id: `${id}/actual`, name: 'actual arguments ' })] : []),
    ],
  }
}

const NOTHING: readonly Span[] = [{ text: '(none)', tone: 'muted' }]

function callSpans({ toolName, arguments: given }: PlainCall, tone: Tone): Span[] {
  return [
    { text: toolName, tone: tone === 'muted' ? 'muted' : 'strong' },
    { text: ` ${jsonSample(given)}`, tone: tone === 'muted' ? 'muted' : 'plain' },
  ]
}

function callText({ toolName, arguments: given }: PlainCall): string {
  return `${toolName} ${jsonSample(given)}`
}

/** Returns both sides if there is room for them, or one side, preferably the expected one. */
function rowLine(of: { sign: Span; sides: readonly (readonly Span[])[]; columns: number; row: CallRow }): Line {
  const { sign, sides, columns, row } = of
  const [wanted = NOTHING, called = NOTHING] = sides.map(cleanSpans)
  if (columns < TWO_COLUMNS) return { parts: [sign, ...(row.kind === 'extra' ? called : wanted)] }
  const half = Math.floor((columns - sign.text.length - 3) / 2)
  return { parts: [sign, ...fitSpans(wanted, half), { text: ' | ', tone: 'muted' }, ...fitSpans(called, half)] }
}

function changeNode(change: ArgumentChange, id: string, symbols: Symbols): OutlineNode {
  const before = 'expected' in change ? change.expected : undefined
  const after = 'actual' in change ? change.actual : undefined
  const spans: Span[] = [{ text: `${change.path}: `, tone: 'accent' }]
  if (change.kind === 'added') spans.unshift({ text: `${symbols.new} `, tone: 'error' })
  else spans.unshift({ text: `${change.kind === 'removed' ? '-' : symbols.changed} `, tone: 'error' })
  if (change.kind === 'added') spans.push({ text: `${short(after)}, which is not expected`, tone: 'plain' })
  else if (change.kind === 'removed') spans.push({ text: `not given, expected ${short(before)}`, tone: 'plain' })
  else spans.push({ text: `expected ${short(before)}, actual ${short(after)}`, tone: 'plain' })
  const long = [
    ...(isLong(before) ? [jsonNode(before, { id: `${id}/expected`, name: 'expected ', open: 1 })] : []),
    ...(isLong(after) ? [jsonNode(after, { id: `${id}/actual`, name: 'actual ', open: 1 })] : []),
  ]
  return {
    id,
    head: { spans },
    copy: () => jsonText(change, 2),
    raw: () => change,
    ...(long.length > 0 && { children: () => long }),
  }
}

function isLong(value: unknown): boolean {
  return value !== undefined && jsonSample(value).length > MOST_VALUE
}

function short(value: unknown): string {
  const text = jsonSample(value)
  return text.length > MOST_VALUE ? `${text.slice(0, MOST_VALUE - 1)}…` : text
}
