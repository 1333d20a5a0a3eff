import { clean, MOST_MEASURED, widthOf } from '../../tui/theme/text.ts'
import { EDGES, GAP, type Cell, type Column, type PlacedColumn } from './columns.ts'

/** Columns that a column needs for its title with the sort mark and for its cells. */
export type Needs<Item> = (column: Column<Item>) => number

const LEAST_FLEX = 8
/**
 * Less important columns are left out so that a name gets this share of the list, or this many columns, whichever is
 * more.
 */
const NAME_SHARE = 2 / 3
const LONGEST_NAME = 40
/** Number of rows whose cells are measured; rows further down a longer list use the same widths. */
const MEASURED_ROWS = 500

/**
 * Returns which columns are shown at this width, and how wide each is; the row's signs are at its edges. The first
 * flexible column that is always shown gets its full width before another gets more than its minimum. If it is a name,
 * columns with a `from` width are left out for it as well, the widest first.
 */
export function placeColumns<Item>(
  columns: readonly Column<Item>[],
  width: number,
  needs: Needs<Item> = titleNeeds,
): PlacedColumn<Item>[] {
  const shown = columns.filter(column => width >= (column.from ?? 0))
  const name = shown.find(isMain)
  const wanted = name?.isName ? Math.min(needs(name), Math.max(LONGEST_NAME, Math.floor(width * NAME_SHARE))) : 0
  for (;;) {
    const placed = spread(shown, { width, name, needs })
    const least = Math.max(...shown.map(column => column.from ?? 0))
    if (least <= 0 || placed.every(each => each.column !== name || each.width >= wanted)) return placed
    shown.splice(
      shown.findLastIndex(column => column.from === least),
      1,
    )
  }
}

/**
 * Returns how wide a list must be to show its names, or its sentences, in full beside the other columns of that width.
 * Of a text in another column it counts no more than the length of a long name.
 */
export function neededWidth<Item>(columns: readonly Column<Item>[], width: number, needs: Needs<Item>): number {
  const shown = columns.filter(column => width >= (column.from ?? 0))
  const main = shown.find(isMain)
  const needed = shown.map(column => {
    const most = column.isName || column === main ? Infinity : LONGEST_NAME
    return isNumber(column) ? declared(column) : Math.max(leastOf(column, needs), Math.min(needs(column), most))
  })
  return needed.reduce((sum, each) => sum + each, EDGES + GAP * (shown.length - 1))
}

/** Whether the column may identify the rows, as the first column of a list does. */
function isMain<Item>({ width, from }: Column<Item>): boolean {
  return width === 'flex' && from === undefined
}

/** Gives each column its minimum width, and the rest to those that need it, in order of importance. */
function spread<Item>(
  shown: readonly Column<Item>[],
  { width, name, needs }: { width: number; name: Column<Item> | undefined; needs: Needs<Item> },
): PlacedColumn<Item>[] {
  const placed = shown.map(column => ({ column, width: leastOf(column, needs) }))
  const lesser = placed.filter(({ column }) => column !== name)
  const fixed = lesser.filter(({ column }) => column.width !== 'flex')
  const flexible = lesser.filter(({ column }) => column.width === 'flex')
  const first = placed.filter(({ column }) => column === name)
  let left = width - EDGES - GAP * (shown.length - 1) - placed.reduce((sum, each) => sum + each.width, 0)
  const widen = (those: PlacedColumn<Item>[], to: (column: Column<Item>) => number): void => {
    for (const each of those) {
      const more = Math.max(0, Math.min(left, to(each.column) - each.width))
      each.width += more
      left -= more
    }
  }
  widen(first, needs)
  widen(fixed, declared)
  widen(
    fixed.filter(({ column }) => !isNumber(column)),
    column => Math.min(needs(column), LONGEST_NAME),
  )
  widen(flexible, needs)
  widen([...flexible.slice(-1), ...first], () => Infinity)
  return placed
}

/** Returns the minimum width of a column. A number keeps its declared width, in which its difference is shown. */
function leastOf<Item>(column: Column<Item>, needs: Needs<Item>): number {
  return isNumber(column) ? declared(column) : Math.min(declared(column), needs(column))
}

function declared<Item>({ width }: Column<Item>): number {
  return width === 'flex' ? LEAST_FLEX : width
}

function isNumber<Item>({ count, align }: Column<Item>): boolean {
  return count !== undefined || align === 'right'
}

/**
 * Tracks how much the columns of a list need. The values never shrink while there are rows, so that no column moves
 * because a row changed its state, or a filter hides the longest name.
 */
export function createNeeds<Item>(): (items: readonly Item[]) => Needs<Item> {
  const widest = new Map<string, number>()
  return items => {
    const measured = new Set<Column<Item>>()
    return column => {
      const before = widest.get(column.id) ?? titleNeeds(column)
      if (measured.has(column)) return before
      measured.add(column)
      const needed = items
        .slice(0, MEASURED_ROWS)
        .reduce((most, item) => Math.max(most, cellWidth(item, column)), before)
      widest.set(column.id, needed)
      return needed
    }
  }
}

function titleNeeds<Item>({ title }: Column<Item>): number {
  return widthOf(title) + 1
}

const cellWidths = new WeakMap<object, WeakMap<object, number>>()

/** Measures a cell once: an answer creates new objects only for changed rows. */
function cellWidth<Item>(item: Item, column: Column<Item>): number {
  const known = cellWidths.get(column) ?? new WeakMap<object, number>()
  cellWidths.set(column, known)
  const width = known.get(item as object) ?? measure(column.cell(item))
  known.set(item as object, width)
  return width
}

function measure(cell: Cell): number {
  return widthOf(clean((typeof cell === 'string' ? cell : cell.text).slice(0, MOST_MEASURED)))
}
