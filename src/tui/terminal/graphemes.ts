import stringWidth from 'string-width'
import { withoutUnprintable } from '../../lib/printable.ts'

const MAX_GRAPHEME_LENGTH = 32

/** Starts a cell that shows a part of a picture; a mark for its row and one for its column follow. */
export const PLACEHOLDER = '\u{10eeee}'
const PICTURE_CELL = /^\u{10eeee}\p{Mn}{2}$/u

/** Created for the first text that needs it: Unicode's rules take 3 MB. */
let segmenter: Intl.Segmenter | undefined

/** A check mark and a ballot cross: the only ones in their block that were never emoji anywhere. */
const TICKS = new Set([0x2713, 0x2717])

/**
 * Returns the cells of a UTF-16 unit (1 or 2) if all terminals agree on them and the unit never joins its neighbors; 0
 * if unsure: combining marks, emoji, joiners, surrogates, scripts with shaping.
 */
export function sureWidth(unit: number): 0 | 1 | 2 {
  if (unit < 0x7f) return unit >= 0x20 ? 1 : 0
  if (unit < 0x2500) return isPlainText(unit) ? 1 : 0
  if (unit < 0x2600) return unit === 0x25fd || unit === 0x25fe ? 0 : 1
  if (unit >= 0x2800 && unit < 0x2900) return 1
  if (TICKS.has(unit)) return 1
  return isPlainWide(unit) ? 2 : 0
}

/** Whether a unit is Latin, Greek, Cyrillic, punctuation, currency, an arrow or an operator: one cell, no joining. */
function isPlainText(unit: number): boolean {
  return (
    (unit >= 0xa1 && unit < 0x250 && unit !== 0xad) ||
    (unit >= 0x391 && unit <= 0x3ff && unit !== 0x3a2) ||
    (unit >= 0x400 && unit <= 0x481) ||
    (unit >= 0x48a && unit <= 0x52f) ||
    (unit >= 0x2010 && unit <= 0x2027) ||
    (unit >= 0x2030 && unit <= 0x205e) ||
    (unit >= 0x20a0 && unit <= 0x20bf) ||
    (unit >= 0x2190 && unit <= 0x22ff)
  )
}

/** Whether a unit is kana, a unified ideograph, a Hangul syllable or a fullwidth form: two cells, no joining. */
function isPlainWide(unit: number): boolean {
  return (
    (unit >= 0x3041 && unit <= 0x3096) ||
    (unit >= 0x30a1 && unit <= 0x30fa) ||
    (unit >= 0x4e00 && unit <= 0x9fff) ||
    (unit >= 0xac00 && unit <= 0xd7a3) ||
    (unit >= 0xff01 && unit <= 0xff60)
  )
}

/**
 * Whether a UTF-16 unit is always a grapheme of its own beside others like it: units with a known width, and symbols
 * such as ticks.
 */
function standsAlone(unit: number): boolean {
  return sureWidth(unit) > 0 || (unit >= 0x2600 && unit < 0x27c0)
}

/** Whether terminals agree on the cells of this grapheme, so that the cursor is where expected. */
export function isSure(grapheme: string): boolean {
  return grapheme.length === 1 ? sureWidth(grapheme.charCodeAt(0)) > 0 : grapheme.startsWith(PLACEHOLDER)
}

/**
 * Calls `place` for every visible grapheme of `text` with its width in cells. `text` must not contain control
 * characters. Graphemes without width (lone marks) and unprintable ones are left out; endless stacks of marks are cut.
 */
export function eachGrapheme(text: string, place: (grapheme: string, width: number) => void): void {
  let index = 0
  while (index < text.length) {
    const unit = text.charCodeAt(index)
    // A character that the following text may extend is left to the segmenter together with its extension.
    if (standsAlone(unit) && (index + 1 === text.length || standsAlone(text.charCodeAt(index + 1)))) {
      const width = sureWidth(unit)
      if (width > 0) place(text.charAt(index), width)
      else placeUnsure(text.charAt(index), place)
      index++
      continue
    }
    let end = index + 1
    while (end < text.length && text.charCodeAt(end) >= 0x7f) end++
    segmenter ??= new Intl.Segmenter()
    for (const { segment } of segmenter.segment(text.slice(index, end))) placeUnsure(segment, place)
    index = end
  }
}

/** Matches units in a row that may form a grapheme longer than any in real text. */
const LONG_RUN = new RegExp(
  `[^\\u0000-\\u024F\\u0391-\\u03FF\\u0400-\\u0481\\u3041-\\u3096\\u30A1-\\u30FA\\u4E00-\\u9FFF\\uAC00-\\uD7A3]` +
    `{${MAX_GRAPHEME_LENGTH + 1},}`,
  'g',
)

/** Replaces what exceeds the longest shown grapheme by `…`: endless marks or endless joined pictures. */
export function withShortGraphemes(text: string): string {
  return text.replace(LONG_RUN, run => {
    segmenter ??= new Intl.Segmenter()
    let short = ''
    for (const { segment } of segmenter.segment(run))
      short += segment.length > MAX_GRAPHEME_LENGTH ? `${cut(segment)}…` : segment
    return short
  })
}

function placeUnsure(segment: string, place: (grapheme: string, width: number) => void): void {
  if (PICTURE_CELL.test(segment)) return place(segment, 1)
  const printed = withoutUnprintable(segment)
  const grapheme = printed.length > MAX_GRAPHEME_LENGTH ? cut(printed) : printed
  const width = stringWidth(grapheme)
  if (width > 0) place(grapheme.isWellFormed() ? grapheme : grapheme.toWellFormed(), width)
}

function cut(segment: string): string {
  const last = segment.charCodeAt(MAX_GRAPHEME_LENGTH - 1)
  return segment.slice(0, last >= 0xd800 && last <= 0xdbff ? MAX_GRAPHEME_LENGTH - 1 : MAX_GRAPHEME_LENGTH)
}

/** Returns how many extra cells a terminal that does not know grapheme clusters may use for this grapheme. */
export function spill(grapheme: string, width: number): number {
  let most = 0
  for (const character of grapheme) most += (character.codePointAt(0) ?? 0) < 0x300 ? 1 : 2
  return Math.max(0, most - width)
}
