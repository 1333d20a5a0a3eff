import { UNKNOWN } from '../../lib/format.ts'
import { cellText, type Column, type Sorting } from './columns.ts'

type Value = string | number | undefined
type Sorted<Item> = { item: Item; value: Value }

/** Sorts items; remembers its last result, so that only new items have to be placed. */
export type ItemSort<Item> = (
  items: readonly Item[],
  columns: readonly Column<Item>[],
  sorting: Sorting | undefined,
) => readonly Item[]

/** Creates a stable sort: equal items keep their order. */
export function createItemSort<Item>(): ItemSort<Item> {
  let last: { column: Column<Item>; descending: boolean; order: Sorted<Item>[]; places: Map<Item, number> } | undefined
  return (items, columns, sorting) => {
    const column = sorting && columns.find(candidate => candidate.id === sorting.column)
    if (!column) {
      last = undefined
      return items
    }
    const { descending } = sorting
    const places = new Map(items.map((item, index) => [item, index]))
    const before = last?.column === column && last.descending === descending ? last : undefined
    const isKnown = before && keepsOrder(items, before.places) ? (item: Item) => before.places.has(item) : () => false
    const by = column.sort ?? (item => shownValue(item, column))
    const compare = (a: Sorted<Item>, b: Sorted<Item>): number =>
      compareValues(a.value, b.value, descending ? -1 : 1) || places.get(a.item)! - places.get(b.item)!
    const known = before?.order.filter(({ item }) => isKnown(item) && places.has(item)) ?? []
    const added = items.filter(item => !isKnown(item)).map(item => ({ item, value: by(item) }))
    const order = merged(known, added.sort(compare), compare)
    // An item that occurs twice has only one place.
    last = places.size === items.length ? { column, descending, order, places } : undefined
    return order.map(({ item }) => item)
  }
}

/** Whether the items that were there before are in the same order. */
function keepsOrder<Item>(items: readonly Item[], before: ReadonlyMap<Item, number>): boolean {
  let last = -1
  return items.every(item => {
    const place = before.get(item)
    if (place === undefined) return true
    const isNext = place > last
    last = place
    return isNext
  })
}

/** Merges two sorted lists, of which the second is usually short. */
function merged<T>(known: readonly T[], added: readonly T[], compare: (a: T, b: T) => number): T[] {
  const all: T[] = []
  let from = 0
  for (const each of added) {
    let [low, high] = [from, known.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compare(known[middle]!, each) < 0) low = middle + 1
      else high = middle
    }
    while (from < low) all.push(known[from++]!)
    all.push(each)
  }
  while (from < known.length) all.push(known[from++]!)
  return all
}

function shownValue<Item>(item: Item, column: Column<Item>): string | undefined {
  const text = cellText(item, column)
  return text === '' || text === UNKNOWN ? undefined : text
}

let collator: Intl.Collator | undefined

function compareValues(a: Value, b: Value, sign: number): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  if (typeof a === 'number' && typeof b === 'number') return sign * (a - b)
  collator ??= new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
  return sign * collator.compare(String(a), String(b))
}
