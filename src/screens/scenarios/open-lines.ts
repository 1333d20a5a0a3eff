import { beginningOfJson } from '../../lib/json-beginning.ts'
import { greatest } from '../../lib/extremes.ts'
import { isPlainObject } from '../../lib/json.ts'
import { formatAgo, formatCount, formatDuration, formatShare, sentenceCase, UNKNOWN } from '../../lib/format.ts'
import { fieldLines, heading, tableLines, type Field } from '../../components/lines.ts'
import type { Line } from '../../components/viewer.tsx'
import { valueLabel } from '../../domain/findings/insights.ts'
import { bar } from '../../tui/theme/charts.ts'
import { clean, fit, truncate, widthOf } from '../../tui/theme/text.ts'
import type { Symbols } from '../../tui/theme/theme.ts'

type Open = Readonly<Record<string, unknown>>

const INDENT = 2
const DEEPEST = 4
/** Maximum number of characters of JSON that one value shows. */
const MOST_TEXT = 10_000
/** Maximum length of a value beside its label. */
const MOST_BESIDE = 40
/** Records with more fields are shown as fields. */
const MOST_COLUMNS = 10
/** Width of a bar. */
const BAR = 12
/** Width of the largest number with the gaps before it. */
const LONGEST_COUNT = 24

/** Turns `averageAnswerMs` into `average answer`: the words of a field without its unit. */
export function fieldLabel(name: string): string {
  return name
    .replace(/(Ms|At)$/, '')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
}

/** Returns a value of a document in the unit that its name gives; null means that there was nothing to count. */
export function settingLabel(name: string, value: unknown, now: number): string {
  if (value === null || value === undefined) return UNKNOWN
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return !isId(name) && /^[a-z]+(_[a-z]+)+$/.test(value) ? valueLabel(value) : value
  if (typeof value !== 'number') return beginningOfJson(value, MOST_TEXT).text
  if (isShare(name)) return formatShare(value)
  if (name.endsWith('Ms')) return formatDuration(value)
  if (name.endsWith('At')) return formatAgo(value, now)
  return Number.isInteger(value) ? formatCount(value) : String(Math.round(value * 100) / 100)
}

/** How the figures of a document are drawn, and the width. */
export type DocumentLook = { symbols: Symbols; now: number; width: number }

/**
 * Returns an open document in words: shares as bars before other plain values, lists of records as tables, counts of
 * kinds as bars, and everything else below headings. Unknown fields are shown too; ids beside a name are in `rest`.
 * @param within the name of the document above it, and its depth below that
 */
export function documentView(
  document: Open,
  look: DocumentLook,
  within: { name?: string | undefined; depth?: number } = {},
): { lines: Line[]; rest: Field[] } {
  const rest: Field[] = []
  return { lines: documentLines(document, { ...look, rest }, within.depth ?? 0, within.name), rest }
}

type Draw = DocumentLook & { rest: Field[] }

function documentLines(document: Open, draw: Draw, depth: number, above?: string): Line[] {
  const entries = Object.entries(document)
  const plain = entries.filter(([, value]) => !isPlainObject(value) && !Array.isArray(value))
  const name = nameOf(document, draw) ?? above
  // An id without a name is the only way to distinguish it from others.
  const [ids, shown] = partition(plain, each => name !== undefined && isFolded(each))
  draw.rest.push(...ids.map(([id, value]) => foldedField(id, String(value), name!)))
  const fields = shown
    .toSorted(([a], [b]) => Number(isShare(b)) - Number(isShare(a)))
    .map(([name, value]) => [label(name), plainWords(name, value, draw)] as const)
  const [short, long] = partition(fields, ([, words]) => words.length <= MOST_BESIDE)
  return [
    ...(short.length > 0 ? fieldLines(short, depth * INDENT) : []),
    // A value beside its label is cut at the edge of the pane; one on its own line is wrapped.
    ...long.flatMap(([label, words]) => [
      ...indented([{ text: label, tone: 'muted' }], depth),
      ...indented([words], depth + 1),
    ]),
    ...entries.flatMap(([name, value]) => nestedLines(name, value, draw, depth)),
  ]
}

function nestedLines(name: string, value: unknown, draw: Draw, depth: number): Line[] {
  if (!isPlainObject(value) && !Array.isArray(value)) return []
  const title = [...(depth === 0 ? [''] : []), ...indented([heading(label(name))], depth)]
  if (depth >= DEEPEST) return [...title, ...indented([beginningOfJson(value, MOST_TEXT).text], depth + 1)]
  if (isPlainObject(value))
    return [...title, ...(countLines(value, draw, depth) ?? documentLines(value, draw, depth + 1))]
  if (value.length === 0) return [...title, ...indented([{ text: 'none', tone: 'muted' }], depth + 1)]
  const table = recordsTable(value, draw, depth + 1)
  if (table) return [...title, ...table]
  return [
    ...title,
    ...value.flatMap((item: unknown, index): Line[] =>
      isPlainObject(item)
        ? [...(index > 0 ? [''] : []), ...documentLines(item, draw, depth + 1)]
        : indented([settingLabel(name, item, draw.now)], depth + 1),
    ),
  ]
}

