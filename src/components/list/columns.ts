import { clean, fit } from '../../app/theme/text.ts'
import type { Theme, Tone } from '../../app/theme/theme.ts'

export type Cell = string | { text: string; tone?: Tone }

export type Column<Item> = {
  id: string
  title: string
  /** Columns it takes; `flex` shares what is left. */
  width: number | 'flex'
  align?: 'left' | 'right'
  /** Least width of the list from which the column shows. */
  from?: number
  cell: (item: Item) => Cell
  /** What the list sorts by; absent = the column cannot be sorted by. Unknown values go last. */
  sort?: (item: Item) => string | number | undefined
}

export type PlacedColumn<Item> = { column: Column<Item>; width: number }

const GAP = 1
const LEAST_FLEX = 8

/** Which columns show at this width, and how wide each is. The pointer takes one column at the left. */
export function placeColumns<Item>(columns: readonly Column<Item>[], width: number): PlacedColumn<Item>[] {
  const shown = columns.filter(column => width >= (column.from ?? 0))
  const gaps = GAP * Math.max(0, shown.length - 1)
  const fixed = shown.reduce((sum, column) => sum + (column.width === 'flex' ? 0 : column.width), 0)
  const flexible = shown.filter(column => column.width === 'flex').length
  let rest = Math.max(LEAST_FLEX * flexible, width - 1 - gaps - fixed)
  let left = flexible
  return shown.map(column => {
    if (column.width !== 'flex') return { column, width: column.width }
    const share = Math.floor(rest / left)
    rest -= share
    left -= 1
    return { column, width: share }
  })
}

function parts<Item>(item: Item, column: Column<Item>): { text: string; tone: Tone } {
  const cell = column.cell(item)
  return typeof cell === 'string'
    ? { text: clean(cell), tone: 'plain' }
    : { text: clean(cell.text), tone: cell.tone ?? 'plain' }
}

/** One row as one string of exactly the given columns. */
export function composeRow<Item>(
  theme: Theme,
  placed: readonly PlacedColumn<Item>[],
  item: Item,
  look: { selected: boolean; focused: boolean; width: number },
): string {
  const cells = placed.map(({ column, width }) => {
    const { text, tone } = parts(item, column)
    const fitted = fit(text, width, column.align)
    return look.selected && look.focused ? fitted : theme.paint(tone, fitted)
  })
  const pointer = look.selected ? theme.symbols.pointer : ' '
  const row = fitPainted(pointer + cells.join(' '), placed, look.width)
  return look.selected ? theme.paint(look.focused ? 'selected' : 'selectedIdle', row) : row
}

function fitPainted<Item>(row: string, placed: readonly PlacedColumn<Item>[], width: number): string {
  const used =
    1 + placed.reduce((sum, column) => sum + column.width, 0) + GAP * Math.max(0, placed.length - 1)
  return row + ' '.repeat(Math.max(0, width - used))
}

export type Sorting = { column: string; descending: boolean }

/** Titles with the sort mark. */
export function composeHeader<Item>(
  theme: Theme,
  placed: readonly PlacedColumn<Item>[],
  sorting: Sorting | undefined,
): string {
  const cells = placed.map(({ column, width }) => {
    const mark =
      sorting?.column === column.id
        ? sorting.descending
          ? theme.symbols.descending
          : theme.symbols.ascending
        : ''
    return fit(column.title + mark, width, column.align)
  })
  return theme.paint('muted', ` ${cells.join(' ')}`)
}

/** The text of an item by which it is filtered. */
export function searchText<Item>(columns: readonly Column<Item>[], item: Item): string {
  return columns.map(column => parts(item, column).text).join(' ')
}

/** Items in order; a stable sort, so equal items keep the order they came in. */
export function sortItems<Item>(
  items: readonly Item[],
  columns: readonly Column<Item>[],
  sorting: Sorting | undefined,
): readonly Item[] {
  const by = sorting && columns.find(column => column.id === sorting.column)?.sort
  if (!by) return items
  const sign = sorting.descending ? -1 : 1
  return items
    .map(item => ({ item, value: by(item) }))
    .sort((a, b) => compareValues(a.value, b.value, sign))
    .map(({ item }) => item)
}

let collator: Intl.Collator | undefined

function compareValues(a: string | number | undefined, b: string | number | undefined, sign: number): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  if (typeof a === 'number' && typeof b === 'number') return sign * (a - b)
  collator ??= new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
  return sign * collator.compare(String(a), String(b))
}
