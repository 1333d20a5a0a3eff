import type { Symbols } from '../../tui/theme/theme.ts'
import type { OutlineNode } from '../viewer/outline-tree.ts'
import type { Block, Line, LineSource } from '../viewer/source.ts'
import type { Frame } from './frame.ts'
import { addressesOf } from './inline.ts'
import { blockLines, codeLines, isTooNested, sourceLines } from './layout.ts'
import { readerInThread, type BlockReader, type Reading } from './lexer.ts'
import { scanPieces, type Piece } from './pieces.ts'

/** Number of pieces whose blocks are cached, so that they are not parsed again. */
const CACHED_PIECES = 200
/** Columns for searching: so many that no table must be narrowed. */
const SEARCHED_COLUMNS = 1000

export type MarkdownDocument = {
  /** Returns what was parsed so far as foldable parts: a heading contains what is below it. */
  roots(): readonly OutlineNode[]
  readonly isDone: boolean
  /** Number of pieces that were parsed into blocks. */
  readonly lexed: number
  /** Continues parsing for about this many characters; until it is done, `roots` contains the beginning. */
  scan(characters: number): void
}

/**
 * Returns a Markdown text as a document that can be folded by its headings. Parsing is lazy: `scan` finds where pieces
 * begin, and a piece is parsed into blocks when it is shown or searched. HTML in it is shown as text.
 * `id` is the prefix of its parts' ids, if several texts are in one document.
 */
export function markdown(
  text: string,
  symbols: Symbols,
  id = '',
  read: BlockReader = readerInThread(),
): MarkdownDocument {
  const scanner = scanPieces(text)
  const cached = new Map<number, Reading>()
  let lexed = 0
  const readingOf = (index: number, piece: Exclude<Piece, { kind: 'code' }>): Reading => {
    const known = cached.get(index)
    if (known) return known
    lexed += 1
    const head = piece.kind === 'blocks' && piece.tableHead
    const source = (head ? text.slice(head.from, head.to) : '') + text.slice(piece.from, piece.to)
    const reading = isTooNested(source) ? { isPending: false } : read(source, scanner.definitions)
    if (cached.size >= CACHED_PIECES) cached.clear()
    cached.set(index, reading)
    return reading
  }
  const linesOf = (index: number, columns: number): Line[] => {
    const piece = scanner.pieces[index]!
    const frame: Frame = { lead: [], rest: [], columns, symbols }
    const source = text.slice(piece.from, piece.to)
    if (piece.kind === 'code') {
      const { fence, isFirst } = piece
      const goesOn = scanner.pieces[index + 1]
      const isLast = goesOn?.kind !== 'code' || goesOn.fence !== fence
      const code = fence.indent === 0 ? source : source.replaceAll(new RegExp(`^ {1,${fence.indent}}`, 'gm'), '')
      return [...codeLines(code, fence.language, frame, isFirst), ...(isLast ? [''] : [])]
    }
    const { tokens } = readingOf(index, piece)
    const lines = tokens ? blockLines(tokens, frame) : sourceLines(source, frame)
    return piece.kind === 'heading' || lines.length === 0 ? lines : [...lines, '']
  }
  const blockOf = (index: number): Block => {
    const piece = scanner.pieces[index]!
    return {
      block: columns => linesOf(index, columns),
      text: () => textOf(linesOf(index, SEARCHED_COLUMNS)),
      mayHold: wanted =>
        mayShow(text.slice(piece.from, piece.to), wanted) ||
        (piece.kind === 'code' && piece.isFirst && mayShow(piece.fence.language, wanted)),
      isReady: () => piece.kind === 'code' || !readingOf(index, piece).isPending,
      copy: () =>
        piece.kind === 'code'
          ? text.slice(piece.fence.from, piece.fence.to).replace(/\r?\n$/, '')
          : text.slice(piece.from, piece.to).trimEnd(),
      links: () => (piece.kind === 'code' ? [] : addressesOf(readingOf(index, piece).tokens ?? [])),
    }
  }
  return {
    roots: () => sections(scanner.pieces, id, blockOf, part => text.slice(part.from, part.to).trimEnd()),
    get isDone() {
      return scanner.isDone
    },
    get lexed() {
      return lexed
    },
    scan: characters => scanner.scan(characters),
  }
}

/**
 * Matches text whose rendering contains letters or digits that the source does not have in that order: entities, links
 * and images, numbered lists.
 */
const SHOWS_OTHERS = /[&[]|^[ \t>]*\d+[.)]/m
const NO_LETTERS = /[^\p{L}\p{N}]+/gu

/** Whether the rendered source may contain a text. Compares letters and digits only: markup stands between them. */
function mayShow(source: string, wanted: string): boolean {
  const letters = wanted.replaceAll(NO_LETTERS, '')
  if (letters === '' || SHOWS_OTHERS.test(source)) return true
  return source.toLowerCase().replaceAll(NO_LETTERS, '').includes(letters)
}

type Section = { level: number; heading: number | undefined; from: number; to: number; end: number; inner: Section[] }

/** Returns headings, each with the pieces below it and its headings of lower rank. */
function sections(
  pieces: readonly Piece[],
  id: string,
  blockOf: (index: number) => Block,
  sourceOf: (part: { from: number; to: number }) => string,
): OutlineNode[] {
  const top: Section = { level: 0, heading: undefined, from: 0, to: 0, end: 0, inner: [] }
  const around = [top]
  for (const [index, piece] of pieces.entries()) {
    if (piece.kind === 'heading') {
      while (around.at(-1)!.level >= piece.level) around.pop()
      const section = { level: piece.level, heading: index, from: index + 1, to: index + 1, end: piece.to, inner: [] }
      around.at(-1)!.inner.push(section)
      around.push(section)
    } else around.at(-1)!.to = index + 1
    for (const each of around) each.end = piece.to
  }
  const bodyOf = ({ from, to }: Section): LineSource => ({ count: to - from, at: offset => blockOf(from + offset) })
  const nodeOf = (section: Section): OutlineNode => {
    const heading = pieces[section.heading!]!
    const inside = section.to > section.from || section.inner.length > 0
    return {
      id: `${id}#${section.heading}`,
      head: blockOf(section.heading!),
      isFlat: true,
      copy: () => sourceOf({ from: heading.from, to: section.end }),
      open: true,
      ...(inside && { body: () => bodyOf(section), children: () => section.inner.map(nodeOf) }),
    }
  }
  const before: OutlineNode = { id: `${id}#`, isFlat: true, body: () => bodyOf(top) }
  return [...(top.to > top.from ? [before] : []), ...top.inner.map(nodeOf)]
}

function textOf(lines: readonly Line[]): string {
  return lines
    .map(line => {
      if (typeof line === 'string') return line
      const spans = 'parts' in line ? line.parts : 'spans' in line ? [...(line.lead ?? []), ...line.spans] : []
      return spans.map(span => span.text).join('')
    })
    .join('\n')
}
