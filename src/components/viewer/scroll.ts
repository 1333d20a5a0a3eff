/** A row of a text: its line, and its index among the rows of the wrapped line. */
export type Position = { line: number; row: number }

/** The data for scrolling; `rowsOf` wraps a line and is called as rarely as possible. */
export type Rows = { count: number; rowsOf: (line: number) => number }

export const TOP: Position = { line: 0, row: 0 }

export function compare(a: Position, b: Position): number {
  return a.line - b.line || a.row - b.row
}

/** Returns the position that many rows further on, or back for negative numbers; stops at the ends of the text. */
export function moved(rows: Rows, from: Position, by: number): Position {
  if (rows.count === 0) return TOP
  let { line, row } = from
  let left = Math.abs(by)
  while (left > 0) {
    if (by > 0) {
      const after = rows.rowsOf(line) - 1 - row
      if (left <= after) return { line, row: row + left }
      if (line === rows.count - 1) return { line, row: row + after }
      left -= after + 1
      line += 1
      row = 0
    } else {
      if (left <= row) return { line, row: row - left }
      if (line === 0) return TOP
      left -= row + 1
      line -= 1
      row = rows.rowsOf(line) - 1
    }
  }
  return { line, row }
}

/** Returns the first row of the last screen of this many rows; the top if everything fits. */
export function lastTop(rows: Rows, height: number): Position {
  if (rows.count === 0) return TOP
  const line = rows.count - 1
  return moved(rows, { line, row: rows.rowsOf(line) - 1 }, 1 - height)
}

/** Adapts a position to this text, if it comes from a longer or differently wrapped one. */
export function within(rows: Rows, position: Position, height: number): Position {
  if (position.line >= rows.count) return lastTop(rows, height)
  const row = Math.min(position.row, rows.rowsOf(position.line) - 1)
  const kept = { line: position.line, row }
  // Far from the end the start of the last screen does not matter.
  if (rows.count - position.line > height) return kept
  const last = lastTop(rows, height)
  return compare(kept, last) > 0 ? last : kept
}

/** Returns the rows from here on that fit. */
export function visible(rows: Rows, from: Position, height: number): Position[] {
  const shown: Position[] = []
  for (let line = from.line; line < rows.count && shown.length < height; line += 1) {
    const count = rows.rowsOf(line)
    for (let row = line === from.line ? from.row : 0; row < count && shown.length < height; row += 1)
      shown.push({ line, row })
  }
  return shown
}
