import { cellText, type Column } from './columns.ts'
import type { Change } from './delta.ts'

export type Changes<Item> = {
  /** By the row's key. */
  rows: ReadonlyMap<string, Change<Item>>
  /** How many rows the answer before had that are not there any more. */
  gone: number
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
  const earlier = new Map(before.map(item => [keyOf(item), item]))
  const rows = new Map<string, Change<Item>>()
  let kept = 0
  let lastKept = -1
  const added: { key: string; index: number }[] = []
  for (const [index, item] of after.entries()) {
    const key = keyOf(item)
    const from = earlier.get(key)
    if (from === undefined) {
      added.push({ key, index })
      continue
    }
    kept += 1
    lastKept = index
    const differs = from !== item && columns.some(column => cellText(from, column) !== cellText(item, column))
    if (differs) rows.set(key, { kind: 'changed', from })
  }
  if (kept === 0) return { rows: new Map(), gone: 0 }
  const gone = earlier.size - kept
  if (added.length >= PAGE_ROWS && gone === 0 && rows.size === 0) return { rows, gone }
  const appended = added.filter(({ index }) => index > lastKept).length
  for (const { key, index } of added)
    if (index < lastKept || appended < PAGE_ROWS) rows.set(key, { kind: 'new' })
  return { rows, gone }
}
