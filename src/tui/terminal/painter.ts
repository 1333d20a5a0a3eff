import { cellsAt, type Row } from './cells.ts'
import { isSure, PLACEHOLDER, spill } from './graphemes.ts'
import { onBlank, PLAIN, transition, type Style } from './style.ts'

const UNKNOWN = -1
const MAX_REWRITTEN_GAP = 3
const ERASE_WORTH = 3
/** From this many blanks on, erasing them and moving on takes fewer bytes. */
const ERASE_WITHIN_WORTH = 12
/**
 * From this many characters on, not repeating a color saves more bytes than moving back to the start of the row costs.
 */
const TAIL_FIRST_WORTH = 8

/** Turns differences between rows into the fewest bytes; tracks the terminal's cursor and pen. */
export type Painter = {
  /** Adds output that turns the painted row into `target` at `row`. Both have the same width. */
  paintRow(row: number, target: Row, painted: Row): void
  /** Adds the clearing of the whole screen. */
  clear(): void
  /** Adds raw sequences that affect neither cells nor cursor. */
  add(sequence: string): void
  moveTo(row: number, column: number): void
  /** Returns the collected output and clears it; keeps cursor and pen. */
  take(): string
  /** Forgets cursor and pen, after something else wrote to the terminal; the pen is reset before the next cell. */
  forget(): void
}

export function createPainter(): Painter {
  let text = ''
  let row = UNKNOWN
  let column = UNKNOWN
  let pen: Style | undefined

  const setPen = (style: Style): void => {
    if (pen === undefined) text += `\x1b]8;;\x1b\\\x1b[m${transition(PLAIN, style)}`
    else text += transition(pen, style)
    pen = style
  }
  const moveTo = (toRow: number, toColumn: number): void => {
    text += cheapestMove(row, column, toRow, toColumn)
    row = toRow
    column = toColumn
  }
  const approach = (toRow: number, toColumn: number, target: Row): void => {
    const gap = toColumn - column
    const near = row === toRow && column !== UNKNOWN && gap > 0 && gap <= MAX_REWRITTEN_GAP
    if (near && canRewrite(target, column, toColumn, pen)) {
      text += target.graphemes.slice(column, toColumn).join('')
      column = toColumn
    } else moveTo(toRow, toColumn)
  }
  const writeUnsure = (at: number, cells: number, target: Row, painted: Row, forced: boolean): void => {
    const style = target.styles[at] ?? PLAIN
    // A terminal that counts the grapheme as narrower would leave old content in its last cells.
    if (forced || !isBlank(painted, at, cells, style)) {
      const from = row
      text += ' '.repeat(cells)
      column = at + cells >= target.graphemes.length ? UNKNOWN : at + cells
      moveTo(from, at)
    }
    text += target.graphemes[at] ?? ' '
    column = UNKNOWN
  }
  const paintCells = (toRow: number, target: Row, painted: Row, [from, to]: readonly [number, number]): void => {
    const width = target.graphemes.length
    let forcedTo = from
    let at = from
    while (at < to) {
      if (at >= forcedTo && sameCell(target, painted, at)) {
        at++
        continue
      }
      if (at >= target.blankFrom && Math.max(painted.blankFrom, forcedTo) - at > ERASE_WORTH) {
        moveTo(toRow, at)
        setPen(PLAIN)
        text += '\x1b[K'
        return
      }
      const erased = erasable(target, painted, at, forcedTo)
      if (erased > 0) {
        moveTo(toRow, at)
        setPen(PLAIN)
        text += `\x1b[${erased}X`
        at += erased
        continue
      }
      const cells = cellsAt(target, at)
      const grapheme = target.graphemes[at] ?? ' '
      approach(toRow, at, target)
      setPen(inkAt(target, painted, at, pen))
      if (isSure(grapheme)) {
        text += grapheme
        column = at + cells
      } else {
        writeUnsure(at, cells, target, painted, at < forcedTo)
        forcedTo = Math.max(forcedTo, Math.min(width, at + cells + spill(grapheme, cells)))
      }
      at += cells
      // Terminals differ in where the cursor is after the last column.
      if (at >= width) column = UNKNOWN
    }
  }

  return {
    moveTo,
    add(sequence) {
      text += sequence
    },
    take() {
      const taken = text
      text = ''
      return taken
    },
    forget() {
      row = UNKNOWN
      column = UNKNOWN
      pen = undefined
    },
    clear() {
      setPen(PLAIN)
      text += '\x1b[2J'
    },
    paintRow(toRow, target, painted) {
      const width = target.graphemes.length
      const tail = tailInHand(target, painted, pen)
      if (tail < width) paintCells(toRow, target, painted, [tail, width])
      paintCells(toRow, target, painted, [0, tail])
    },
  }
}

