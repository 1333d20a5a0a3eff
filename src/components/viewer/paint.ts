import { clean, truncate, widthOf, wrap } from '../../tui/theme/text.ts'
import type { Symbols, Theme } from '../../tui/theme/theme.ts'
import type { Look } from './look.ts'
import { isSameLine, type Line, type LineSource, type Span, type SpanLine } from './source.ts'
import { blank, cleanSpans, paintSpans, truncateSpans, widthOfSpans, wrapSpans } from './spans.ts'

/** Maximum number of wrapped lines that are kept, and of their characters; far more than any screen shows. */
const KEPT_LINES = 2000
const KEPT_CHARACTERS = 8_000_000

/** The drawn rows of each line, wrapped on first use. */
export type PaintedLines = { rows(line: number): readonly string[] }

/** Recently painted lines, for a text that is passed again with mostly the same lines. */
export type PaintMemory = { painted: Map<number, Painted>; characters: number }
type Painted = { line: Line; look: Look; rows: readonly string[] }

export function paintMemory(): PaintMemory {
  return { painted: new Map(), characters: 0 }
}

export function paintLines(source: LineSource, look: Look, memory = paintMemory()): PaintedLines {
  const own = new Map<number, readonly string[]>()
  return {
    rows(line) {
      const known = own.get(line)
      if (known) return known
      if (own.size >= KEPT_LINES) own.clear()
      const rows = remembered(memory, line, look, source.at(line))
      own.set(line, rows)
      return rows
    },
  }
}

function remembered(memory: PaintMemory, index: number, look: Look, line: Line): readonly string[] {
  const before = memory.painted.get(index)
  if (before && isSameLook(before.look, look) && isSameLine(before.line, line)) return before.rows
  const rows = paintLine(line, look)
  memory.characters += charactersOf(rows) - charactersOf(before?.rows ?? [])
  if (memory.painted.size >= KEPT_LINES || memory.characters > KEPT_CHARACTERS) {
    memory.painted.clear()
    memory.characters = charactersOf(rows)
  }
  memory.painted.set(index, { line, look, rows })
  return rows
}

function charactersOf(rows: readonly string[]): number {
  return rows.reduce((sum, row) => sum + row.length, 0)
}

function isSameLook(a: Look, b: Look): boolean {
  return a.theme === b.theme && a.width === b.width && a.wraps === b.wraps && a.pictures === b.pictures
}

/** Returns how many rows lines take, counted up to `most`; lines that are laid out when shown may take any number. */
export function countRows(source: LineSource, look: Look, most: number): number {
  let rows = 0
  for (let index = 0; index < source.count && rows < most; index += 1) {
    const line = source.at(index)
    if (typeof line === 'object' && 'block' in line) return most
    rows += paintLine(line, look).length
  }
  return Math.min(rows, most)
}

/** Returns the rows of a line, at least one. */
export function paintLine(line: Line, look: Look): readonly string[] {
  const { theme, width } = look
  if (typeof line === 'object' && 'block' in line) {
    const rows = line.block(Math.max(1, width - 2), look).flatMap(each => paintLine(each, look))
    return rows.length > 0 ? rows : [' ']
  }
  if (typeof line === 'object' && 'drawn' in line) return [` ${line.drawn}`]
  if (typeof line === 'object' && 'parts' in line)
    return [` ${paintSpans(theme, truncateSpans(cleanSpans(line.parts), Math.max(1, width - 2)))}`]
  if (typeof line === 'object' && 'spans' in line) return paintSpanLine(line, look)
  const { text, tone = 'plain', indent = 0 } = typeof line === 'string' ? { text: line } : line
  const margin = ' '.repeat(indent + 1)
  const columns = Math.max(1, width - margin.length - 1)
  const words = clean(text)
  if (!look.wraps) return [margin + theme.paint(tone, truncate(words, columns))]
  const mark = typeof line === 'string' ? '' : markOf(theme.symbols, words)
  const hang = widthOf(mark)
  const rows = wrap(words.slice(mark.length), Math.max(1, columns - hang))
  return rows.map(
    (part, index) =>
      margin + (index === 0 ? '' : ' '.repeat(hang)) + theme.paint(tone, index === 0 ? mark + part : part),
  )
}

const MARKS = ['ok', 'error', 'warn', 'live', 'pending', 'cancelled', 'bullet'] as const

/**
 * Returns the symbol at the start of a sentence, with the space after it: further rows are indented to the sentence's
 * first word.
 */
function markOf(symbols: Symbols, text: string): string {
  const symbol = MARKS.map(name => symbols[name]).find(each => text.startsWith(`${each} `))
  return symbol === undefined ? '' : `${symbol} `
}

function paintSpanLine(line: SpanLine, { theme, width, wraps }: Look): readonly string[] {
  const lead = cleanSpans(line.lead ?? [])
  const rest = cleanSpans(line.rest ?? [])
  const spans = cleanSpans(line.spans)
  const columns = Math.max(1, width - 2 - Math.max(widthOfSpans(lead), widthOfSpans(rest)))
  if (wraps && line.below !== undefined && isWordBetween(spans, columns, width - 2 - line.below))
    return [lead, [blank(line.below), ...spans]].map(row => ` ${paintSpans(theme, row)}`)
  const rows = wraps ? wrapSpans(spans, columns) : [truncateSpans(spans, columns)]
  return rows.map((row, index) => ` ${paintSpans(theme, [...(index === 0 ? lead : rest), ...row])}`)
}

/** Whether the spans are a single word that fits in the second width but not in the first. */
function isWordBetween(spans: readonly Span[], beside: number, below: number): boolean {
  const columns = widthOfSpans(spans)
  return columns > beside && columns <= below && !spans.some(({ text }) => text.includes(' '))
}

/** Returns a row without colors and links. */
export function plainRow(row: string): string {
  return row.replaceAll(/\u001b\[[\d;]*m|\u001b\]8;[^\u0007\u001b]*\u001b\\/g, '')
}

/** Returns the first of a line's rows that contains a text; row 0 if the text spans several. */
export function rowWith(rows: readonly string[], text: string): number {
  const wanted = text.toLowerCase()
  return Math.max(
    0,
    rows.findIndex(row => plainRow(row).toLowerCase().includes(wanted)),
  )
}

/** Returns a row without its colors, with every match of a text marked. */
export function markMatches(theme: Theme, row: string, text: string): string {
  const plain = plainRow(row)
  const wanted = text.toLowerCase()
  const lower = plain.toLowerCase()
  // If lower case changes the length, offsets in it do not apply to the row.
  if (wanted === '' || lower.length !== plain.length) return row
  let marked = ''
  let from = 0
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, from)) {
    marked += plain.slice(from, at) + theme.paint('match', plain.slice(at, at + wanted.length))
    from = at + wanted.length
  }
  return from === 0 ? row : marked + plain.slice(from)
}

/** Returns a row marked as selected, or as about to be copied. */
export function markSelected(theme: Theme, row: string): string {
  return theme.symbols.pointer + theme.paint('selected', plainRow(row).slice(1) || ' ')
}
