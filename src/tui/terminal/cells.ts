import { onBlank, PLAIN, type Style } from './style.ts'

/** One immutable row of the screen. */
export type Row = {
  /** The grapheme of each cell; the other cells of a wide grapheme are empty strings. */
  readonly graphemes: readonly string[]
  /**
   * The style of each cell; a blank has only the visible part, so that blanks that look the same have the same style.
   */
  readonly styles: readonly Style[]
  /** From this column on every cell is a plain blank. */
  readonly blankFrom: number
}

/** Creates a row from its cells; takes ownership of the arrays. */
export function rowOf(graphemes: string[], styles: Style[]): Row {
  for (let at = 0; at < styles.length; at++) if (graphemes[at] === ' ') styles[at] = onBlank(styles[at] ?? PLAIN)
  let blankFrom = graphemes.length
  while (blankFrom > 0 && graphemes[blankFrom - 1] === ' ' && styles[blankFrom - 1] === PLAIN) blankFrom--
  return { graphemes, styles, blankFrom }
}

/** Creates a row of plain blanks, `width` cells wide. */
export function blankRow(width: number): Row {
  return { graphemes: new Array<string>(width).fill(' '), styles: new Array<Style>(width).fill(PLAIN), blankFrom: 0 }
}

/** Returns the number of cells of the grapheme that starts at `column`. */
export function cellsAt(row: Row, column: number): number {
  let end = column + 1
  while (end < row.graphemes.length && row.graphemes[end] === '') end++
  return end - column
}

/**
 * Returns `base` with `above` laid over it from `column` on; wide graphemes cut by an edge become blanks in their
 * style.
 */
export function overlay(base: Row, above: Row, column: number): Row {
  const width = base.graphemes.length
  const end = Math.min(width, column + above.graphemes.length)
  if (column >= end) return base
  const graphemes = base.graphemes.slice()
  const styles = base.styles.slice()
  blankBackward(graphemes, column)
  for (let at = end; at < width && graphemes[at] === ''; at++) graphemes[at] = ' '
  for (let at = column; at < end; at++) {
    graphemes[at] = above.graphemes[at - column] ?? ' '
    styles[at] = above.styles[at - column] ?? PLAIN
  }
  if (above.graphemes[end - column] === '') blankTail(graphemes, end)
  return rowOf(graphemes, styles)
}

/** If `column` is inside a wide grapheme, blanks the part before it. */
function blankBackward(graphemes: string[], column: number): void {
  if (graphemes[column] !== '') return
  let start = column - 1
  while (start > 0 && graphemes[start] === '') start--
  for (let at = start; at < column; at++) graphemes[at] = ' '
}

/** Blanks the wide grapheme whose cells run up to `end` and would continue beyond. */
function blankTail(graphemes: string[], end: number): void {
  let start = end - 1
  while (start > 0 && graphemes[start] === '') start--
  for (let at = start; at < end; at++) graphemes[at] = ' '
}
