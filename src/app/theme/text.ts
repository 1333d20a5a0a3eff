import stringWidth from 'string-width'

const ASCII = /^[\x20-\x7e]*$/
const UNSAFE =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff]/g
let segmenter: Intl.Segmenter | undefined

function graphemes(text: string): Iterable<Intl.SegmentData> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return segmenter.segment(text)
}

/** A visible stand-in: control pictures for C0, code points in angle brackets for the rest. */
function visible(character: string): string {
  const code = character.charCodeAt(0)
  if (character === '\t') return '  '
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  if (code === 0x7f) return '␡'
  return `<${code.toString(16).toUpperCase().padStart(4, '0')}>`
}

/**
 * Text from outside made safe for a terminal on one line: control characters, line breaks and
 * marks that reorder or hide text become visible, broken surrogates are replaced.
 */
export function clean(text: string): string {
  if (ASCII.test(text)) return text
  return text.toWellFormed().replace(UNSAFE, visible)
}

/** Columns that cleaned text takes. */
export function widthOf(text: string): number {
  return ASCII.test(text) ? text.length : stringWidth(text)
}

/** Cleaned text cut to a width, with `…` where something is missing; never splits a character. */
export function truncate(text: string, width: number): string {
  if (width <= 0) return ''
  if (widthOf(text) <= width) return text
  if (ASCII.test(text)) return `${text.slice(0, width - 1)}…`
  let taken = ''
  let used = 0
  for (const { segment } of graphemes(text)) {
    const next = used + stringWidth(segment)
    if (next > width - 1) break
    taken += segment
    used = next
  }
  return `${taken}…`
}

/** Cleaned text brought to exactly this width: cut or padded. */
export function fit(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const cut = truncate(text, width)
  const space = ' '.repeat(Math.max(0, width - widthOf(cut)))
  return align === 'left' ? cut + space : space + cut
}

/** Cleaned text broken into lines of at most this width, at spaces where there are some. */
export function wrap(text: string, width: number): string[] {
  if (width <= 0) return []
  const lines: string[] = []
  let line = ''
  let used = 0
  const end = (): void => {
    lines.push(withoutSpaces(line))
    line = ''
    used = 0
  }
  for (const word of text.split(/(?<= )/)) {
    const bare = widthOf(withoutSpaces(word))
    if (used + bare > width && line) end()
    if (bare <= width) {
      line += word
      used += widthOf(word)
      continue
    }
    const pieces = cutToPieces(word, width)
    lines.push(...pieces.slice(0, -1))
    line = pieces.at(-1) ?? ''
    used = widthOf(line)
  }
  end()
  return lines
}

/** Spaces alone are dropped at a line's end: a no-break or ideographic space is somebody's text. */
function withoutSpaces(text: string): string {
  return text.replace(/ +$/, '')
}

/** A word that is wider than a line, in pieces; each character is looked at once. */
function cutToPieces(word: string, width: number): string[] {
  if (ASCII.test(word)) return word.match(new RegExp(`.{1,${width}}`, 'g')) ?? []
  const pieces: string[] = []
  let piece = ''
  let used = 0
  for (const { segment } of graphemes(word)) {
    const columns = stringWidth(segment)
    if (used + columns > width && piece) {
      pieces.push(piece)
      piece = ''
      used = 0
    }
    piece += segment
    used += columns
  }
  if (piece) pieces.push(piece)
  return pieces
}
