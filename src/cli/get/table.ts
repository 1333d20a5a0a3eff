import { IMPOSSIBLE_TIME, isoSeconds } from '../../lib/times.ts'
import { UNKNOWN } from '../../tui/theme/format.ts'
import { clean, fit, truncate, widthOf } from '../../tui/theme/text.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { NounColumn } from './noun.ts'

const GAP = '  '
/** Most UTF-16 units of a cell, and for each column of a terminal: measuring long ones takes megabytes each. */
const LONGEST_CELL = 4_000
const UNITS_A_COLUMN = 8

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
  const longest = Math.min(LONGEST_CELL, UNITS_A_COLUMN * (options.width ?? Infinity))
  const rows = items.map(item => columns.map(column => cellOf(column, item, { unknown, longest })))
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

function cellOf(
  { path, as }: NounColumn,
  item: unknown,
  { unknown, longest }: { unknown: string; longest: number },
): string {
  const value = valueAt(item, path)
  if (value === undefined || value === null || value === '') return unknown
  if (as === 'time') {
    const time = typeof value === 'number' || typeof value === 'string' ? toEpochMs(value) : undefined
    return time === undefined ? IMPOSSIBLE_TIME : isoSeconds(time)
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  // What cannot be printed is written out, several characters for each.
  const cleaned = clean(text.slice(0, longest))
  return text.length > longest || cleaned.length > longest ? `${cleaned.slice(0, longest)}…` : cleaned
}

/** What lies at a dotted path of a record. */
export function valueAt(item: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (Object(value) as Record<string, unknown>)[name], item)
}
