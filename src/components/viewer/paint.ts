import { clean, wrap } from '../../app/theme/text.ts'
import type { Theme } from '../../app/theme/theme.ts'
import type { Line, LineSource } from './source.ts'

/** How many wrapped lines are kept; far more than any screen shows. */
const KEPT_LINES = 2000

/** The rows of each line as they are drawn, wrapped when they are first asked for. */
export type PaintedLines = { rows(line: number): readonly string[] }

export function paintLines(source: LineSource, theme: Theme, width: number): PaintedLines {
  const kept = new Map<number, readonly string[]>()
  return {
    rows(line) {
      const known = kept.get(line)
      if (known) return known
      if (kept.size >= KEPT_LINES) kept.clear()
      const rows = paintLine(source.at(line), theme, width)
      kept.set(line, rows)
      return rows
    },
  }
}

function paintLine(line: Line, theme: Theme, width: number): readonly string[] {
  if (typeof line === 'object' && 'parts' in line)
    return [` ${line.parts.map(part => theme.paint(part.tone, clean(part.text))).join('')}`]
  const { text, tone = 'plain', indent = 0 } = typeof line === 'string' ? { text: line } : line
  const margin = ' '.repeat(indent + 1)
  return wrap(clean(text), Math.max(1, width - margin.length - 1)).map(
    part => margin + theme.paint(tone, part),
  )
}

/** A row without its colours and with every match of a text in it marked. */
export function markMatches(theme: Theme, row: string, text: string): string {
  const plain = row.replaceAll(/\u001b\[[\d;]*m/g, '')
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

/** A row as one of those that are about to be copied. */
export function markSelected(theme: Theme, row: string): string {
  const plain = row.replaceAll(/\u001b\[[\d;]*m/g, '').slice(1)
  return theme.symbols.pointer + theme.paint('selected', plain || ' ')
}
