import { formatAge, formatCount } from '../../lib/format.ts'
import { clean, fit, truncate, widthOf } from '../../tui/theme/text.ts'
import type { Symbols, Theme, Tone } from '../../tui/theme/theme.ts'
import { deltaText, type Change } from './delta.ts'

export type Cell = string | { text: string; tone?: Tone }

/** Age in milliseconds from which an age is shown as secondary. */
const FADES_AFTER_MS = 60 * 60 * 1000

/** Returns the age of something for a row: recent ages stand out, older ones fade. Times in epoch milliseconds. */
export function ageCell(then: number | undefined, now: number): Exclude<Cell, string> {
  const isFresh = then !== undefined && now - then < FADES_AFTER_MS
  return { text: formatAge(then, now), tone: isFresh ? 'plain' : 'muted' }
}

export type Column<Item> = {
  id: string
  title: string
  /** Columns that it takes; `flex` shares the remaining columns. */
  width: number | 'flex'
  align?: 'left' | 'right'
  /**
   * The column contains the names of the rows: less important columns make room for names, but not for long sentences.
   */
  isName?: boolean
  /** Minimum width of the list at which the column is shown. */
  from?: number
  cell: (item: Item) => Cell
  /** Matches the end of a text that distinguishes rows: a text that is too long is cut before it. */
  keeps?: RegExp
  /** The number in the cell, if it is a count: a change then shows the difference. */
  count?: (item: Item) => number | null | undefined
  /** The value to sort by; by default the text of the cell. Unknown values go last. */
  sort?: (item: Item) => string | number | undefined
  /** The column shows how fresh the row is, so its changes are not changes of the row. */
  quiet?: true
}

export type PlacedColumn<Item> = { column: Column<Item>; width: number }

/** Blanks between two columns. */
export const GAP = 1
/**
 * Columns at both ends of a row: at the left the pointer or mark, at the right the sign of a change or mark after a
 * gap, because `21d+` would be misread.
 */
export const EDGES = 3

function parts<Item>(item: Item, column: Column<Item>): { text: string; tone: Tone } {
  const cell = column.cell(item)
  return typeof cell === 'string'
    ? { text: clean(cell), tone: 'plain' }
    : { text: clean(cell.text), tone: cell.tone ?? 'plain' }
}

export function cellText<Item>(item: Item, column: Column<Item>): string {
  return parts(item, column).text
}

export type RowLook<Item> = {
  selected: boolean
  focused: boolean
  width: number
  marked: boolean
  /** How the row differs from the previous answer, while that is shown. */
  change?: Change<Item> | undefined
  /** Whether changed numbers are highlighted while the change is shown. */
  flashes?: boolean
}

/**
 * Returns one row as a string of exactly the given columns. Pointer, mark and change each have a sign in addition to a
 * color.
 */
export function composeRow<Item>(
  theme: Theme,
  placed: readonly PlacedColumn<Item>[],
  item: Item,
  look: RowLook<Item>,
): string {
  const { symbols } = theme
  const isChosen = look.selected && look.focused
  const isPlain = look.marked || (isChosen && !theme.tintsRows)
  const cells = placed.map(({ column, width }) => {
    const { text, tone } = parts(item, column)
    const whole = withDelta({ text, item, column, width, change: look.change })
    const fitted = fit(cutBefore(whole, column.keeps, width), width, column.align)
    if (isPlain) return fitted
    return theme.paint(look.flashes && isChangedNumber(item, column, look.change) ? 'accent' : tone, fitted)
  })
  const { left, right } = edgeSigns(symbols, look)
  const row = fitPainted(cells.join(' '), placed, look.width - EDGES)
  if (look.selected) return theme.paint(look.focused ? 'selected' : 'selectedIdle', left + row + right)
  if (look.marked) return theme.paint('accent', left + row + right)
  if (!look.change) return left + row + right
  const tone = changeTone(look)
  return theme.paint(tone, left) + row + theme.paint(tone, right)
}

/** Cuts a text that is too wide before its end, if the end is to be kept and leaves room for something before it. */
function cutBefore(text: string, keeps: RegExp | undefined, width: number): string {
  const end = keeps?.exec(text)?.[0]
  const room = end === undefined ? 0 : width - widthOf(end)
  return end === undefined || room < 2 || widthOf(text) <= width
    ? text
    : truncate(text.slice(0, -end.length), room) + end
}

/** Whether a number differs from the previous answer. */
function isChangedNumber<Item>(item: Item, column: Column<Item>, change: Change<Item> | undefined): boolean {
  const isNumber = !column.quiet && (column.count !== undefined || column.align === 'right')
  return isNumber && change?.kind === 'changed' && cellText(change.from, column) !== cellText(item, column)
}

function changeTone<Item>(look: RowLook<Item>): Tone {
  return look.change?.kind === 'new' ? 'ok' : 'warn'
}

/** Returns the signs at both ends: pointer and mark at the left, the change at the right. */
function edgeSigns<Item>(symbols: Symbols, look: RowLook<Item>): { left: string; right: string } {
  const mark = look.marked ? symbols.mark : ' '
  const pointer = look.marked ? symbols.markedPointer : symbols.pointer
  return { left: look.selected ? pointer : mark, right: ` ${look.change ? symbols[look.change.kind] : mark}` }
}

/** Returns the text of a count with its difference, if there is room. */
function withDelta<Item>(cell: {
  text: string
  item: Item
  column: Column<Item>
  width: number
  change: Change<Item> | undefined
}): string {
  const { text, column, change } = cell
  const count = column.count
  // With `9/10` or `3 of 6` it would be unclear which number the difference belongs to.
  const isCount = count !== undefined && text === formatCount(count(cell.item))
  const delta = change?.kind === 'changed' && isCount ? deltaText(count(change.from), count(cell.item)) : undefined
  if (delta === undefined || widthOf(text) + delta.length >= cell.width) return text
  return column.align === 'right' ? `${delta} ${text}` : `${text} ${delta}`
}

function fitPainted<Item>(row: string, placed: readonly PlacedColumn<Item>[], width: number): string {
  const used = placed.reduce((sum, column) => sum + column.width, 0) + GAP * Math.max(0, placed.length - 1)
  return row + ' '.repeat(Math.max(0, width - used))
}

export type Sorting = { column: string; descending: boolean }

/** Returns the titles, with the sort mark. */
export function composeHeader<Item>(
  theme: Theme,
  placed: readonly PlacedColumn<Item>[],
  sorting: Sorting | undefined,
): string {
  const cells = placed.map(({ column, width }) => {
    const mark =
      sorting?.column === column.id ? (sorting.descending ? theme.symbols.descending : theme.symbols.ascending) : ''
    return fit(truncate(column.title, width - widthOf(mark)) + mark, width, column.align)
  })
  return theme.paint('muted', ` ${cells.join(' ')}`)
}
