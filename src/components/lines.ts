import { greatest } from '../lib/extremes.ts'
import { beginningOfJson } from '../lib/json-beginning.ts'
import { formatCount, UNKNOWN } from '../lib/format.ts'
import { clean, fit, widthOf } from '../tui/theme/text.ts'
import type { Symbols, Tone } from '../tui/theme/theme.ts'
import type { Problem } from './pane-state.tsx'
import type { OutlineNode } from './viewer/outline-tree.ts'
import { linesNode } from './viewer/sections.ts'
import type { Line, Span, SpanLine } from './viewer/source.ts'

/**
 * Maximum characters of a value in a pane of fields, which is redrawn with every change; the raw record contains the
 * full value.
 */
const VALUE_LIMIT = 4000

export type Field = readonly [label: string, value: string | null | undefined, tone?: Tone]

/**
 * Lays out labels and values in two columns. A long value continues below itself, a long word below its label; an
 * unknown value is marked as unknown, never left blank. A wide viewer shows two fields side by side.
 * @param width width of the labels with the blanks after them, if the values of several groups share a column
 */
export function fieldLines(fields: readonly Field[], indent = 0, width = labelWidth(fields)): SpanLine[] {
  const margin = ' '.repeat(indent)
  return fields.map(([label, value, tone]) => ({
    lead: [{ text: `${margin}${fit(label, width)}`, tone: 'muted' }],
    rest: [{ text: ' '.repeat(indent + width), tone: 'muted' }],
    spans: tone ? [{ text: valueText(value), tone }] : measured(valueText(value)),
    below: indent + 2,
  }))
}

/** Returns the columns of the labels of fields, with the blanks after them. */
export function labelWidth(fields: readonly Field[]): number {
  return greatest(fields.map(([label]) => widthOf(label))) + 2
}

/**
 * Returns how a detail pane shows a record: the fields in the order in which people need them, then `more`. Fields
 * without a value and technical ones, such as ids, are folded into one line at the end.
 */
export function recordView(
  fields: readonly Field[],
  technical: readonly Field[] = [],
  more: readonly Line[] = [],
  width?: number,
): { lines: Line[]; rest: readonly Field[] } {
  return {
    lines: [...fieldLines(fields.filter(hasValue), 0, width), ...more],
    rest: [...fields.filter(field => !hasValue(field)), ...technical],
  }
}

function hasValue([, value]: Field): boolean {
  return valueText(value) !== UNKNOWN
}

/** Returns the line into which ids and other fields are folded; `hint` is the key that folds or unfolds them. */
export function restHead(rest: readonly Field[], isUnfolded?: boolean, hint?: string): Line & { text: string } {
  const does = hint === undefined ? '' : `  (${hint} ${isUnfolded ? 'hides' : 'shows'} them)`
  return { text: `Ids and other fields: ${formatCount(rest.length)}${does}`, tone: 'muted' }
}

/** Returns ids and fields without a value as a folded node at the end of a document. */
export function restNodes(rest: readonly Field[]): OutlineNode[] {
  if (rest.length === 0) return []
  const lines = linesNode('rest', fieldLines(rest)).body!
  return [linesNode('before rest', ['']), { id: 'rest', head: restHead(rest), body: lines, isFlat: true }]
}

/** Matches a number with its unit: `12 ms`, `340ms`, `5 MB`, `74%`. The number is emphasized. */
const MEASURE = /^([\d.,]+)( ?(?:[a-zA-Z]{1,9}|%))$/

function measured(text: string): readonly Span[] {
  const [, number, unit] = MEASURE.exec(text) ?? []
  if (number === undefined || unit === undefined) return [{ text, tone: 'plain' }]
  return [
    { text: number, tone: 'plain' },
    { text: unit, tone: 'muted' },
  ]
}

function valueText(value: string | null | undefined): string {
  if (value == null || value === '') return UNKNOWN
  if (value.length <= VALUE_LIMIT) return value
  return `${value.slice(0, VALUE_LIMIT)} … ${formatCount(value.length - VALUE_LIMIT)} more characters`
}

/** A column of a read-only table; numbers are right-aligned. */
export type TableColumn = { title: string; cells: readonly string[]; isNumber?: boolean; tone?: Tone }

/** Maximum columns of a cell, and columns between two cells. */
const WIDEST_CELL = 36
const GAP = 2

/**
 * Lays out rows under their column titles; columns are as wide as their contents. If a cell or a row would be cut, the
 * cells of each row become fields below each other instead, so that nothing is lost on screen, in a search or in a
 * copy.
 * @param width columns available for the whole table
 */
export function tableLines(columns: readonly TableColumn[], width: number, indent = 0): Line[] {
  const widths = columns.map(({ title, cells }) => greatest([title, ...cells].map(text => widthOf(clean(text)))))
  const whole = indent + widths.reduce((sum, each) => sum + each + GAP, -GAP)
  if (whole > width || widths.some(each => each > WIDEST_CELL)) return recordLines(columns, indent)
  const margin: Span = { text: ' '.repeat(indent), tone: 'plain' }
  const row = (textOf: (column: TableColumn) => string, toneOf: (column: TableColumn) => Tone): Line => ({
    parts: [
      margin,
      ...columns.map((column, index): Span => {
        const text = fit(clean(textOf(column)), widths[index]!, column.isNumber ? 'right' : 'left')
        return { text: index === columns.length - 1 ? text.trimEnd() : text + ' '.repeat(GAP), tone: toneOf(column) }
      }),
    ],
  })
  return [
    row(
      ({ title }) => title,
      () => 'muted',
    ),
    ...(columns[0]?.cells ?? []).map((_, index) =>
      row(
        ({ cells }) => cells[index] ?? '',
        ({ tone }) => tone ?? 'plain',
      ),
    ),
  ]
}

function recordLines(columns: readonly TableColumn[], indent: number): Line[] {
  return (columns[0]?.cells ?? []).flatMap((_, index) => [
    ...(index > 0 ? [''] : []),
    ...fieldLines(
      columns.map(({ title, cells, tone }): Field => [title, cells[index], tone]),
      indent,
    ),
  ])
}

export function heading(text: string): Line {
  return { text, tone: 'accent' }
}

/** Returns the error and the next step, for a text that also says other things. */
export function problemLines(symbols: Symbols, problem: Problem): Line[] {
  return [
    { text: `${symbols.error} ${problem.title}`, tone: 'error', indent: 2 },
    { text: problem.sentence, indent: 2 },
    { text: problem.next, tone: 'muted', indent: 2 },
  ]
}

/** Maximum characters of JSON that is laid out, which happens again with every render; the rest is only mentioned. */
const JSON_LIMIT = 500_000

export function jsonLines(value: unknown, indent = 0): Line[] {
  const { text, isWhole } = beginningOfJson(value, JSON_LIMIT, 2)
  const lines: Line[] = text.split('\n').map(line => {
    const margin = line.length - line.trimStart().length
    return { text: line.trimStart(), indent: indent + margin }
  })
  if (!isWhole) lines.push({ text: '… and more than is shown here', tone: 'warn' })
  return lines
}
