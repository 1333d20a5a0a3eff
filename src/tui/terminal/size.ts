const DEFAULT_COLUMNS = 80
const DEFAULT_ROWS = 24
/** Beyond any display in any font; what a terminal claims beyond it stays blank. */
const MOST_COLUMNS = 1000
const MOST_ROWS = 400

/**
 * Columns and rows to draw on: what the terminal claims where that can be, and never so much that drawing takes long.
 */
export function drawableSize(claimed: { columns?: number | undefined; rows?: number | undefined }): {
  columns: number
  rows: number
} {
  return {
    columns: bounded(claimed.columns, MOST_COLUMNS) ?? DEFAULT_COLUMNS,
    rows: bounded(claimed.rows, MOST_ROWS) ?? DEFAULT_ROWS,
  }
}

/** Undefined for what is not a number of cells: 0, NaN, less than one. */
function bounded(claimed: number | undefined, most: number): number | undefined {
  const whole = Math.floor(claimed ?? 0)
  return whole >= 1 ? Math.min(whole, most) : undefined
}
