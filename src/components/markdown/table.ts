import type { Tokens } from 'marked'
import type { Line, Span } from '../viewer/source.ts'
import { blank, cleanSpans, fitSpans, widthOfSpans, wrapSpans } from '../viewer/spans.ts'
import type { Frame } from './frame.ts'
import { inlineSpans } from './inline.ts'

/** A column is not made narrower than this. */
const LEAST_COLUMN = 4

/**
 * A table with straight columns; cells that are too long for theirs go on in further rows. Undefined where its columns
 * do not fit.
 */
export function tableLines(table: Tokens.Table, { lead, rest, columns, symbols }: Frame): Line[] | undefined {
  const rows = [table.header, ...table.rows].map((row, index) =>
    row.map(cell => cleanSpans(inlineSpans(cell.tokens, index === 0 ? 'strong' : 'plain').flat())),
  )
  const between: Span = { text: ` ${symbols.lines.vertical} `, tone: 'muted' }
  const taken = widthOfSpans(lead) + 3 * (table.header.length - 1)
  const widths = columnWidths(
    table.header.map((_, column) => Math.max(1, ...rows.map(row => widthOfSpans(row[column] ?? [])))),
    columns - taken,
  )
  if (widths.reduce((sum, width) => sum + width, taken) > columns) return undefined
  const drawn = rows.flatMap((row, index) => {
    const cells = widths.map((width, column) => wrapSpans(row[column] ?? [], width))
    const height = Math.max(1, ...cells.map(cell => cell.length))
    const lines = Array.from({ length: height }, (_, line) =>
      widths.flatMap((width, column) => [
        ...(column === 0 ? [] : [between]),
        ...fitSpans(cells[column]![line] ?? [], width, table.align[column] ?? 'left'),
      ]),
    )
    return index === 0 ? [...lines, ruleSpans(widths, symbols.lines.horizontal)] : lines
  })
  return drawn.map((spans, index) => ({ parts: [...(index === 0 ? lead : rest), ...spans] }))
}

function ruleSpans(widths: readonly number[], horizontal: string): Span[] {
  if (horizontal === ' ') return [blank(1)]
  return [{ text: widths.map(width => horizontal.repeat(width)).join(horizontal.repeat(3)), tone: 'muted' }]
}

/** The widths wanted, with the widest made narrower until all fit. */
function columnWidths(wanted: readonly number[], space: number): number[] {
  const widths = [...wanted]
  let over = widths.reduce((sum, width) => sum + width, 0) - space
  while (over > 0) {
    const widest = Math.max(...widths)
    if (widest <= LEAST_COLUMN) break
    const next = Math.max(LEAST_COLUMN, ...widths.filter(width => width < widest))
    const many = widths.filter(width => width === widest).length
    const less = Math.max(1, Math.min(widest - next, Math.ceil(over / many)))
    for (const [index, width] of widths.entries())
      if (width === widest && over > 0) {
        widths[index] = width - Math.min(less, over)
        over -= Math.min(less, over)
      }
  }
  return widths
}
