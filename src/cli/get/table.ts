import { IMPOSSIBLE_TIME, isoSeconds } from '../../lib/times.ts'
import { UNKNOWN } from '../../tui/theme/format.ts'
import { clean, fit, truncate, widthOf } from '../../tui/theme/text.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { NounColumn } from './noun.ts'

const GAP = '  '
const LONGEST_CELL = 4_000

/**
 * Records as aligned columns below their titles, each line without trailing blanks; numbers stand at the right. With
 * a width, what is wider is cut.
 */
export function tableLines(
  columns: readonly NounColumn[],
  items: readonly unknown[],
  options: { width?: number | undefined; ascii: boolean },
): string[] {
  const unknown = options.ascii ? '-' : UNKNOWN
  const titles = columns.map(({ title }) => title)
  const rows = items.map(item => columns.map(column => cellOf(column, item, unknown)))
  const widths = titles.map((title, index) =>
    rows.reduce((most, row) => Math.max(most, widthOf(row[index] ?? '')), title.length),
  )
  return [titles, ...rows].map(row => {
    const cells = row.map((cell, index) =>
      fit(cell, widths[index] ?? 0, columns[index]?.as === 'count' ? 'right' : 'left'),
    )
    const line = cells.join(GAP).trimEnd()
    return options.width === undefined ? line : truncate(line, options.width)
  })
}

function cellOf({ path, as }: NounColumn, item: unknown, unknown: string): string {
  const value = valueAt(item, path)
  if (value === undefined || value === null || value === '') return unknown
  if (as === 'time') {
    const time = typeof value === 'number' || typeof value === 'string' ? toEpochMs(value) : undefined
    return time === undefined ? IMPOSSIBLE_TIME : isoSeconds(time)
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return clean(text.slice(0, LONGEST_CELL))
}

/** What lies at a dotted path of a record. */
export function valueAt(item: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (Object(value) as Record<string, unknown>)[name], item)
}
