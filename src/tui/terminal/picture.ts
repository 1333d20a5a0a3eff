import { Composition } from './composition.ts'
import { createPainter } from './painter.ts'

/**
 * Returns output that draws these rows on an empty screen of this size, with each cell in place whatever widths the
 * terminal assumes.
 */
export function pictureOf(lines: readonly string[], size: { columns: number; rows: number }): string {
  const composition = new Composition()
  composition.resize(size.columns, size.rows)
  composition.setFrame([...lines])
  const painter = createPainter()
  painter.clear()
  composition.visitChanged((row, composed) => painter.paintRow(row, composed, composition.blank))
  return painter.take()
}
