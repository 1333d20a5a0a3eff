import { clean, truncate, wrap } from '../../app/theme/text.ts'
import type { Theme } from '../../app/theme/theme.ts'
import type { Line, LineSource, SpanLine } from './source.ts'
import { cleanSpans, paintSpans, truncateSpans, widthOfSpans, wrapSpans } from './spans.ts'

/** How many wrapped lines are kept; far more than any screen shows. */
const KEPT_LINES = 2000

/** How lines become rows: columns there are, of which the first is the pointer's and the last the scrollbar's. */
export type Look = {
  theme: Theme
  width: number
  /** Whether long lines go on in further rows; otherwise they are cut. */
  wraps: boolean
}

/** The rows of each line as they are drawn, wrapped when they are first asked for. */
export type PaintedLines = { rows(line: number): readonly string[] }

export function paintLines(source: LineSource, look: Look): PaintedLines {
  const kept = new Map<number, readonly string[]>()
  return {
    rows(line) {
      const known = kept.get(line)
      if (known) return known
      if (kept.size >= KEPT_LINES) kept.clear()
      const rows = paintLine(source.at(line), look)
      kept.set(line, rows)
      return rows
    },
  }
}

/** How many rows lines take, counted as far as `most`; lines that are laid out when they show may take any number. */
export function countRows(source: LineSource, look: Look, most: number): number {
  let rows = 0
  for (let index = 0; index < source.count && rows < most; index += 1) {
    const line = source.at(index)
    if (typeof line === 'object' && 'block' in line) return most
    rows += paintLine(line, look).length
  }
  return Math.min(rows, most)
}

/** The rows of a line, at least one. */
export function paintLine(line: Line, look: Look): readonly string[] {
  const { theme, width } = look
  if (typeof line === 'object' && 'block' in line) {
    const rows = line.block(Math.max(1, width - 2)).flatMap(each => paintLine(each, look))
    return rows.length > 0 ? rows : [' ']
  }
  if (typeof line === 'object' && 'parts' in line)
    return [` ${paintSpans(theme, truncateSpans(cleanSpans(line.parts), Math.max(1, width - 2)))}`]
  if (typeof line === 'object' && 'spans' in line) return paintSpanLine(line, look)
  const { text, tone = 'plain', indent = 0 } = typeof line === 'string' ? { text: line } : line
  const margin = ' '.repeat(indent + 1)
  const columns = Math.max(1, width - margin.length - 1)
  const rows = look.wraps ? wrap(clean(text), columns) : [truncate(clean(text), columns)]
  return rows.map(part => margin + theme.paint(tone, part))
}

function paintSpanLine(line: SpanLine, { theme, width, wraps }: Look): readonly string[] {
  const lead = cleanSpans(line.lead ?? [])
  const rest = cleanSpans(line.rest ?? [])
  const spans = cleanSpans(line.spans)
  const columns = Math.max(1, width - 2 - Math.max(widthOfSpans(lead), widthOfSpans(rest)))
  const rows = wraps ? wrapSpans(spans, columns) : [truncateSpans(spans, columns)]
  return rows.map((row, index) => ` ${paintSpans(theme, [...(index === 0 ? lead : rest), ...row])}`)
}

/** A row without colours and links. */
export function plainRow(row: string): string {
  return row.replaceAll(/\u001b\[[\d;]*m|\u001b\]8;[^\u0007\u001b]*\u001b\\/g, '')
}

/** A row without its colours and with every match of a text in it marked. */
export function markMatches(theme: Theme, row: string, text: string): string {
  const plain = plainRow(row)
  const wanted = text.toLowerCase()
  const lower = plain.toLowerCase()
  // Where lower case has another length, places in it mean nothing in the row.
  if (wanted === '' || lower.length !== plain.length) return row
  let marked = ''
  let from = 0
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, from)) {
    marked += plain.slice(from, at) + theme.paint('selected', plain.slice(at, at + wanted.length))
    from = at + wanted.length
  }
  return from === 0 ? row : marked + plain.slice(from)
}

/** A row as the chosen one, or one of those that are about to be copied. */
export function markSelected(theme: Theme, row: string): string {
  return theme.symbols.pointer + theme.paint('selected', plainRow(row).slice(1) || ' ')
}
