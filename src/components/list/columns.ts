import { formatAge } from '../../tui/theme/format.ts'
import { clean, fit, MOST_MEASURED, truncate, widthOf } from '../../tui/theme/text.ts'
import type { Symbols, Theme, Tone } from '../../tui/theme/theme.ts'
import { deltaText, type Change } from './delta.ts'

export type Cell = string | { text: string; tone?: Tone }

/** From this age on an age is secondary. */
const FADES_AFTER_MS = 60 * 60 * 1000

/** How long ago something was, in a row: what is fresh stands out, and fades. Times in epoch milliseconds. */
export function ageCell(then: number | undefined, now: number): Exclude<Cell, string> {
  const isFresh = then !== undefined && now - then < FADES_AFTER_MS
  return { text: formatAge(then, now), tone: isFresh ? 'plain' : 'muted' }
}

export type Column<Item> = {
  id: string
  title: string
  /** Columns it takes; `flex` shares what is left. */
  width: number | 'flex'
  align?: 'left' | 'right'
  /** Least width of the list from which the column shows. */
  from?: number
  cell: (item: Item) => Cell
  /** What the cell counts, where it counts something: a change shows with what was gained or lost. */
  count?: (item: Item) => number | null | undefined
  /** What the list sorts by; absent = the text of the cell. Unknown values go last. */
  sort?: (item: Item) => string | number | undefined
  /** It shows how fresh the row is: that it changes is no change of the row. */
  quiet?: true
}

export type PlacedColumn<Item> = { column: Column<Item>; width: number }

const GAP = 1
const LEAST_FLEX = 8
/** Columns that are taken by the pointer or mark at the left, and by the sign of a change or mark at the right. */
const EDGES = 2

/** What rows are called; a title or a sentence, which may be any length, takes no column's place. */
const NAME = 'name'
/** Names as long as this are whole before a column that shows `from` a width stands beside them. */
const LONGEST_NAME = 40
/** Rows whose cells are measured: those further down a longer list get the widths that these have. */
const MEASURED_ROWS = 500

/**
 * Which columns show at this width, and how wide each is; the row's signs stand at its edges. The name, which is the
 * flexible column that always shows, takes what it lacks for these items from the others, and leaves them its slack.
 */
export function placeColumns<Item>(
  columns: readonly Column<Item>[],
  width: number,
  items: readonly Item[] = [],
): PlacedColumn<Item>[] {
  const shown = columns.filter(column => width >= (column.from ?? 0))
  const placed = spread(shown, width)
  const name = placed.find(({ column }) => column.width === 'flex' && column.from === undefined)
  if (!name || items.length === 0) return placed
  const others = placed.filter(each => each !== name).toReversed()
  const flexible = others.filter(({ column }) => column.width === 'flex')
  const needed = widest(items, name.column, { most: width, measure: nameWidth })
  const slack = flexible[0] ? Math.max(0, name.width - Math.max(LEAST_FLEX, needed)) : 0
  if (flexible[0]) flexible[0].width += slack
  name.width -= slack
  // A number keeps the room into which it grows, and in which what was gained shows.
  const least = ({ column, width: most }: PlacedColumn<Item>): number =>
    column.count || column.align === 'right' ? most : widest(items, column, { most })
  widen(name, { to: needed, from: others, least })
  const wanted = Math.min(needed, LONGEST_NAME)
  widen(name, { to: wanted, from: flexible, least: () => LEAST_FLEX })
  const leastWorth = shown.reduce((least, each) => ((each.from ?? 0) > (least.from ?? 0) ? each : least), name.column)
  if (name.width >= wanted || leastWorth === name.column || name.column.id !== NAME) return placed
  return placeColumns(
    columns.filter(column => column !== leastWorth),
    width,
    items,
  )
}

/** Columns as wide as they are declared, and flexible ones in equal shares of what is left. */
function spread<Item>(shown: readonly Column<Item>[], width: number): PlacedColumn<Item>[] {
  const gaps = GAP * Math.max(0, shown.length - 1)
  const fixed = shown.reduce((sum, column) => sum + (column.width === 'flex' ? 0 : column.width), 0)
  const flexible = shown.filter(column => column.width === 'flex').length
  let rest = Math.max(LEAST_FLEX * flexible, width - EDGES - gaps - fixed)
  let left = flexible
  return shown.map(column => {
    if (column.width !== 'flex') return { column, width: column.width }
    const share = Math.floor(rest / left)
    rest -= share
    left -= 1
    return { column, width: share }
  })
}