/**
 * Returns where the last changed characters in the pen's color begin, if others in another color come before them:
 * writing them first saves repeating the color. Returns the row's width if there are none.
 */
function tailInHand(target: Row, painted: Row, pen: Style | undefined): number {
  const width = target.graphemes.length
  if (pen === undefined || pen.foreground.length < TAIL_FIRST_WORTH) return width
  let tail = width
  for (let at = width - 1; at >= 0; at--) {
    if (target.graphemes[at] === ' ' || sameCell(target, painted, at)) continue
    if (target.styles[at]?.foreground === pen.foreground) tail = at
    // Characters that terminals draw wider than expected could overwrite an end that is already written.
    else return [target, painted].every(row => row.graphemes.every(isSure)) ? tail : width
  }
  return width
}

/**
 * Returns the pen for a cell. For a blank, returns the current pen or that of the following cells, if the blank looks
 * the same with it.
 */
function inkAt(target: Row, painted: Row, at: number, pen: Style | undefined): Style {
  const style = target.styles[at] ?? PLAIN
  if (target.graphemes[at] !== ' ') return style
  if (pen !== undefined && onBlank(pen) === style) return pen
  let next = at + 1
  while (target.graphemes[next] === ' ') next++
  const following = next < target.graphemes.length && !sameCell(target, painted, next) && target.styles[next]
  return following && onBlank(following) === style ? following : style
}

function sameCell(target: Row, painted: Row, at: number): boolean {
  return target.graphemes[at] === painted.graphemes[at] && target.styles[at] === painted.styles[at]
}

/**
 * Returns the number of plain blanks from `at` to the last one that is not painted yet; 0 if erasing them saves
 * nothing.
 */
function erasable(target: Row, painted: Row, at: number, forcedTo: number): number {
  let [end, missing] = [at, 0]
  for (let next = at; target.graphemes[next] === ' ' && target.styles[next] === PLAIN; next++) {
    if (next >= forcedTo && sameCell(target, painted, next)) continue
    end = next + 1
    missing++
  }
  return missing >= ERASE_WITHIN_WORTH ? end - at : 0
}

function isBlank(row: Row, at: number, cells: number, style: Style): boolean {
  for (let cell = at; cell < at + cells; cell++) {
    if (row.graphemes[cell] !== ' ' || row.styles[cell] !== onBlank(style)) return false
  }
  return true
}

function canRewrite(row: Row, from: number, to: number, pen: Style | undefined): boolean {
  for (let at = from; at < to; at++) {
    const grapheme = row.graphemes[at] ?? ''
    const shown = pen !== undefined && grapheme === ' ' ? onBlank(pen) : pen
    if (row.styles[at] !== shown || grapheme.length !== 1 || !isSure(grapheme)) return false
  }
  return true
}

function cheapestMove(row: number, column: number, toRow: number, toColumn: number): string {
  if (row === toRow && column === toColumn) return ''
  if (toColumn === 0 && row !== UNKNOWN && toRow >= row && toRow - row <= 3) return '\r' + '\n'.repeat(toRow - row)
  const absolute = toColumn === 0 ? `\x1b[${toRow + 1}H` : `\x1b[${toRow + 1};${toColumn + 1}H`
  if (row === UNKNOWN) return absolute
  if (row === toRow) return shorter(`\x1b[${toColumn + 1}G`, sideways(column, toColumn))
  if (column !== toColumn) return absolute
  return shorter(absolute, `\x1b[${times(Math.abs(toRow - row))}${toRow > row ? 'B' : 'A'}`)
}

function sideways(column: number, toColumn: number): string | undefined {
  if (column === UNKNOWN) return undefined
  const distance = toColumn - column
  if (distance > 0) return `\x1b[${times(distance)}C`
  return distance >= -3 ? '\b'.repeat(-distance) : `\x1b[${-distance}D`
}

function times(count: number): string {
  return count === 1 ? '' : String(count)
}

function shorter(first: string, second: string | undefined): string {
  return second !== undefined && second.length < first.length ? second : first
}

/** Returns a row as text with its SGR and links, reset at its end, without trailing blanks and pictures. */
export function rowText(row: Row): string {
  let text = ''
  let pen = PLAIN
  for (let at = 0; at < row.blankFrom; at++) {
    const style = row.styles[at] ?? PLAIN
    const grapheme = row.graphemes[at] ?? ''
    const next = grapheme === ' ' && onBlank(pen) === style ? pen : style
    text += transition(pen, next) + (grapheme.startsWith(PLACEHOLDER) ? ' ' : grapheme)
    pen = next
  }
  return text + transition(pen, PLAIN)
}
