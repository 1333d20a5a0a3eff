import stringWidth from 'string-width'
import { BOUNDS } from '../../lib/bounds.ts'
import { clean as cleanWhole } from '../../lib/printable.ts'
import { sureWidth, withShortGraphemes } from '../terminal/graphemes.ts'

const ASCII = /^[\x20-\x7e]*$/
let segmenter: Intl.Segmenter | undefined

/** Returns the characters of a text as people see them, with their offsets in UTF-16 units. */
export function segmentsOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return segmenter.segment(text)
}

/** Maximum UTF-16 units of a line that are cleaned and measured: no terminal has as many columns. */
const MOST_UNITS = BOUNDS.drawnText.most

/**
 * Makes text from outside safe for one line of a screen, as {@link cleanWhole} does. A text longer than any line is cut
 * first, and so is a character with too many marks; `…` replaces what is missing.
 */
export function clean(text: string): string {
  if (text.length <= MOST_UNITS) return withShortGraphemes(cleanWhole(text))
  return `${withShortGraphemes(cleanWhole(beginning(text, MOST_UNITS)))}…`
}

/** Returns at most this many UTF-16 units from the start of a text, without half a surrogate pair. */
function beginning(text: string, most: number): string {
  const last = text.charCodeAt(most - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most)
}

/** Returns the columns of cleaned text. */
export function widthOf(text: string): number {
  if (text.length === 1) return sureWidth(text.charCodeAt(0)) || stringWidth(text)
  return ASCII.test(text) ? text.length : stringWidth(text)
}

/** A longer text is not measured completely only to learn that it must be cut. */
export const MOST_MEASURED = 1000

/**
 * Cuts cleaned text to a width, with `…` if something is missing; never splits a character, and reads no further than
 * it must.
 */
export function truncate(text: string, width: number): string {
  if (width <= 0) return ''
  if (text.length <= MOST_MEASURED && widthOf(text) <= width) return text
  if (ASCII.test(text.slice(0, width + 1))) return text.length <= width ? text : `${text.slice(0, width - 1)}…`
  for (let looked = MOST_MEASURED; ; looked *= 10) {
    const cut = cutWithin(text, { width, looked })
    if (cut !== undefined) return `${cut}…`
    if (looked >= text.length) return text
  }
}

/**
 * Returns the part before the `…` of a text that is too wide; undefined if the part that was read does not show that it
 * is.
 */
function cutWithin(text: string, { width, looked }: { width: number; looked: number }): string | undefined {
  let used = 0
  let end = 0
  for (const { segment, index } of segmentsOf(text.slice(0, looked))) {
    const next = index + segment.length
    // The last character may continue after the part that was read.
    if (next === looked && looked < text.length) return undefined
    used += widthOf(segment)
    if (used > width) return text.slice(0, end)
    if (used < width) end = next
  }
  return undefined
}

/** Fits cleaned text to exactly this width: cut or padded. */
export function fit(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const cut = truncate(text, width)
  const space = ' '.repeat(Math.max(0, width - widthOf(cut)))
  return align === 'left' ? cut + space : space + cut
}

export type WrapOptions = {
  /** Maximum number of lines to measure. The rest of a longer text is not read. */
  most?: number
  /** A word wider than a line is not broken, so that it can still be copied and clicked; otherwise it is cut. */
  wholeWords?: boolean
}

/** Breaks cleaned text into lines of at most this width, at spaces if there are any. */
export function wrap(text: string, width: number, options: WrapOptions = {}): string[] {
  if (width <= 0) return []
  const { most = Infinity, wholeWords = false } = options
  const lines: string[] = []
  let line = ''
  let used = 0
  const end = (): void => {
    lines.push(withoutSpaces(line))
    line = ''
    used = 0
  }
  for (const word of words(text)) {
    const bare = withoutSpaces(word)
    const columns = widthOf(bare)
    if (used + columns > width && line) end()
    for (const piece of columns <= width || wholeWords ? [bare] : cutToPieces(bare, width)) {
      if (columns > width && line) end()
      if (lines.length >= most) return lines
      line += piece
      used += widthOf(piece)
    }
    line += word.slice(bare.length)
    used += word.length - bare.length
  }
  end()
  return lines
}

/** Yields words with the spaces after them. */
function* words(text: string): Iterable<string> {
  for (let from = 0; from < text.length;) {
    let to = text.indexOf(' ', from)
    if (to === -1) to = text.length
    while (text[to] === ' ') to += 1
    yield text.slice(from, to)
    from = to
  }
}

/** Only spaces are dropped at a line's end: a no-break or ideographic space is part of the text. */
function withoutSpaces(text: string): string {
  return text.replace(/ +$/, '')
}

/** Yields a word that is wider than a line in pieces; each character is read once. */
function* cutToPieces(word: string, width: number): Iterable<string> {
  if (ASCII.test(word)) {
    for (let from = 0; from < word.length; from += width) yield word.slice(from, from + width)
    return
  }
  let piece = ''
  let used = 0
  for (const { segment } of segmentsOf(word)) {
    const columns = widthOf(segment)
    if (used + columns > width && piece) {
      yield piece
      piece = ''
      used = 0
    }
    piece += segment
    used += columns
  }
  if (piece) yield piece
}
