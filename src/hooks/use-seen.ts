import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { markOf, newsOf, type ListNews, type Seen, type SeenRow } from '../domain/seen/seen.ts'
import { useWorkspace } from './workspace.tsx'

/**
 * Records the rows of a list as seen, and returns which of them are new since the last visit; nothing if that is not
 * stored. `list` is the permanent name of the list, such as `suites prj_1`; undefined while it is unknown which list it
 * is. `items` is undefined while the data comes from an earlier session. `keyOf`, `says` (the part of a row that is
 * worth a notice, as text) and `bornAt` (for lists that are read in parts) must be stable.
 */
export function useSeen<Item extends object>(options: {
  list: string | undefined
  items: readonly Item[] | undefined
  keyOf: (item: Item) => string
  says: (item: Item) => string
  bornAt?: (item: Item) => number | undefined
  /** Whether the items are complete, so that missing ones are known to be gone. */
  isWhole?: boolean
}): ListNews | undefined {
  const { seen } = useWorkspace()
  const { list, items, keyOf, says, bornAt, isWhole = false } = options
  const version = useSyncExternalStore(seen?.subscribe ?? never, seen?.version ?? zero)
  const rowOf = useRowOf({ keyOf, says, ...(bornAt && { bornAt }) })
  const rows = useMemo(() => items?.map(rowOf), [items, rowOf])
  useEffect(() => {
    if (seen && list !== undefined && rows) seen.show(list, rows, isWhole)
  }, [seen, list, rows, isWhole, version])
  return useMemo(
    () => (seen && list !== undefined ? listNews(seen, list, rows ?? [], isWhole) : undefined),
    // oxlint-disable-next-line react/exhaustive-deps -- what the store answers changes with its version
    [seen, list, rows, isWhole, version],
  )
}

function listNews(seen: Seen, list: string, rows: readonly SeenRow[], isWhole: boolean): ListNews {
  const before = seen.of(list)
  const present = new Set(rows.map(({ id }) => id))
  return {
    news: newsOf(before, rows),
    lookedAt: before?.at,
    gone: isWhole && before ? [...before.rows.keys()].filter(id => !present.has(id)).length : 0,
    acknowledge(keys) {
      const wanted = new Set(keys)
      seen.acknowledge(
        list,
        rows.filter(({ id }) => wanted.has(id)),
      )
    },
  }
}

/** Returns an item's row, created once while the item is the same object. */
function useRowOf<Item extends object>(of: {
  keyOf: (item: Item) => string
  says: (item: Item) => string
  bornAt?: (item: Item) => number | undefined
}): (item: Item) => SeenRow {
  const { keyOf, says, bornAt } = of
  return useMemo(() => {
    const known = new WeakMap<Item, SeenRow>()
    return item => {
      const row = known.get(item) ?? { id: keyOf(item), mark: markOf(says(item)), bornAt: bornAt?.(item) }
      known.set(item, row)
      return row
    }
  }, [keyOf, says, bornAt])
}

function never(): () => void {
  return () => undefined
}

function zero(): number {
  return 0
}
