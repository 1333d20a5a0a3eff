import type { Tone } from '../../tui/theme/theme.ts'
import type { Look } from './look.ts'

/** A piece of a row in one tone; `link` is an address that a terminal with OSC 8 opens. */
/** A cursor is on it where `isCursor` is set: it shows inverse, in its own colour. */
export type Span = { text: string; tone: Tone; link?: string; isCursor?: boolean }

/** Styled text that wraps: `lead` is before its first row, `rest` before every further one. */
export type SpanLine = {
  spans: readonly Span[]
  lead?: readonly Span[]
  rest?: readonly Span[]
  /**
   * Columns before a single word that has no room beside `lead` and whole below it: an id that is broken cannot be read
   * out or clicked.
   */
  below?: number
  /** Has its row to itself in a wide viewer too, as one of a list that is read downwards. */
  isAlone?: boolean
}

/** Several lines that are laid out when they are shown, because they depend on the columns there are. */
export type Block = {
  block: (columns: number, look: Look) => readonly Line[]
  /** What can be seen of it, as it is searched. */
  text: () => string
  /** False if a text, given in lower case, surely cannot be seen in it: then it need not be laid out for a search. */
  mayHold?: (wanted: string) => boolean
  /** False while what can be seen of it is yet to be found out, which the question begins. */
  isReady?: () => boolean
  /** What is copied of it; absent = what can be seen. */
  copy?: () => string
  /** Addresses in it, in their order. */
  links?: () => readonly string[]
}

/** A row of cells as it is painted, of a picture; never a text from outside. */
export type Drawn = { drawn: string }

/**
 * A line of a text: one tone, several parts of different tones on one row that is cut and may be copied as something
 * else, styled text that wraps, a row of a picture, or a block.
 */
export type Line =
  | string
  | { text: string; tone?: Tone; indent?: number }
  | { parts: readonly Span[]; copy?: string }
  | SpanLine
  | Drawn
  | Block

/** Lines that are asked for one by one, so that a text of any length opens at once. */
export type LineSource = { count: number; at(index: number): Line }

/** A line longer than this is shown as several, so that one line of many megabytes is as light as many lines. */
const LONGEST_LINE = 10_000

/** What a viewer shows: lines, lines asked for one by one, or a whole text with its line breaks. */
export type Lines = readonly Line[] | LineSource | string

export function toSource(lines: Lines): LineSource {
  if (typeof lines === 'string') return textSource(lines)
  return 'at' in lines && 'count' in lines ? lines : { count: lines.length, at: index => lines[index] ?? '' }
}

/** The lines of a text, of which only the starts are kept. */
export function textSource(text: string): LineSource {
  const starts = [0]
  const ends: number[] = []
  for (let from = 0; ;) {
    const end = text.indexOf('\n', from)
    const stop = end === -1 ? text.length : end
    let piece = from
    while (stop - piece > LONGEST_LINE) {
      const cut = piece + LONGEST_LINE
      // A pair of surrogates is one character.
      piece = isLowSurrogate(text.charCodeAt(cut)) ? cut - 1 : cut
      ends.push(piece)
      starts.push(piece)
    }
    ends.push(stop)
    if (end === -1) break
    from = end + 1
    starts.push(from)
  }
  return { count: starts.length, at: index => text.slice(starts[index], ends[index]) }
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}

/** Whether two lines are surely drawn alike; of blocks only the same one is. */
export function isSameLine(a: Line, b: Line): boolean {
  if (a === b) return true
  if (typeof a === 'string' || typeof b === 'string' || 'block' in a || 'block' in b) return false
  if ('drawn' in a) return 'drawn' in b && a.drawn === b.drawn
  if ('parts' in a) return 'parts' in b && isSameSpans(a.parts, b.parts)
  if ('spans' in a)
    return (
      'spans' in b &&
      isSameSpans(a.spans, b.spans) &&
      isSameSpans(a.lead, b.lead) &&
      isSameSpans(a.rest, b.rest) &&
      a.below === b.below
    )
  return 'text' in b && a.text === b.text && a.tone === b.tone && a.indent === b.indent
}

function isSameSpans(a: readonly Span[] = [], b: readonly Span[] = []): boolean {
  return (
    a.length === b.length &&
    a.every(({ text, tone, link }, index) => {
      const other = b[index]!
      return text === other.text && tone === other.tone && link === other.link
    })
  )
}

/** A line without its colours, as it is searched. */
export function plainText(line: Line): string {
  if (typeof line === 'string') return line
  if ('block' in line) return line.text()
  if ('drawn' in line) return ''
  if ('parts' in line) return textOf(line.parts)
  if ('spans' in line) return textOf([...(line.lead ?? []), ...line.spans])
  return ' '.repeat(line.indent ?? 0) + line.text
}

/** Whether it is worth looking for a text, in lower case, in the line. */
export function mayHold(line: Line, wanted: string): boolean {
  return typeof line === 'string' || !('block' in line) || (line.mayHold?.(wanted) ?? true)
}

/** Whether what can be seen of the line is known; where it is not, it will be soon. */
export function isReady(line: Line): boolean {
  return typeof line === 'string' || !('block' in line) || (line.isReady?.() ?? true)
}

/** A line as it is copied. */
export function copyText(line: Line): string {
  if (typeof line === 'string' || !('copy' in line) || line.copy === undefined) return plainText(line)
  return typeof line.copy === 'string' ? line.copy : line.copy()
}

function textOf(spans: readonly Span[]): string {
  return spans.map(span => span.text).join('')
}
