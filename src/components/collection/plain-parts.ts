import { serviceNow } from '../../api/client/transport/service-time.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { formatAgo, formatCount, UNKNOWN } from '../../lib/format.ts'
import type { Look, Symbols } from '../../tui/theme/theme.ts'
import { ageCell, type Cell, type Column } from '../list/columns.ts'

type Timestamp = number | string | null | undefined

/** Returns the age of a wire time, for a field. */
export function agoText(at: Timestamp): string {
  return formatAgo(toEpochMs(at), serviceNow())
}

/** Returns the age of a wire time, for a row. */
export function freshness(at: Timestamp): Cell {
  return ageCell(toEpochMs(at), serviceNow())
}

/** Overrides of a column's defaults. */
type Other<Item> = Partial<Column<Item>>

/** Returns a column that shows the age of a row. */
export function ageColumn<Item>(title: string, at: (item: Item) => Timestamp, other: Other<Item> = {}): Column<Item> {
  const width = Math.max(5, title.length)
  const sort = (item: Item) => toEpochMs(at(item))
  const cell = (item: Item) => freshness(at(item))
  return { id: title.toLowerCase(), title, width, align: 'right', quiet: true, cell, sort, ...other }
}

/** Returns the column of row names: it takes the remaining width, and the list sorts by it. */
export function nameColumn<Item>(
  title: string,
  nameOf: (item: Item) => string | null | undefined,
  other: Other<Item> = {},
): Column<Item> {
  const cell = (item: Item): string => nameOf(item) ?? UNKNOWN
  return { id: 'name', title, width: 'flex', isName: true, cell, sort: item => nameOf(item) ?? undefined, ...other }
}

type AnyLook = Look | Look<'new' | 'changed'>

/** Returns a column that shows the state of a row as a sign and a word. */
export function lookColumn<Item>(
  symbols: Symbols,
  lookOf: (item: Item) => AnyLook,
  other: Other<Item> = {},
): Column<Item> {
  const cell = (item: Item) => lookCell(symbols, lookOf(item))
  return { id: 'state', title: 'State', width: 12, cell, ...other }
}

/** Returns a state as a cell. */
export function lookCell(symbols: Symbols, look: AnyLook) {
  return { text: `${symbols[look.symbol]} ${look.word}`, tone: look.tone }
}

/** Returns a column that is shown if there is room. */
export function noteColumn<Item>(
  title: string,
  width: Column<Item>['width'],
  noteOf: (item: Item) => string | null | undefined,
  other: Other<Item> = {},
): Column<Item> {
  const cell = (item: Item) => ({ text: noteOf(item) ?? UNKNOWN, tone: 'muted' }) as const
  return { id: title.toLowerCase(), title, width, cell, ...other }
}

/** Returns a column with a right-aligned number. */
export function countColumn<Item>(
  title: string,
  width: number,
  countOf: (item: Item) => number | null | undefined,
  other: Other<Item> = {},
): Column<Item> {
  const cell = (item: Item): string => formatCount(countOf(item))
  const sort = (item: Item) => countOf(item) ?? undefined
  return { id: title.toLowerCase(), title, width, align: 'right', cell, sort, ...other }
}

/** Returns a column for a less important number in its own format, such as a duration. */
export function measureColumn<Item>(
  title: string,
  width: number,
  valueOf: (item: Item) => number | null | undefined,
  format: (value: number | null | undefined) => Cell,
  other: Other<Item> = {},
): Column<Item> {
  const cell = (item: Item): Cell => {
    const shown = format(valueOf(item))
    return typeof shown === 'string' ? { text: shown, tone: 'muted' } : shown
  }
  return countColumn(title, width, valueOf, { cell, ...other })
}

/** Returns the confirmation and messages of a permanent deletion. */
export function deletion(noun: string, name: string, line: string) {
  return {
    confirm: { title: `Delete ${noun} "${name}"?`, lines: [line], action: `Delete the ${noun}`, word: 'delete' },
    start: `Deleting ${name}…`,
    done: () => `Deleted ${name}.`,
  }
}

/** Returns the keys of every collection; a read-only collection has no other keys. */
export function openAndBack(noun: string) {
  return {
    open: { keys: ['enter'], label: 'open', hint: 'first', help: `Go into the ${noun}.` },
    back: { keys: ['escape'], label: 'back', help: `Out of the ${noun}.` },
  } as const
}
