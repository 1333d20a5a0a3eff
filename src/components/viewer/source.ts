import type { Tone } from '../../tui/theme/theme.ts'
import type { Look } from './look.ts'

/**
 * A piece of a row in one tone. `link` is an address that a terminal with OSC 8 opens; with `isCursor` the cursor is on
 * the piece, which is shown inverse, in its own color.
 */
export type Span = { text: string; tone: Tone; link?: string; isCursor?: boolean }

/** Styled text that wraps: `lead` is before its first row, `rest` before every further one. */
export type SpanLine = {
  spans: readonly Span[]
  lead?: readonly Span[]
  rest?: readonly Span[]
  /**
   * Columns before a single word that does not fit beside `lead` but fits below it: a broken id cannot be read out or
   * clicked.
   */
  below?: number
  /** Has its own row in a wide viewer too, like an item of a list that is read downwards. */
  isAlone?: boolean
}

/** Several lines that are laid out when they are shown, because they depend on the available columns. */
export type Block = {
  block: (columns: number, look: Look) => readonly Line[]
  /** Returns its visible text, for searching. */
  text: () => string
  /** Returns false if a lower-case text is certainly not in it, so that it need not be laid out for a search. */
  mayHold?: (wanted: string) => boolean
  /** Returns false while its visible text is still being computed; the call starts that. */
  isReady?: () => boolean
  /** Returns the text to copy; by default the visible text. */
  copy?: () => string
  /** Returns its addresses, in order. */
  links?: () => readonly string[]
}

/** A painted row of a picture; never a text from outside. */
export type Drawn = { drawn: string }

/**
 * A line of a text: one tone; several parts of different tones on one row that is cut and may be copied as something
 * else; styled text that wraps; a row of a picture; or a block.
 */
export type Line =
  | string
  | { text: string; tone?: Tone; indent?: number }
  | { parts: readonly Span[]; copy?: string }
  | SpanLine
  | Drawn
  | Block

/** Lines that are requested one by one, so that a text of any length opens at once. */
export type LineSource = { count: number; at(index: number): Line }

/** Maximum length of a line; longer lines are split, so that one line of many megabytes is as fast as many lines. */
const LONGEST_LINE = 10_000

/** Content of a viewer: lines, lines requested one by one, or a whole text with its line breaks. */
export type Lines = readonly Line[] | LineSource | string

export function toSource(lines: Lines): LineSource {
  if (typeof lines === 'string') return textSource(lines)
  return 'at' in lines && 'count' in lines ? lines : { count: lines.length, at: index => lines[index] ?? '' }
}

/** Returns the lines of a text, storing only their start positions. */
export function textSource(text: string): LineSource {
  const starts = [0]
  const ends: number[] = []
  for (let from = 0; ;) {
    const end = text.indexOf('\n', from)
    const stop = end === -1 ? text.length : end
    let piece = from
    while (stop - piece > LONGEST_LINE) {
      const cut = piece + LONGEST_LINE
      // A surrogate pair is one character.
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

/** Whether two lines are certainly drawn alike; blocks only if they are the same object. */
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

/** Returns a line without its colors, for searching. */
export function plainText(line: Line): string {
  if (typeof line === 'string') return line
  if ('block' in line) return line.text()
  if ('drawn' in line) return ''
  if ('parts' in line) return textOf(line.parts)
  if ('spans' in line) return textOf([...(line.lead ?? []), ...line.spans])
  return ' '.repeat(line.indent ?? 0) + line.text
}

/** Whether the line may contain a lower-case text. */
export function mayHold(line: Line, wanted: string): boolean {
  return typeof line === 'string' || !('block' in line) || (line.mayHold?.(wanted) ?? true)
}

/** Whether the visible text of the line is known; if not, it soon will be. */
export function isReady(line: Line): boolean {
  return typeof line === 'string' || !('block' in line) || (line.isReady?.() ?? true)
}

/** Returns a line for copying. */
export function copyText(line: Line): string {
  if (typeof line === 'string' || !('copy' in line) || line.copy === undefined) return plainText(line)
  return typeof line.copy === 'string' ? line.copy : line.copy()
}

function textOf(spans: readonly Span[]): string {
  return spans.map(span => span.text).join('')
}
