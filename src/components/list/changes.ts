import { cellText, type Column } from './columns.ts'
import type { Change } from './delta.ts'

export type Changes<Item> = {
  /** By the row's key. */
  rows: ReadonlyMap<string, Change<Item>>
  /** How many rows the answer before had that are not there any more. */
  gone: number
}

type Placed<Item> = { item: Item; index: number }

/** What does not stand in the other list at the same place as the same object: of a long list mostly little. */
function apartFrom<Item>(others: readonly Item[], items: readonly Item[]): Placed<Item>[] {
  const apart: Placed<Item>[] = []
  for (const [index, item] of items.entries()) if (item !== others[index]) apart.push({ item, index })
  return apart
}

/** As many rows at once are a further page of the same answer. */
const PAGE_ROWS = 20

/**
 * What is different between two answers about the same list: rows by identity, content by what the columns show, quiet
 * ones left out, so that a difference nobody can see is none. Many rows added at the end, or anywhere while nothing else differs, are a
 * further page being read, not news; answers without any row in common are about different things. A row that is the
 * same object is not looked at.
 */
export function diffItems<Item>(
  before: readonly Item[],
  after: readonly Item[],
  list: { keyOf: (item: Item) => string; columns: readonly Column<Item>[] },
): Changes<Item> {
  const { keyOf } = list
  const columns = list.columns.filter(({ quiet }) => !quiet)
  const olds = apartFrom(after, before)
  const news = apartFrom(before, after)
  const earlier = new Map(olds.map(({ item }) => [keyOf(item), item]))
  const rows = new Map<string, Change<Item>>()
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
    const differs = from !== item && columns.some(column => cellText(from, column) !== cellText(item, column))
    if (differs) rows.set(key, { kind: 'changed', from })
  }
  if (kept === 0) return { rows: new Map(), gone: 0 }
  const gone = earlier.size - (kept - same)
  if (added.length >= PAGE_ROWS && gone === 0 && rows.size === 0) return { rows, gone }
  const appended = added.filter(({ index }) => index > lastKept).length
  for (const { key, index } of added)
    if (index < lastKept || appended < PAGE_ROWS) rows.set(key, { kind: 'new' })
  return { rows, gone }
}
