import { serviceNow } from '../../api/client/transport/service-time.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { formatAgo, formatCount, UNKNOWN } from '../../tui/theme/format.ts'
import type { Symbols } from '../../tui/theme/theme.ts'
import type { Look } from '../conversations/session-row.ts'
import { ageCell, type Column } from '../list/columns.ts'

type Timestamp = number | string | null | undefined

/** How long ago a time of the wire was, as a field says it. */
export function agoText(at: Timestamp): string {
  return formatAgo(toEpochMs(at), serviceNow())
}

/** A column that shows how fresh a row is. */
export function ageColumn<Item>(title: string, at: (item: Item) => Timestamp): Column<Item> {
  return {
    id: title.toLowerCase(),
    title,
    width: Math.max(5, title.length),
    align: 'right',
    quiet: true,
    cell: item => ageCell(toEpochMs(at(item)), serviceNow()),
    sort: item => toEpochMs(at(item)),
  }
}

/** What a row is called: it takes the width that is left, and the list sorts by it. */
export function nameColumn<Item>(title: string, nameOf: (item: Item) => string, id = 'name'): Column<Item> {
  return { id, title, width: 'flex', cell: nameOf, sort: nameOf }
}

/** How a row stands, as a sign and a word. */
export function lookColumn<Item>(symbols: Symbols, lookOf: (item: Item) => Look, width = 12): Column<Item> {
  const cell = (item: Item) => {
    const { symbol, word, tone } = lookOf(item)
    return { text: `${symbols[symbol]} ${word}`, tone }
  }
  return { id: 'state', title: 'State', width, cell }
}

/** What is worth a column where there is room for it. */
export function noteColumn<Item>(
  title: string,
  width: Column<Item>['width'],
  noteOf: (item: Item) => string | null | undefined,
  from = 0,
): Column<Item> {
  const cell = (item: Item) => ({ text: noteOf(item) ?? UNKNOWN, tone: 'muted' }) as const
  return { id: title.toLowerCase(), title, width, from, cell }
}

/** A number at the right of its column. */
export function countColumn<Item>(
  title: string,
  width: number,
  countOf: (item: Item) => number | null | undefined,
  cell = (item: Item): string => formatCount(countOf(item)),
): Column<Item> {
  const sort = (item: Item) => countOf(item) ?? undefined
  return { id: title.toLowerCase(), title, width, align: 'right', cell, sort }
}

/** The confirmation and the messages of a deletion that cannot be undone. */
export function deletion(noun: string, name: string, line: string) {
  return {
    confirm: { title: `Delete ${name}?`, lines: [line], action: `Delete the ${noun}`, word: 'delete' },
    start: `Deleting ${name}…`,
    done: () => `Deleted ${name}.`,
  }
}

/** The keys that every collection has; one that is only read has no others. */
export function openAndBack(noun: string) {
  return {
    open: { keys: ['enter'], label: 'open', hint: 'first', help: `Go into the ${noun}.` },
    back: { keys: ['escape'], label: 'back', help: `Out of the ${noun}.` },
  } as const
}