/** Widens a column at the cost of others, of which each stays as wide as `least` says. */
function widen<Item>(
  name: PlacedColumn<Item>,
  { to, from, least }: { to: number; from: PlacedColumn<Item>[]; least: (other: PlacedColumn<Item>) => number },
): void {
  for (const other of from) {
    if (name.width >= to) return
    const taken = Math.max(0, Math.min(to - name.width, other.width - least(other)))
    name.width += taken
    other.width -= taken
  }
}

/** Columns that the title with its sort mark and the cells of these items take, and no further than `most`. */
function widest<Item>(
  items: readonly Item[],
  column: Column<Item>,
  { most, measure = cellWidth }: { most: number; measure?: typeof cellWidth },
): number {
  let columns = widthOf(column.title) + 1
  for (let index = 0; index < Math.min(items.length, MEASURED_ROWS) && columns < most; index += 1)
    columns = Math.max(columns, measure(items[index]!, column))
  return Math.min(columns, most)
}

function cellWidth<Item>(item: Item, column: Column<Item>): number {
  const cell = column.cell(item)
  return widthOf(clean((typeof cell === 'string' ? cell : cell.text).slice(0, MOST_MEASURED)))
}

const nameWidths = new WeakMap<object, WeakMap<object, number>>()

/** The same, measured once: an answer makes new objects of the rows that it changed alone. */
function nameWidth<Item>(item: Item, column: Column<Item>): number {
  const known = nameWidths.get(column) ?? new WeakMap<object, number>()
  nameWidths.set(column, known)
  const width = known.get(item as object) ?? cellWidth(item, column)
  known.set(item as object, width)
  return width
}

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
  /** How the row differs from the answer before, for the moment in which that shows. */
  change?: Change<Item> | undefined
  /** Whether numbers that changed stand out for that moment. */
  flashes?: boolean
}

/** One row as one string of exactly the given columns, its pointer, mark and change each a sign besides a colour. */
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
    const fitted = fit(withDelta({ text, item, column, width, change: look.change }), width, column.align)
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

/** Whether a number shows another value than in the answer before. */
function isChangedNumber<Item>(item: Item, column: Column<Item>, change: Change<Item> | undefined): boolean {
  const isNumber = !column.quiet && (column.count !== undefined || column.align === 'right')
  return isNumber && change?.kind === 'changed' && cellText(change.from, column) !== cellText(item, column)
}

function changeTone<Item>(look: RowLook<Item>): Tone {
  return look.change?.kind === 'new' ? 'ok' : 'warn'
}

/** The signs at both ends: where the pointer and the mark are, and what is different, at least by a blank. */
function edgeSigns<Item>(symbols: Symbols, look: RowLook<Item>): { left: string; right: string } {
  const mark = look.marked ? symbols.mark : ' '
  const pointer = look.marked ? symbols.markedPointer : symbols.pointer
  return { left: look.selected ? pointer : mark, right: look.change ? symbols[look.change.kind] : mark }
}

/** The text of a cell, with what a count has gained or lost where there is room for it. */
function withDelta<Item>(cell: {
  text: string
  item: Item
  column: Column<Item>
  width: number
  change: Change<Item> | undefined
}): string {
  const { text, column, change } = cell
  const count = column.count
  const delta = change?.kind === 'changed' && count ? deltaText(count(change.from), count(cell.item)) : undefined
  if (delta === undefined || widthOf(text) + delta.length >= cell.width) return text
  return column.align === 'right' ? `${delta} ${text}` : `${text} ${delta}`
}

function fitPainted<Item>(row: string, placed: readonly PlacedColumn<Item>[], width: number): string {
  const used = placed.reduce((sum, column) => sum + column.width, 0) + GAP * Math.max(0, placed.length - 1)
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
      sorting?.column === column.id ? (sorting.descending ? theme.symbols.descending : theme.symbols.ascending) : ''
    return fit(truncate(column.title, width - widthOf(mark)) + mark, width, column.align)
  })
  return theme.paint('muted', ` ${cells.join(' ')}`)
}