/** Counts of each kind, if a nested object contains only counts. */
function countLines(value: Open, { symbols, width: room }: Draw, depth: number): Line[] | undefined {
  const counts = Object.entries(value)
  const isCount = (count: unknown): count is number => Number.isSafeInteger(count) && (count as number) >= 0
  if (depth === 0 || counts.length === 0 || !counts.every(([, count]) => isCount(count))) return undefined
  const most = Math.max(1, greatest(counts.map(([, count]) => count as number)))
  const width = greatest(counts.map(([name]) => widthOf(clean(fieldLabel(name)))))
  // A row is cut at the edge of the pane; fields are wrapped.
  if ((depth + 1) * INDENT + width + BAR + LONGEST_COUNT > room) return undefined
  return counts
    .toSorted(([, a], [, b]) => (b as number) - (a as number))
    .map(([name, count]) => ({
      parts: [
        { text: `${' '.repeat((depth + 1) * INDENT)}${fit(clean(fieldLabel(name)), width)}  `, tone: 'muted' },
        { text: barText(symbols, (count as number) / most), tone: 'accent' },
        { text: formatCount(count as number), tone: 'plain' },
      ],
    }))
}

/** Records of plain values as a table; undefined if a record contains others, or if there are too many columns. */
function recordsTable(items: readonly unknown[], draw: Draw, depth: number): Line[] | undefined {
  const records = items.filter(isPlainObject)
  const isRow = records.every(each => Object.values(each).every(value => value === null || typeof value !== 'object'))
  const names = [...new Set(records.flatMap(each => Object.keys(each)))]
  if (records.length < items.length || !isRow || names.length === 0 || names.length > MOST_COLUMNS) return undefined
  const called = names.findLast(isName) ?? names.find(isId) ?? names[0]!
  const columnOf = (name: string) => ({
    title: label(name),
    cells: records.map(each => settingLabel(name, each[name], draw.now)),
    isNumber: records.some(each => typeof each[name] === 'number'),
  })
  const isNamed = records.every(each => nameOf(each, draw) !== undefined)
  const left = names.filter(
    name => isNamed && records.every(each => each[name] == null || isFolded([name, each[name]])),
  )
  for (const each of records)
    for (const id of left)
      if (typeof each[id] === 'string') draw.rest.push(foldedField(id, each[id], nameOf(each, draw)!))
  const columns = [called, ...names.filter(name => name !== called && !left.includes(name))].map(columnOf)
  return tableLines(columns, draw.width, depth * INDENT)
}

/** Maximum length of a name that says whose an id is. */
const LONGEST_OWNER = 40

/** Returns an id for the folded fields at the end, labelled with the name of what it identifies. */
export function foldedField(name: string, value: string, owner: string): Field {
  return [`${label(name)} of ${truncate(clean(owner), LONGEST_OWNER)}`, value]
}

/** Whether a field is folded at the end if there is a name beside it. */
export function isFolded([name, value]: readonly [string, unknown]): boolean {
  return isId(name) && typeof value === 'string'
}

/** Returns the name of a record, from one of its fields. */
function nameOf(record: Open, { now }: Draw): string | undefined {
  const field = Object.keys(record).findLast(name => isName(name) && typeof record[name] === 'string')
  return field === undefined || record[field] === '' ? undefined : settingLabel(field, record[field], now)
}

function isName(name: string): boolean {
  return /name$|title$|label$/i.test(name)
}

function plainWords(name: string, value: unknown, { symbols, now }: Draw): string {
  const words = settingLabel(name, value, now)
  return isShare(name) && typeof value === 'number' && value >= 0 && value <= 1
    ? barText(symbols, value) + words
    : words
}

function barText(symbols: Symbols, share: number): string {
  const drawn = bar(symbols, share, BAR)
  return drawn === '' ? '' : `${drawn} `
}

function isShare(name: string): boolean {
  return /Rate$|^rate$/.test(name)
}

function isId(name: string): boolean {
  return /^id$|Id$/.test(name)
}

/** Returns the words of a field as a label. */
function label(name: string): string {
  return sentenceCase(fieldLabel(name))
}

function partition<T>(all: readonly T[], isFirst: (each: T) => boolean): [first: T[], second: T[]] {
  return [all.filter(isFirst), all.filter(each => !isFirst(each))]
}

function indented(lines: readonly Line[], depth: number): Line[] {
  if (depth === 0) return [...lines]
  return lines.map((line): Line => {
    if (typeof line === 'string') return { text: line, indent: depth * INDENT }
    if ('text' in line && typeof line.text === 'string') return { ...line, text: line.text, indent: depth * INDENT }
    return line
  })
}
