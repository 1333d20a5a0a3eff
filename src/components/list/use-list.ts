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

/** Columns of the two sides of a pane. */
const BORDERS = 2

/** The rows a person has marked, held by identity while the rows change around them. */
type Marks = {
  has(key: string): boolean
  toggle(key: string): void
  clear(): void
  /** A new set whenever it changes. */
  keys(): ReadonlySet<string>
  subscribe(listener: () => void): () => void
}

export type ListState<Item> = {
  columns: readonly Column<Item>[]
  /** Columns that each of them takes, which never gets less while there are rows. */
  needs: Needs<Item>
  /** Rows after filter and sort. */
  items: readonly Item[]
  /** How many there are before the filter. */
  total: number
  keyOf: (item: Item) => string
  selection: Selection
  filter: string
  setFilter: (filter: string) => void
  /** Why a part of the filter means nothing, for the person. */
  filterProblem: string | undefined
  /** Not all rows were examined for the filter; the items are those found so far. */
  isSearching: boolean
  sorting: Sorting | undefined
  setSorting: (sorting: Sorting | undefined) => void
  marks: Marks
  /**
   * The marked items as they are at this moment, in the list's order; also those that the filter hides, which the title
   * tells.
   */
  marked: () => readonly Item[]
  /** What the last answers changed, for the moment in which that shows. */
  changes: Changes<Item>
  /** Absent if it is not kept what was seen of the list. */
  news: ListNews | undefined
  /** Whether nothing but what is new shows. */
  onlyNews: boolean
  setOnlyNews: (only: boolean) => void
  /** What is open beside the list is not in it any more, or not yet; nothing else is chosen meanwhile. */
  isMissed: boolean
  /** The chosen item as it is at this moment, also in the middle of a burst of keys. */
  current: () => Item | undefined
  /** The same for acting on it: from now on it stays chosen while rows change around it. */
  choose: () => Item | undefined
}

/** Why nothing can be done with a row where none shows: a filter that hides them all is no empty list. */
export function noRow({ total }: Pick<ListState<unknown>, 'total'>, noun: string): Unavailable {
  return unavailable(total > 0 ? `The filter hides every ${noun}.` : `There is no ${noun}.`)
}

/**
 * Everything about a list except how it looks: order, filter and the chosen row.
 * `columns` and `keyOf` must be stable (module constants or memoised).
 */
export function useList<Item extends object>(options: {
  items: readonly Item[]
  keyOf: (item: Item) => string
  columns: readonly Column<Item>[]
  initialKey?: string | undefined
  initialSorting?: Sorting
  news?: ListNews | undefined
  /**
   * Which rows the screen's own filters let through; stable like the columns. What they hide still counts, and stays
   * marked.
   */
  only?: ((item: Item) => boolean) | undefined
  /** What is chosen is open in another pane that has the keys: should it vanish, no other row takes its place. */
  isOpen?: boolean
  /** The list is being read for the first time, part by part: what arrives is not a change. */
  arriving?: boolean
  /** Id of what the rows belong to: those of another one begin at the first row. */
  of?: string | undefined
  /** Rows come at the end for ever: while the last one is chosen, the newest is, and what comes is not a change. */
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
    // Rows that arrive later must not take the choice away again, only another filter text may.
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

/** Begins again with the rows of another owner, before they are set. */
function useOwner(
  { of, initialKey }: { of?: string | undefined; initialKey?: string | undefined },
  selection: Selection,
): void {
  const owner = useRef(of)
  if (of === undefined || owner.current === of) return
  if (owner.current !== undefined) selection.restart(initialKey)
  owner.current = of
}

/** Column widths that the rows need. They are kept while the list has rows, so that columns do not move. */
function useNeeds<Item>(items: readonly Item[], isEmpty: boolean): Needs<Item> {
  const needsOf = useRef<ReturnType<typeof createNeeds<Item>>>(undefined)
  if (!needsOf.current || isEmpty) needsOf.current = createNeeds()
  const current = needsOf.current
  return useMemo(() => current(items), [items, current])
}

/** Columns of a pane of this width in which the names of its list stand whole; an empty list needs them for words. */
export function paneNeeds<Item>({ columns, needs, total }: ListState<Item>): (width: number) => number {
  return width => {
    if (total === 0) return width
    const shown = columns.flatMap(({ from = 0 }) => (from <= width - BORDERS ? from : []))
    return Math.max(neededWidth(columns, width - BORDERS, needs), ...shown) + BORDERS
  }
}

/**
 * The same of a list whose rows change with the row that is chosen in another one. It asks for no more than its share,
 * and keeps what any choice so far had a use for, so that borders do not move to and fro from row to row.
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

/** Rows of a list's pane beside those of its items: its edge, its titles, and one for a filter or how old it is. */
const ROWS_AROUND = 3
const LEAST_ITEM_ROWS = 2

/**
 * Rows of a list's pane in which all of its items stand; undefined if other things are above them, and of an empty
 * list, which says why it is. A filter changes nothing of it, so that no border moves while one is typed.
 */
export function paneRows<Item>({ total }: ListState<Item>, hasMoreAbove: boolean): number | undefined {
  return total === 0 || hasMoreAbove ? undefined : Math.max(total, LEAST_ITEM_ROWS) + ROWS_AROUND
}

/** The marked ones of all items, looked for again only when marks or items are others. */
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

/** `3 of 128`, or `3 of 12/128` while a filter hides some, with what is marked: `3 of 12/128, 4 marked (1 hidden)`. */
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

/** What the list is sorted and filtered by, and what is not there any more since the answer before. */
export function listNote<Item>(list: ListState<Item>, symbols: Symbols): string | undefined {
  const { sorting } = list
  const column = list.columns.find(({ id }) => id === sorting?.column)
  const direction = sorting?.descending ? symbols.descending : symbols.ascending
  const notes = [
    list.changes.gone > 0 && `${list.changes.gone} gone`,
    newsNote(list),
    list.filter !== '' && `/${clean(list.filter)}${list.isSearching ? ' searching…' : ''}`,
    // The title of a column that always shows has the mark of the order itself.
    column?.from !== undefined && `by ${column.title.toLowerCase()} ${direction}`,
  ]
  return notes.filter(Boolean).join(` ${symbols.bullet} `) || undefined
}

/** `3 new in 2h` while there is any, or while nothing else shows; short, as it is in the edge of a pane. */
function newsNote<Item>({ news, onlyNews }: ListState<Item>): string | false {
  if (!news || (news.news.size === 0 && !onlyNews)) return false
  const age = formatAge(news.lookedAt, Date.now())
  return `${news.news.size} new${age === 'now' ? '' : ` in ${age}`}`
}

/** When the person last looked, for a sentence. */
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
