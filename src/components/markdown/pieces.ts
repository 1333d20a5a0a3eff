/**
 * A piece of a document that can be laid out separately: a heading, one or more blocks that belong together, a part of
 * a code block. Positions are offsets in the text.
 */
export type Piece =
  | { kind: 'heading'; from: number; to: number; level: number }
  | { kind: 'blocks'; from: number; to: number; tableHead?: { from: number; to: number } }
  | { kind: 'code'; from: number; to: number; fence: Fence; isFirst: boolean }

/** A fenced code block; `to` is the end of its code, known once it was found. */
export type Fence = { language: string; from: number; to: number; indent: number }

/** A piece is cut at the next line end after this many characters, which limits the cost of showing a screen. */
export const MOST_PIECE = 4000

/** Maximum number of link definitions that are kept; `DEFINITION` limits their length. */
const MOST_DEFINITIONS = 10_000

/** Matches a fence: no backticks may follow one of backticks on its line; anything may follow one of tildes. */
const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})[ \t]*(.*)$/
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]|$)/
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/
const LIST_ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/
const TABLE_LINE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/
const DEFINITION = /^ {0,3}\[([^\]\\]{1,200})\]:[ \t]*<?([^\s>]{1,2000})/
const NO_PARAGRAPH = /^(?:[ \t]|[>|]|[-*+][ \t]|\d{1,9}[.)][ \t])/

/** Link addresses by the lower-case names that a text uses for them. */
export type Definitions = Record<string, { href: string; title: string }>

export type Scanner = {
  readonly pieces: readonly Piece[]
  readonly definitions: Definitions
  readonly isDone: boolean
  /** Continues for about this many characters, and at least to the end of a line. */
  scan(characters: number): void
}

/** Cuts a text into pieces in one pass over its lines; lays out nothing. */
export function scanPieces(text: string): Scanner {
  return new Cutter(text)
}

/** The blocks being scanned; their piece starts at `from`. */
type Blocks = {
  from: number
  /** Number of non-empty lines. */
  lines: number
  isList: boolean
  /** The last line was empty, so the next one may start a new block. */
  isPaused: boolean
  table?: { from: number; to: number }
}

/** The code block being scanned; the next piece starts at `piece`. */
type Code = { fence: Fence; mark: string; piece: number; isFirst: boolean }

class Cutter implements Scanner {
  readonly pieces: Piece[] = []
  readonly definitions = Object.create(null) as Definitions
  readonly #text: string
  #defined = 0
  #at = 0
  #blocks: Blocks | undefined
  #code: Code | undefined
  /** The previous line, empty if no paragraph continues. */
  #previous = ''

  constructor(text: string) {
    this.#text = text
  }

  get isDone(): boolean {
    return this.#at > this.#text.length
  }

