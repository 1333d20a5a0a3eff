import { cellText, type Column } from './columns.ts'
import type { Change } from './delta.ts'

/**
 * How a row differs from the previous answer: it was missing, or is another object. Whether the change is visible is
 * checked only when the row is shown.
 */
export type Difference<Item> = { kind: 'new' } | { kind: 'other'; from: Item; to: Item }

export type Differences<Item> = {
  /** Differences by the row's key. */
  rows: Map<string, Difference<Item>>
  /** Number of rows in the previous answer that are gone. */
  gone: number
}

/** Returns how a difference shows in these columns, except quiet ones; undefined if it is not visible. */
export function changeShown<Item>(
  difference: Difference<Item>,
  columns: readonly Column<Item>[],
): Change<Item> | undefined {
  if (difference.kind === 'new') return difference
  const { from, to } = difference
  const shows = columns.some(column => !column.quiet && cellText(from, column) !== cellText(to, column))
  return shows ? { kind: 'changed', from } : undefined
}

type Placed<Item> = { item: Item; index: number }

/** Returns the items that differ from the object at the same position of the other list; in a long list usually few. */
function apartFrom<Item>(others: readonly Item[], items: readonly Item[]): Placed<Item>[] {
  const apart: Placed<Item>[] = []
  for (const [index, item] of items.entries()) if (item !== others[index]) apart.push({ item, index })
  return apart
}

/** Minimum number of new rows at once that count as another page of the same answer. */
const PAGE_ROWS = 20

/**
 * Compares two answers for the same list, identifying rows by their key. Many rows added at the end, or anywhere if
 * nothing else differs, are another page and not news; answers without any common row are about different things. A row
 * that is the same object is not compared.
 */
export function diffItems<Item>(
  before: readonly Item[],
  after: readonly Item[],
  list: { keyOf: (item: Item) => string; columns: readonly Column<Item>[] },
): Differences<Item> {
  const { keyOf, columns } = list
  const olds = apartFrom(after, before)
  const news = apartFrom(before, after)
  const earlier = new Map(olds.map(({ item }) => [keyOf(item), item]))
  const rows = new Map<string, Difference<Item>>()
  const same = before.length - olds.length
  let kept = same
  let lastKept = after.length - 1
  while (lastKept >= 0 && after[lastKept] !== before[lastKept]) lastKept -= 1
  const added: { key: string; index: number }[] = []
  for (const { item, index } of news) {
    const key = keyOf(item)
    const from = earlier.get(key)
    if (from === undefined) {
      added.push({ key, index })
      continue
    }
    kept += 1
    lastKept = Math.max(lastKept, index)
    if (from !== item) rows.set(key, { kind: 'other', from, to: item })
  }
  if (kept === 0) return { rows: new Map(), gone: 0 }
  const gone = earlier.size - (kept - same)
  const isFurtherPage = added.length >= PAGE_ROWS && gone === 0
  if (isFurtherPage && ![...rows.values()].some(row => changeShown(row, columns))) return { rows: new Map(), gone }
  const appended = added.filter(({ index }) => index > lastKept).length
  for (const { key, index } of added) if (index < lastKept || appended < PAGE_ROWS) rows.set(key, { kind: 'new' })
  return { rows, gone }
}
