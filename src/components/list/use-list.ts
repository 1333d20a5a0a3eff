import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import type { ListNews } from '../../domain/seen/seen.ts'
import { formatAge, formatAgo } from '../../lib/format.ts'
import { clean } from '../../tui/theme/text.ts'
import { unavailable, type Unavailable } from '../../tui/keymap/binding.ts'
import type { Symbols } from '../../tui/theme/theme.ts'
import type { Column, Sorting } from './columns.ts'
import { createNeeds, neededWidth, type Needs } from './placing.ts'
import { createSelection, type Selection } from './selection.ts'
import type { Changes } from './signs.ts'
import { createItemSort, type ItemSort } from './sort-items.ts'
import { useChanges } from './use-changes.ts'
import { useFilter } from './use-filter.ts'

/** Columns of a pane's left and right border. */
const BORDERS = 2

/** The marked rows, identified by their keys while the rows change. */
type Marks = {
  has(key: string): boolean
  toggle(key: string): void
  clear(): void
  /** Returns a new set after each change. */
  keys(): ReadonlySet<string>
  subscribe(listener: () => void): () => void
}

export type ListState<Item> = {
  columns: readonly Column<Item>[]
  /** The width that each column needs, which never shrinks while there are rows. */
  needs: Needs<Item>
  /** Rows after filtering and sorting. */
  items: readonly Item[]
  /** Number of rows before filtering. */
  total: number
  keyOf: (item: Item) => string
  selection: Selection
  filter: string
  setFilter: (filter: string) => void
  /** Message about a part of the filter that is invalid. */
  filterProblem: string | undefined
  /** The filter has not checked all rows; the items are those found so far. */
  isSearching: boolean
  sorting: Sorting | undefined
  setSorting: (sorting: Sorting | undefined) => void
  marks: Marks
  /**
   * Returns the currently marked items in the list's order, including those that the filter hides, which the title
   * mentions.
   */
  marked: () => readonly Item[]
  /** Changes of the last answers, while they are shown. */
  changes: Changes<Item>
  /** Absent if seen entries of the list are not stored. */
  news: ListNews | undefined
  /** Whether only new rows are shown. */
  onlyNews: boolean
  setOnlyNews: (only: boolean) => void
  /** The item open beside the list is no longer or not yet in it; nothing else is selected meanwhile. */
  isMissed: boolean
  /** Returns the currently selected item, even in the middle of a burst of keys. */
  current: () => Item | undefined
  /** Returns the same item for an action: from now on it stays selected while rows change around it. */
  choose: () => Item | undefined
}

/** Says why no action on a row is possible: a filter that hides all rows differs from an empty list. */
export function noRow({ total }: Pick<ListState<unknown>, 'total'>, noun: string): Unavailable {
  return unavailable(total > 0 ? `The filter hides every ${noun}.` : `There is no ${noun}.`)
}

/**
 * Returns the state of a list except its appearance: order, filter and selected row. `columns` and `keyOf` must be
 * stable (module constants or memoized).
 */
