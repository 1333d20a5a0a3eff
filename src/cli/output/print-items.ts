import { greatest } from '../../lib/extremes.ts'
import { jsonText } from '../../lib/printable.ts'
import { clean, fit, widthOf } from '../../tui/theme/text.ts'
import { behind } from './prose.ts'

const GAP = '  '

/**
 * Prints records as `{"items": […]}` or as aligned columns. The last column has no fixed width and wraps at the width
 * of the terminal.
 */
export function printItems<T>(items: readonly T[], json: boolean | undefined, cells: (item: T) => string[]): void {
  if (json) {
    process.stdout.write(`${jsonText({ items })}\n`)
    return
  }
  const rows = items.map(item => cells(item).map(clean))
  const widths = (rows[0] ?? []).map((_, column) => greatest(rows.map(row => widthOf(row[column] ?? ''))))
  for (const row of rows) {
    const columns = row.slice(0, -1).map((cell, column) => fit(cell, widths[column] ?? 0) + GAP)
    process.stdout.write(`${behind(columns.join(''), row.at(-1) ?? '', process.stdout).trimEnd()}\n`)
  }
}
