import type { Token, Tokens } from 'marked'
import { widthOf, clean } from '../../tui/theme/text.ts'
import type { Tone } from '../../tui/theme/theme.ts'
import type { Line, Span } from '../viewer/source.ts'
import { blank, cleanSpans, fitSpans, widthOfSpans, wrapSpans } from '../viewer/spans.ts'
import type { Frame } from './frame.ts'
import { inlineSpans } from './inline.ts'

/** Maximum nesting of quotes and lists; deeper ones are shown as source. */
const MOST_NESTED = 16
const NESTED = new RegExp(`^(?:[ \\t]*(?:>|[-*+](?=[ \\t])|\\d{1,9}[.)](?=[ \\t]))){${MOST_NESTED + 1}}`, 'm')
/** Minimum columns for text; deeper nesting is not indented further. */
const LEAST_COLUMNS = 20

/** Whether quotes and lists in a piece of Markdown are nested deeper than is laid out. */
export function isTooNested(text: string): boolean {
  return NESTED.test(text)
}

/** Returns text as written, if it cannot be laid out. */
export function sourceLines(text: string, frame: Frame): Line[] {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line, index) => textLine([{ text: line, tone: 'plain' }], index === 0 ? frame : next(frame)))
}

/** Returns blocks with an empty row between them. */
export function blockLines(tokens: readonly Token[], frame: Frame, apart = true): Line[] {
  const lines: Line[] = []
  for (const token of tokens) {
    const own = linesOf(token, lines.length === 0 ? frame : next(frame))
    if (own.length > 0 && lines.length > 0 && apart) lines.push(textLine([], next(frame)))
    lines.push(...own)
  }
  return lines
}

function next(frame: Frame): Frame {
  return { ...frame, lead: frame.rest }
}

function textLine(spans: readonly Span[], { lead, rest }: Frame): Line {
  return { spans, lead, rest }
}

function linesOf(token: Token, frame: Frame): Line[] {
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return []
    case 'heading':
      return headingLines(token as Tokens.Heading, frame)
    case 'paragraph':
    case 'text':
      return inlineLines(token as Tokens.Paragraph, frame)
    case 'code':
      return codeLines((token as Tokens.Code).text, (token as Tokens.Code).lang ?? '', frame)
    case 'blockquote':
      return quoteLines(token as Tokens.Blockquote, frame)
    case 'list':
      return listLines(token as Tokens.List, frame)
    case 'table':
      return tableLines(token as Tokens.Table, frame) ?? sourceLines(token.raw, frame)
    case 'hr':
      return [textLine([{ text: ruleOf(frame), tone: 'muted' }], frame)]
    default:
      return sourceLines(token.raw, frame).map(line => inTone(line, 'muted'))
  }
}

function inTone(line: Line, tone: Tone): Line {
  return typeof line === 'object' && 'spans' in line
    ? { ...line, spans: line.spans.map(span => ({ ...span, tone })) }
    : line
}

function ruleOf({ columns, lead, symbols }: Frame): string {
  return symbols.lines.horizontal.repeat(Math.max(1, columns - width(lead)))
}

function width(spans: readonly Span[]): number {
  return spans.reduce((sum, span) => sum + widthOf(clean(span.text)), 0)
}

function headingLines({ depth, tokens }: Tokens.Heading, frame: Frame): Line[] {
  const tone: Tone = depth <= 2 ? 'key' : 'strong'
  const mark: Span = { text: `${'#'.repeat(depth)} `, tone: 'muted' }
  const spans = inlineSpans(tokens, tone).flat()
  return [textLine([mark, ...spans], frame)]
}

/** Lays out a paragraph; hard breaks start a new line. */
function inlineLines(token: Tokens.Paragraph | Tokens.Text, frame: Frame): Line[] {
  const lines = inlineSpans(token.tokens ?? [], 'plain', token.text)
  return lines.map((spans, index) => textLine(spans, index === 0 ? frame : next(frame)))
}

/** Lays out code with a bar at its left and, if known, its language above. */
export function codeLines(text: string, language: string, frame: Frame, isFirst = true): Line[] {
  const bar: Span = { text: `${frame.symbols.lines.vertical} `, tone: 'muted' }
  const within = inner(frame, bar, bar)
  const label = language === '' || !isFirst ? [] : [textLine([{ text: language, tone: 'muted' }], within)]
  const code = text.replace(/\n$/, '').split('\n')
  return [
    ...label,
    ...code.map((line, index) =>
      textLine([{ text: line.replace(/\r$/, ''), tone: 'plain' }], index + label.length === 0 ? within : next(within)),
    ),
  ]
}

function quoteLines({ tokens }: Tokens.Blockquote, frame: Frame): Line[] {
  const bar: Span = {
    text: `${frame.symbols.lines.vertical === ' ' ? '>' : frame.symbols.lines.vertical} `,
    tone: 'accent',
  }
  return blockLines(tokens, inner(frame, bar, bar))
}

function listLines(list: Tokens.List, frame: Frame): Line[] {
  const first = typeof list.start === 'number' ? list.start : 1
  const widest = list.ordered ? String(first + list.items.length - 1).length + 2 : 2
  return list.items.flatMap((item, index) => {
    const sign = list.ordered ? `${first + index}. `.padStart(widest) : `${frame.symbols.bullet} `
    const task = item.task ? (item.checked ? '[x] ' : '[ ] ') : ''
    const lead: Span = { text: sign + task, tone: 'accent' }
    const rest = blank(widthOf(lead.text))
    const outer = index === 0 ? frame : next(frame)
    const lines = blockLines(item.tokens, inner(outer, lead, rest), item.loose)
    if (lines.length === 0) return [textLine([], inner(outer, lead, rest))]
    return item.loose && index < list.items.length - 1 ? [...lines, textLine([], next(frame))] : lines
  })
}

/** Returns the frame nested one level deeper, if there are enough columns. */
function inner(frame: Frame, lead: Span, rest: Span): Frame {
  const isNarrow = frame.columns - width(frame.rest) - widthOf(clean(lead.text)) < LEAST_COLUMNS
  return {
    ...frame,
    lead: [...frame.lead, lead],
    rest: isNarrow ? frame.rest : [...frame.rest, rest],
    ...(isNarrow && { lead: frame.lead.length > 0 ? frame.lead : [lead] }),
  }
}

/** Minimum width of a column. */
const LEAST_COLUMN = 4

/**
 * Lays out a table with aligned columns; cells that are too long continue in further rows. Returns undefined if its
 * columns do not fit.
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

/** Returns the wanted widths, with the widest ones reduced until all fit. */
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