export function useList<Item extends object>(options: {
  items: readonly Item[]
  keyOf: (item: Item) => string
  columns: readonly Column<Item>[]
  initialKey?: string | undefined
  initialSorting?: Sorting
  news?: ListNews | undefined
  /** Filters rows for the screen; must be stable like the columns. Rows that it hides still count, and stay marked. */
  only?: ((item: Item) => boolean) | undefined
  /** The selected item is open in another pane that has the keys: if it disappears, no other row replaces it. */
  isOpen?: boolean
  /** The list is being read part by part for the first time: rows that arrive are not changes. */
  arriving?: boolean
  /** Id of the rows' owner: rows of another owner start at the first row. */
  of?: string | undefined
  /**
   * Rows are added at the end without limit: while the last row is selected, the newest one becomes selected, and new
   * rows are not changes.
   */
  follows?: boolean
}): ListState<Item> {
  const { items, keyOf, columns, news, only } = options
  const selection = useRef<Selection>(undefined)
  selection.current ??= createSelection(options.initialKey, options.follows)
  const [filter, setFilter] = useState('')
  const [sorting, setSorting] = useState(options.initialSorting)
  const [onlyNews, setOnlyNews] = useState(false)
  const wanted = onlyNews ? news?.news : undefined
  const isNarrowed = wanted !== undefined || only !== undefined
  const listed = useMemo(
    () => (isNarrowed ? items.filter(item => (wanted?.has(keyOf(item)) ?? true) && (only?.(item) ?? true)) : items),
    [items, isNarrowed, wanted, only, keyOf],
  )
  const sort = useRef<ItemSort<Item>>(undefined)
  sort.current ??= createItemSort()
  const sortItems = sort.current
  const sorted = useMemo(() => sortItems(listed, columns, sorting), [sortItems, listed, columns, sorting])
  const { shown, best, problem, isSearching } = useFilter(sorted, columns, filter)
  const needs = useNeeds(shown, items.length === 0)
  const marks = useRef<Marks>(undefined)
  marks.current ??= createMarks()
  const held = marks.current
  useSyncExternalStore(held.subscribe, held.keys)
  const keys = useMemo(() => shown.map(keyOf), [shown, keyOf])
  useOwner(options, selection.current)
  selection.current.hold(options.isOpen ?? false)
  selection.current.setKeys(keys)
  const bestKey = best && keyOf(best)
  const chosenFor = useRef('')
  useEffect(() => {
    // Rows that arrive later must not change the selection again; only another filter text may.
    if (chosenFor.current === filter || (bestKey === undefined && isSearching)) return
    chosenFor.current = filter
    if (bestKey !== undefined) selection.current?.select(bestKey)
  }, [filter, bestKey, isSearching])
  const latest = useRef(shown)
  latest.current = shown
  const marked = useMarked(held, isNarrowed ? items : sorted, keyOf)
  const changes = useChanges(items, { keyOf, columns, arriving: options.arriving ?? options.follows ?? false })
  const chosen = selection.current
  return {
    columns,
    needs,
    items: shown,
    total: items.length,
    keyOf,
    selection: chosen,
    filter,
    setFilter,
    filterProblem: problem,
    isSearching,
    marks: held,
    marked,
    changes,
    news,
    onlyNews: wanted !== undefined,
    setOnlyNews,
    sorting,
    setSorting,
    current: () => latest.current[chosen.index()],
    isMissed: chosen.isMissed(),
    choose: () => {
      if (chosen.isMissed()) return undefined
      chosen.to(chosen.index())
      return latest.current[chosen.index()]
    },
  }
}

/** Resets the list for the rows of another owner, before they are set. */
function useOwner(
  { of, initialKey }: { of?: string | undefined; initialKey?: string | undefined },
  selection: Selection,
): void {
  const owner = useRef(of)
  if (of === undefined || owner.current === of) return
  if (owner.current !== undefined) selection.restart(initialKey)
  owner.current = of
}

/** Returns column widths that the rows need. They are kept while the list has rows, so that columns do not move. */
function useNeeds<Item>(items: readonly Item[], isEmpty: boolean): Needs<Item> {
  const needsOf = useRef<ReturnType<typeof createNeeds<Item>>>(undefined)
  if (!needsOf.current || isEmpty) needsOf.current = createNeeds()
  const current = needsOf.current
  return useMemo(() => current(items), [items, current])
}

/**
 * Returns a function that receives the width of a pane, and returns how wide it must be to show all names of its list
 * in full. An empty list needs its whole width for its text.
 */
export function paneNeeds<Item>({ columns, needs, total }: ListState<Item>): (width: number) => number {
  return width => {
    if (total === 0) return width
    const shown = columns.flatMap(({ from = 0 }) => (from <= width - BORDERS ? from : []))
    return Math.max(neededWidth(columns, width - BORDERS, needs), ...shown) + BORDERS
  }
}

/**
 * Returns the same as {@link paneNeeds} for a list whose rows change with the selection in another list. The list asks
 * for no more than its share, and keeps the largest need so far, so that borders do not move from row to row.
 */
export function useKeptNeeds<Item>(list: ListState<Item>, hasUseForAll: boolean): (width: number) => number {
  const kept = useRef(new Map<number, number>())
  return width => {
    const before = kept.current.get(width)
    if (list.total === 0) return before ?? width
    const needed = hasUseForAll ? width : Math.min(width, paneNeeds(list)(width))
    const most = Math.max(before ?? 0, needed)
    kept.current.set(width, most)
    return most
  }
}

