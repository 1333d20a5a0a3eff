/** Columns and rows of cells. */
export type Cells = { columns: number; rows: number }

/**
 * Returns the cells of a picture: as many as its pixels need, fewer if the room is smaller, and at least one. A cell
 * holds `cell.width` by `cell.height` of its pixels.
 */
export function fit(
  picture: { width: number; height: number },
  room: Cells,
  cell: { width: number; height: number },
): Cells {
  const columns = picture.width / cell.width
  const rows = picture.height / cell.height
  const shrink = Math.min(1, room.columns / columns, room.rows / rows)
  return { columns: whole(columns * shrink, room.columns), rows: whole(rows * shrink, room.rows) }
}

function whole(cells: number, most: number): number {
  return Math.max(1, Math.min(most, Math.round(cells)))
}
