const DEFAULT_COLUMNS = 80
const DEFAULT_ROWS = 24
/** Maximum size, larger than any display in any font. Cells that a terminal reports beyond it stay blank. */
const MOST_COLUMNS = 1000
const MOST_ROWS = 400

/**
 * Returns the columns and rows to draw on: the reported size if it is plausible, and never so large that drawing takes
 * long.
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

/** Returns undefined for an invalid number of cells: 0, NaN, less than one. */
function bounded(claimed: number | undefined, most: number): number | undefined {
  const whole = Math.floor(claimed ?? 0)
  return whole >= 1 ? Math.min(whole, most) : undefined
}
