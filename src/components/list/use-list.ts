import fuzzysort from 'fuzzysort'
import { useEffect, useMemo, useRef, useState } from 'react'
import { searchText, sortItems, type Column, type Sorting } from './columns.ts'
import { createSelection, type Selection } from './selection.ts'

export type ListState<Item> = {
  columns: readonly Column<Item>[]
  /** Rows after filter and sort. */
  items: readonly Item[]
  /** How many there are before the filter. */
  total: number
  keyOf: (item: Item) => string
  selection: Selection
  filter: string
  setFilter: (filter: string) => void
  sorting: Sorting | undefined
  setSorting: (sorting: Sorting | undefined) => void
  /** The chosen item as it is at this moment, also in the middle of a burst of keys. */
  current: () => Item | undefined
  /** The same for acting on it: from now on it stays chosen while rows change around it. */
  choose: () => Item | undefined
}

type Searchable<Item> = { item: Item; text: ReturnType<typeof fuzzysort.prepare> }

/** Best first. Rows that hold the words as typed hide those that only match letter by letter. */
function matches<Item>(texts: readonly Searchable<Item>[], filter: string): Item[] {
  const wanted = filter.toLowerCase()
  const literal = texts.filter(({ text }) => text.target.toLowerCase().includes(wanted))
  if (literal.length > 0) return literal.map(({ item }) => item)
  return fuzzysort.go(filter, texts, { key: 'text', threshold: 0 }).map(hit => hit.obj.item)
}

/**
 * Everything about a list except how it looks: order, filter and the chosen row.
 * `columns` and `keyOf` must be stable (module constants or memoised).
 */
export function useList<Item>(options: {
  items: readonly Item[]
  keyOf: (item: Item) => string
  columns: readonly Column<Item>[]
  initialKey?: string | undefined
  initialSorting?: Sorting
}): ListState<Item> {
  const { items, keyOf, columns } = options
  const selection = useRef<Selection>(undefined)
  selection.current ??= createSelection(options.initialKey)
  const [filter, setFilter] = useState('')
  const [sorting, setSorting] = useState(options.initialSorting)
  const sorted = useMemo(() => sortItems(items, columns, sorting), [items, columns, sorting])
  const isFiltering = filter !== ''
  const texts = useMemo(
    () =>
      isFiltering ? sorted.map(item => ({ item, text: fuzzysort.prepare(searchText(columns, item)) })) : [],
    [sorted, columns, isFiltering],
  )
  const { shown, best } = useMemo(() => {
    if (!filter) return { shown: sorted, best: undefined }
    const hits = matches(texts, filter)
    const matching = new Set(hits)
    return { shown: sorted.filter(item => matching.has(item)), best: hits[0] }
  }, [sorted, texts, filter])
  const keys = useMemo(() => shown.map(keyOf), [shown, keyOf])
  selection.current.setKeys(keys)
  const bestKey = best && keyOf(best)
  const chosenFor = useRef('')
  useEffect(() => {
    // Rows that arrive later must not take the choice away again, only another filter text may.
    if (chosenFor.current === filter) return
    chosenFor.current = filter
    if (bestKey !== undefined) selection.current?.select(bestKey)
  }, [filter, bestKey])
  const latest = useRef(shown)
  latest.current = shown
  const chosen = selection.current
  return {
    columns,
    items: shown,
    total: items.length,
    keyOf,
    selection: chosen,
    filter,
    setFilter,
    sorting,
    setSorting,
    current: () => latest.current[chosen.index()],
    choose: () => {
      chosen.to(chosen.index())
      return latest.current[chosen.index()]
    },
  }
}

/** `3 of 128`, or `3 of 12/128` while a filter hides some. */
export function listCount(
  list: ListState<never> | { items: readonly unknown[]; total: number; selection: Selection },
): string {
  const shown = list.items.length
  const position = shown === 0 ? 0 : list.selection.index() + 1
  return shown === list.total ? `${position} of ${shown}` : `${position} of ${shown}/${list.total}`
}