/**
 * Rows of a list's pane in addition to its items: its edge, its titles, and one for a filter or the age of the data.
 */
const ROWS_AROUND = 3
const LEAST_ITEM_ROWS = 2

/**
 * Returns the rows of a list's pane that shows all items; undefined if something else is above them, or if the list is
 * empty and says why. Filtering does not change it, so no border moves while a filter is typed.
 */
export function paneRows<Item>({ total }: ListState<Item>, hasMoreAbove: boolean): number | undefined {
  return total === 0 || hasMoreAbove ? undefined : Math.max(total, LEAST_ITEM_ROWS) + ROWS_AROUND
}

/** Returns the marked items, searched again only when marks or items change. */
function useMarked<Item>(marks: Marks, items: readonly Item[], keyOf: (item: Item) => string): () => readonly Item[] {
  const all = useRef(items)
  all.current = items
  const found = useRef<{ items?: readonly Item[]; keys?: ReadonlySet<string>; marked: readonly Item[] }>({ marked: [] })
  return () => {
    const keys = marks.keys()
    if (found.current.keys !== keys || found.current.items !== all.current) {
      const marked = keys.size === 0 ? [] : all.current.filter(item => keys.has(keyOf(item)))
      found.current = { items: all.current, keys, marked }
    }
    return found.current.marked
  }
}

/**
 * Returns `3 of 128`, or `3 of 12/128` while a filter hides some, with the marks: `3 of 12/128, 4 marked (1 hidden)`.
 */
export function listCount<Item>(
  list: Pick<ListState<Item>, 'items' | 'total' | 'selection' | 'marks' | 'marked' | 'keyOf'>,
): string {
  const shown = list.items.length
  const position = shown === 0 ? 0 : list.selection.index() + 1
  const count = shown === list.total ? `${position} of ${shown}` : `${position} of ${shown}/${list.total}`
  const marked = list.marked()
  if (marked.length === 0) return count
  const visible =
    shown === list.total ? marked.length : list.items.filter(item => list.marks.has(list.keyOf(item))).length
  const hidden = marked.length - visible
  return `${count}, ${marked.length} marked${hidden > 0 ? ` (${hidden} hidden)` : ''}`
}

/** Says how the list is sorted and filtered, and how many rows are gone since the previous answer. */
export function listNote<Item>(list: ListState<Item>, symbols: Symbols): string | undefined {
  const { sorting } = list
  const column = list.columns.find(({ id }) => id === sorting?.column)
  const direction = sorting?.descending ? symbols.descending : symbols.ascending
  const notes = [
    list.changes.gone > 0 && `${list.changes.gone} gone`,
    newsNote(list),
    list.filter !== '' && `/${clean(list.filter)}${list.isSearching ? ' searching…' : ''}`,
    // The title of a column that is always shown carries the sort mark itself.
    column?.from !== undefined && `by ${column.title.toLowerCase()} ${direction}`,
  ]
  return notes.filter(Boolean).join(` ${symbols.bullet} `) || undefined
}

/** Returns `3 new in 2h` if there are new rows or only they are shown; short, since it is in the edge of a pane. */
function newsNote<Item>({ news, onlyNews }: ListState<Item>): string | false {
  if (!news || (news.news.size === 0 && !onlyNews)) return false
  const age = formatAge(news.lookedAt, Date.now())
  return `${news.news.size} new${age === 'now' ? '' : ` in ${age}`}`
}

/** Says when the person's last visit was, for a sentence. */
export function lastSeenLabel({ lookedAt }: ListNews): string {
  return formatAgo(lookedAt, Date.now())
}

function createMarks(): Marks {
  let keys: ReadonlySet<string> = new Set()
  const listeners = new Set<() => void>()
  const set = (next: ReadonlySet<string>): void => {
    keys = next
    for (const listener of listeners) listener()
  }
  return {
    has: key => keys.has(key),
    toggle(key) {
      const next = new Set(keys)
      if (!next.delete(key)) next.add(key)
      set(next)
    },
    clear() {
      if (keys.size > 0) set(new Set())
    },
    keys: () => keys,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
