import { IMPOSSIBLE_TIME, isoSeconds } from '../../lib/times.ts'
import { drawableSize } from '../../tui/terminal/size.ts'
import { UNKNOWN } from '../../lib/format.ts'
import { clean, fit, truncate, widthOf } from '../../tui/theme/text.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { NounColumn } from './noun.ts'

const GAP = '  '
/** Maximum UTF-16 units of a cell, and per column of a terminal: measuring long cells takes megabytes each. */
const LONGEST_CELL = 4_000
const UNITS_A_COLUMN = 8

/**
 * Returns the columns of the terminal that a table is printed on; undefined if the output is no terminal, and nothing
 * is cut.
 */
export function tableWidth(): number | undefined {
  return process.stdout.isTTY ? drawableSize(process.stdout).columns : undefined
}

type TableOptions = { width?: number | undefined; ascii: boolean }

/**
 * Formats records as aligned columns below their titles, without trailing blanks; numbers are right-aligned. With a
 * width, wider cells are cut.
 */
export function tableLines(columns: readonly NounColumn[], items: readonly unknown[], options: TableOptions): string[] {
  return alignedLines(
    columns,
    items.map(item => tableCells(columns, item, options)),
    options,
  )
}

/** Returns the cells of a record. They are short, so that a list can be read to its end. */
export function tableCells(
  columns: readonly NounColumn[],
  item: unknown,
  { width = Infinity, ascii }: TableOptions,
): string[] {
  const longest = Math.min(LONGEST_CELL, UNITS_A_COLUMN * width)
  return columns.map(column => cellOf(column, item, { unknown: ascii ? '-' : UNKNOWN, longest }))
}

/** Like {@link tableLines} for records whose cells already exist. */
export function alignedLines(
  columns: readonly NounColumn[],
  rows: readonly (readonly string[])[],
  options: TableOptions,
): string[] {
  const titles = columns.map(({ title }) => title)
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
  // Unprintable characters are spelled out as several characters each.
  const cleaned = clean(text.slice(0, longest))
  return text.length > longest || cleaned.length > longest ? `${cleaned.slice(0, longest)}…` : cleaned
}

/** Returns the value at a dotted path of a record. */
export function valueAt(item: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (Object(value) as Record<string, unknown>)[name], item)
}