  scan(characters: number): void {
    const text = this.#text
    const until = this.#at + characters
    while (!this.isDone && this.#at < until) {
      const from = this.#at
      const end = text.indexOf('\n', from)
      const stop = end === -1 ? text.length : end
      const next = end === -1 ? text.length : end + 1
      // The beginning of a line longer than a piece is enough to classify it.
      const line = text.slice(from, Math.min(stop, from + MOST_PIECE)).replace(/\r$/, '')
      if (this.#code) this.#codeLine(this.#code, line, { from, next })
      else if (line.trim() === '') this.#pause()
      else this.#line(line, { from, next })
      this.#at = end === -1 ? text.length + 1 : next
    }
    if (!this.isDone) return
    if (this.#code) this.#endCode(this.#code, this.#code.fence.to)
    this.#endBlocks(text.length)
  }

  #pause(): void {
    if (this.#blocks) this.#blocks.isPaused = true
    this.#previous = ''
  }

  #line(line: string, { from, next }: { from: number; next: number }): void {
    const isInList = this.#blocks?.isList === true && /^(?: {2}|\t)/.test(line)
    if (this.#blocks?.isPaused && !isInList) this.#endBlocks(from)
    if (!isInList && (this.#beginsCode(line, { from, next }) || this.#isHeading(line, { from, next }))) {
      this.#previous = ''
      return
    }
    const blocks = this.#blocks
    if (blocks && next - blocks.from > MOST_PIECE && !isInList) {
      this.#endBlocks(from)
      this.#blocks = { ...begun(from, line), ...(blocks.table && { table: blocks.table }) }
    }
    const open = (this.#blocks ??= begun(from, line))
    const isHead = open.lines === 1 && next - open.from <= MOST_PIECE && this.#previous.includes('|')
    if (isHead && TABLE_LINE.test(line)) open.table ??= { from: open.from, to: next }
    open.lines += 1
    open.isPaused = false
    this.#previous = line
    this.#define(line)
    this.#cutBlocks(next)
  }

  #beginsCode(line: string, { from, next }: { from: number; next: number }): boolean {
    const [found, indent = '', mark = '', language = ''] = FENCE.exec(line) ?? []
    if (found === undefined) return false
    this.#endBlocks(from)
    const fence = { language: language.trim(), from: next, to: next, indent: indent.length }
    this.#code = { fence, mark, piece: next, isFirst: true }
    return true
  }

  #isHeading(line: string, { from, next }: { from: number; next: number }): boolean {
    const level = HEADING.exec(line)?.[1]?.length
    if (level !== undefined) {
      this.#endBlocks(from)
      this.pieces.push({ kind: 'heading', from, to: next, level })
      return true
    }
    const underline = UNDERLINE.exec(line)?.[1]
    const blocks = this.#blocks
    if (underline === undefined || blocks?.lines !== 1 || blocks.isPaused) return false
    if (this.#previous === '' || NO_PARAGRAPH.test(this.#previous)) return false
    const rank = underline.startsWith('=') ? 1 : 2
    this.pieces.push({ kind: 'heading', from: blocks.from, to: next, level: rank })
    this.#blocks = undefined
    return true
  }

  #define(line: string): void {
    const found = line.includes(']:') ? DEFINITION.exec(line) : null
    const name = found?.[1]?.trim().toLowerCase().replaceAll(/\s+/g, ' ')
    if (!found || !name || this.definitions[name] || this.#defined >= MOST_DEFINITIONS) return
    this.#defined += 1
    this.definitions[name] = { href: found[2]!, title: '' }
  }

  #endBlocks(to: number): void {
    const blocks = this.#blocks
    this.#blocks = undefined
    if (!blocks || blocks.lines === 0) return
    const { from, table } = blocks
    const goesOn = table && table.from < from
    this.pieces.push({ kind: 'blocks', from, to, ...(goesOn && { tableHead: table }) })
  }

  /** Cuts a line of many characters, or a list item that never ends, at its current position. */
  #cutBlocks(next: number): void {
    for (let blocks = this.#blocks; blocks && next - blocks.from > 2 * MOST_PIECE; blocks = this.#blocks) {
      const to = this.#whole(blocks.from + MOST_PIECE)
      this.#endBlocks(to)
      this.#blocks = { ...begun(to, ''), lines: 1 }
    }
  }

  #codeLine(code: Code, line: string, { from, next }: { from: number; next: number }): void {
    const text = line.trim()
    if (text.length >= code.mark.length && /^ {0,3}(`+|~+)[ \t]*$/.test(line) && text.startsWith(code.mark)) {
      this.#endCode(code, from)
      return
    }
    code.fence.to = next
    while (next - code.piece > 2 * MOST_PIECE) this.#cutCode(code, this.#whole(code.piece + MOST_PIECE))
    if (next - code.piece > MOST_PIECE) this.#cutCode(code, next)
  }

  #endCode(code: Code, to: number): void {
    code.fence.to = to
    if (to > code.piece || code.isFirst) this.#cutCode(code, to)
    this.#code = undefined
  }

  #cutCode(code: Code, to: number): void {
    this.pieces.push({ kind: 'code', from: code.piece, to, fence: code.fence, isFirst: code.isFirst })
    code.piece = to
    code.isFirst = false
  }

  /** Returns the position, or the one before it if it is inside a surrogate pair. */
  #whole(place: number): number {
    const code = this.#text.charCodeAt(place)
    return code >= 0xdc00 && code <= 0xdfff ? place - 1 : place
  }
}

function begun(from: number, line: string): Blocks {
  return { from, lines: 0, isList: LIST_ITEM.test(line), isPaused: false }
}
