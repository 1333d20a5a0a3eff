import { clean, segmentsOf, widthOf } from '../../tui/theme/text.ts'

/** A visible character: `from` is its offset in the text; `isBreak` if a new row begins after it. */
type Cell = { show: string; width: number; from: number; isBreak: boolean }

/** A row on screen; if the cursor is on it, `at` is the character under the cursor. */
export type FieldRow = { before: string; at?: string; after: string }

export type FieldLook = {
  /** Columns of a row. */
  width: number
  /** Maximum number of visible rows; with one row the text scrolls sideways, with more it wraps. */
  rows: number
  /** Shown instead of every character. */
  mask?: string | undefined
  /** Marks a line break at the end of its row. */
  lineBreak: string
}

/**
 * UTF-16 units before and after the cursor that are laid out; in a longer text rows start again at each multiple of it.
 */
const LAID_OUT = 4096

/** Returns how many rows a wrapped text takes, including the position after its end. */
export function countFieldRows(text: string, look: FieldLook): number {
  return Math.min(look.rows, rowsOf(cellsOf(text, 0, look), look.width).length)
}

/** Returns the visible rows of a text, around the cursor. */
export function fieldRows(text: string, cursor: number, look: FieldLook): FieldRow[] {
  const cells = cellsOf(text, cursor, look)
  if (look.rows === 1) return [rowOf(besideCursor(cells, cursor, look.width), cursor)]
  const rows = rowsOf(cells, look.width)
  const at = rows.findLastIndex(row => row[0]!.from <= cursor)
  const first = Math.max(0, at - look.rows + 1)
  return rows.slice(first, first + look.rows).map(row => rowOf(row, cursor))
}

/**
 * Returns the cursor position in the row above or below, in the same column; undefined beyond the first and the last
 * row.
 */
export function besideRow(text: string, cursor: number, look: FieldLook, by: 1 | -1): number | undefined {
  const rows = rowsOf(cellsOf(text, cursor, look), look.width)
  const at = rows.findLastIndex(row => row[0]!.from <= cursor)
  const row = rows[at + by]
  if (!row) return undefined
  const widths = (cells: readonly Cell[]): number => cells.reduce((sum, cell) => sum + cell.width, 0)
  const column = widths(rows[at]!.filter(({ from }) => from < cursor))
  const reached = row.findLastIndex((_cell, index) => widths(row.slice(0, index)) <= column)
  return row[reached]!.from
}

/** Returns the characters around the cursor, and the position after the last one. */
function cellsOf(text: string, cursor: number, { mask, lineBreak }: FieldLook): Cell[] {
  const cells: Cell[] = []
  const from = whole(text, Math.max(0, Math.floor(cursor / LAID_OUT) - 1) * LAID_OUT)
  const to = whole(text, Math.min(text.length, (Math.floor(cursor / LAID_OUT) + 2) * LAID_OUT))
  for (const { segment, index } of segmentsOf(text.slice(from, to))) {
    const isBreak = segment.includes('\n')
    const show = isBreak ? lineBreak : (mask ?? visible(segment))
    cells.push({ show, width: widthOf(show), from: from + index, isBreak })
  }
  if (to === text.length) cells.push({ show: ' ', width: 1, from: text.length, isBreak: false })
  return cells
}

/** Returns the position, or the one before it if it is inside a surrogate pair. */
function whole(text: string, place: number): number {
  const unit = text.charCodeAt(place)
  return unit >= 0xdc00 && unit <= 0xdfff ? place - 1 : place
}

/** Shows a combining mark without a base letter on a circle, so that it is visible and the cursor can be on it. */
function visible(segment: string): string {
  const show = clean(segment)
  return widthOf(show) === 0 ? `◌${show}` : show
}

function rowsOf(cells: readonly Cell[], width: number): Cell[][] {
  const rows: Cell[][] = [[]]
  let used = 0
  for (const cell of cells) {
    if (used > 0 && used + cell.width > width) {
      rows.push([])
      used = 0
    }
    rows.at(-1)!.push(cell)
    used += cell.width
    if (cell.isBreak) {
      rows.push([])
      used = 0
    }
  }
  return rows
}

/** Returns the character at the cursor, as many before it as fit, then as many after it as fit. */
function besideCursor(cells: readonly Cell[], cursor: number, width: number): Cell[] {
  const at = cells.findLastIndex(cell => cell.from <= cursor)
  let first = at
  let used = cells[at]!.width
  while (first > 0 && used + cells[first - 1]!.width <= width) {
    first -= 1
    used += cells[first]!.width
  }
  let last = at
  while (last + 1 < cells.length && used + cells[last + 1]!.width <= width) {
    last += 1
    used += cells[last]!.width
  }
  return cells.slice(first, last + 1)
}

function rowOf(cells: readonly Cell[], cursor: number): FieldRow {
  const show = (some: readonly Cell[]): string => some.map(cell => cell.show).join('')
  const at = cells.findIndex(cell => cell.from === cursor)
  if (at === -1) return { before: show(cells), after: '' }
  return { before: show(cells.slice(0, at)), at: cells[at]!.show, after: show(cells.slice(at + 1)) }
}
