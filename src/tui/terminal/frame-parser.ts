import { rowOf, type Row } from './cells.ts'
import { eachGrapheme } from './graphemes.ts'
import { applySgr, PLAIN, withLink, type Style } from './style.ts'

const CACHED_ROWS = 256
const MAX_LINK_LENGTH = 2083

/** The content of one write of Ink's log-update. */
export type FrameWrite = {
  /** The frame's text without the sequences around it; undefined if the write contains none. */
  body: string | undefined
  /** Ink's cursor position: column, and rows up from the frame's last line. */
  cursor: { up: number; column: number } | undefined
  hidesCursor: boolean
}

/** Matches cursor movement, erasing and modes, but not SGR, before a frame. */
const LEADING_CONTROLS = /(?:\x1b\[[0-9;?]*[@-ln-~])*/y
const HIDE_CURSOR = '\x1b[?25l'
const SHOW_CURSOR = '\x1b[?25h'
const CURSOR_SUFFIX = /(?:\x1b\[(\d*)A)?\x1b\[(\d*)G\x1b\[\?25h$/

/** Splits what Ink writes: `eraseLines + frame + cursor`, or cursor movement alone. */
export function splitWrite(data: string): FrameWrite {
  const suffix = data.endsWith(SHOW_CURSOR) ? CURSOR_SUFFIX.exec(data) : null
  const rest = suffix === null ? data : data.slice(0, suffix.index)
  LEADING_CONTROLS.lastIndex = 0
  LEADING_CONTROLS.exec(rest)
  const body = rest.slice(LEADING_CONTROLS.lastIndex)
  const cursor = suffix === null ? undefined : { up: count(suffix[1], 0), column: Math.max(0, count(suffix[2], 1) - 1) }
  const hidesCursor = rest.slice(0, LEADING_CONTROLS.lastIndex).includes(HIDE_CURSOR)
  return { body: body === '' ? undefined : body, cursor, hidesCursor }
}

function count(digits: string | undefined, absent: number): number {
  if (digits === undefined) return absent
  return digits === '' ? 1 : Number(digits)
}

type ParsedRow = { row: Row; end: Style }

export type RowParser = {
  /** Parses one line of text into a row of cells; the pen starts as `start` (plain by default). */
  parse(line: string, start?: Style): ParsedRow
}

type KeptRow = ParsedRow & { line: string }

/** Returns a parser of lines into rows `width` cells wide, with a bounded cache by their text. */
export function createRowParser(width: number): RowParser {
  // Two generations: a row that is used again moves to the young one, so dropping the old one drops only unused rows.
  let young = new Map<string, KeptRow>()
  let old = young
  return {
    parse(line, start = PLAIN) {
      if (start !== PLAIN) return parseRow(line, width, start)
      const known = young.get(line) ?? old.get(line)
      const parsed = known ?? { ...parseRow(line, width, PLAIN), line: ownText(line) }
      if (young.size >= CACHED_ROWS) {
        old = young
        young = new Map()
      }
      young.set(parsed.line, parsed)
      return parsed
    },
  }
}

/** Copies the text: V8 keeps a substring as a view of the whole frame, which would stay in memory. */
function ownText(line: string): string {
  return ` ${line}`.slice(1)
}

function parseRow(line: string, width: number, start: Style): ParsedRow {
  const graphemes: string[] = []
  const styles: Style[] = []
  let style = start
  const place = (grapheme: string, cells: number): void => {
    if (graphemes.length >= width) return
    // A wide grapheme is never cut in half at the edge: a blank replaces it.
    const visible = graphemes.length + cells <= width
    for (let cell = 0; cell < cells && graphemes.length < width; cell++) {
      graphemes.push(visible ? (cell === 0 ? grapheme : '') : ' ')
      styles.push(style)
    }
  }
  let index = 0
  while (index < line.length) {
    const end = endOfText(line, index)
    if (end > index && graphemes.length < width) eachGrapheme(line.slice(index, end), place)
    index = end
    if (index >= line.length) break
    const control = readControl(line, index)
    if (control.kind === 'sgr') style = applySgr(style, control.value)
    if (control.kind === 'link') style = withLink(style, control.value)
    if (control.kind === 'tab') place(' ', 1)
    index = control.end
  }
  while (graphemes.length < width) {
    graphemes.push(' ')
    styles.push(PLAIN)
  }
  return { row: rowOf(graphemes, styles), end: style }
}

/** Returns the position up to which the text contains no C0, DEL or C1 character. */
function endOfText(line: string, from: number): number {
  let index = from
  for (; index < line.length; index++) {
    const unit = line.charCodeAt(index)
    if (unit < 0x20 || (unit >= 0x7f && unit < 0xa0)) break
  }
  return index
}

type Control = { kind: 'sgr' | 'link' | 'tab' | 'dropped'; value: string; end: number }

const CSI = /(?:\x1b\[|\x9b)([0-?]*)([ -/]*)([@-~]?)/y
const STRING = /(?:\x1b([\]PX^_])|([\x9d\x90\x98\x9e\x9f]))([^\x07\x1b\x9c]*)(?:\x07|\x1b\\|\x9c)?/y
const OTHER_ESCAPE = /\x1b[ -/]*[0-~]?/y

/** Parses the control character or escape sequence (7-bit or C1) at `at`; drops all except SGR, OSC 8 and tab. */
function readControl(line: string, at: number): Control {
  if (line[at] === '\t') return { kind: 'tab', value: '', end: at + 1 }
  const csi = matchAt(CSI, line, at)
  if (csi !== null) {
    const [whole, parameters = '', intermediates, final] = csi
    const isSgr = final === 'm' && intermediates === '' && /^[\d:;]*$/.test(parameters)
    return { kind: isSgr ? 'sgr' : 'dropped', value: parameters, end: at + whole.length }
  }
  const string = matchAt(STRING, line, at)
  if (string !== null) {
    const [whole, introducer, c1, text = ''] = string
    const link = introducer === ']' || c1 === '\x9d' ? linkOf(text) : undefined
    return { kind: link === undefined ? 'dropped' : 'link', value: link ?? '', end: at + whole.length }
  }
  const other = matchAt(OTHER_ESCAPE, line, at)
  return { kind: 'dropped', value: '', end: at + Math.max(1, other?.[0].length ?? 1) }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** Returns the `params;uri` of an OSC 8 text; empty ends the link. Addresses that are not plain ASCII are no links. */
function linkOf(text: string): string | undefined {
  const match = /^8;([\w:=.-]*);([\x21-\x7e]*)$/.exec(text)
  if (match === null) return text.startsWith('8;') ? '' : undefined
  const [, parameters = '', address = ''] = match
  if (address === '' || address.length > MAX_LINK_LENGTH) return ''
  return `${parameters};${address}`
}
