import { Box, Text } from 'ink'
import { memo, useMemo, useRef, useState, type RefObject } from 'react'
import { useKeymap } from '../../tui/keymap/keymap-context.tsx'
import { useBindings, useKeyName } from '../../tui/keymap/use-bindings.ts'
import { clean, widthOf } from '../../tui/theme/text.ts'
import { useMotion } from '../../tui/theme/motion-context.tsx'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { useMouseArea, WHEEL_ROWS } from '../mouse-areas.tsx'
import { useTakenRows } from '../companion.tsx'
import { Sentence } from '../pane-state.tsx'
import { useArea, useSize } from '../size.tsx'
import { TextField } from '../text-field/text-field.tsx'
import { composeHeader, composeRow, type Column, type PlacedColumn, type RowLook, type Sorting } from './columns.ts'
import type { Change } from './delta.ts'
import { placeColumns } from './placing.ts'
import { filterKeys, listKeys, marksKeys, newsKeys, onlyNewsKeys, readOnKeys } from './list-keys.ts'
import { windowStart } from './selection.ts'
import { useFastRows } from './use-fast-rows.ts'
import { lastSeenLabel, type ListState } from './use-list.ts'
import { useRestedIndex } from './use-rested-index.ts'
import { unavailable, type KeyHandler, type Unavailable } from '../../tui/keymap/binding.ts'
import { UnavailableAction } from '../../tui/keymap/dispatcher.ts'

const Row = memo(function Row(props: { text: string }) {
  return <Text wrap="truncate">{props.text}</Text>
})

function nextSorting<Item>(columns: readonly Column<Item>[], sorting: Sorting | undefined): Sorting | undefined {
  const next = columns[columns.findIndex(column => column.id === sorting?.column) + 1]
  return next ? { column: next.id, descending: false } : undefined
}

/** Shows a list of rows, one string each, of which only visible ones are mounted. */
export function List<Item>(props: {
  list: ListState<Item>
  focused: boolean
  /** Why the list is empty, if no filter hides its rows. */
  empty: string
  /** The list was not read to its end, so the rest is unknown. */
  goesOn?: boolean
}) {
  const { list, focused } = props
  const theme = useTheme()
  const area = useArea()
  const { width, height } = area
  const key = useKeyName()
  const [filtering, setFiltering] = useState(false)
  useRestedIndex(list.selection)
  const above = list.filter !== '' || filtering ? 2 : 1
  const rows = Math.max(1, height - above)
  useTakenRows(() => above + Math.max(1, list.items.length))
  const { columns, needs } = list
  const placed = useMemo(() => placeColumns(columns, width, needs), [columns, width, needs])
  const { compose, start } = useRowComposer({ list, placed, rows, width, focused })
  const lines = compose()
  useFastRows({
    selection: list.selection,
    rectangle: { row: area.row + above, column: area.column, width, height: Math.min(rows, list.items.length) },
    compose,
    enabled: focused,
  })
  useListKeys(list, { focused, rows, openFilter: () => setFiltering(true) })
  useListMouse(list, { rows, above, start, leaveFilter: () => setFiltering(false) })
  return (
    <Box flexDirection="column" width={width} height={height}>
      {above === 2 && <FilterLine list={list} editing={filtering && focused} onDone={() => setFiltering(false)} />}
      <Row text={composeHeader(theme, placed, list.sorting)} />
      {lines.map((line, offset) => (
        <Row key={offset} text={line} />
      ))}
      {lines.length === 0 && <Sentence tone="muted" text={emptyWords(list, props, key)} />}
    </Box>
  )
}

/** Says why no row is visible, and which key shows some. */
function emptyWords<Item>(
  list: ListState<Item>,
  { empty, goesOn = false }: { empty: string; goesOn?: boolean },
  key: ReturnType<typeof useKeyName>,
): string {
  const among = goesOn ? ` among the ${list.total} read; there is more` : ''
  if (list.isSearching) return 'Searching…'
  if (list.filter !== '')
    return `Nothing matches “${list.filter}”${among}. Press ${key(filterKeys, 'clear')} to clear the filter.`
  if (list.onlyNews && list.news)
    return (
      `Nothing new or changed since your last visit (${lastSeenLabel(list.news)})${among}. ` +
      `Press ${key(onlyNewsKeys, 'leave')} to show all.`
    )
  if (!goesOn || list.total > 0) return empty
  return `Nothing on the pages that were read; there are more. Press ${key(readOnKeys, 'more')} to read on.`
}

/** Returns a map that is cleared whenever one of these values changes. */
function useRowCache<Item>(reasons: readonly unknown[]): Map<Item, string> {
  const cache = useRef({ reasons, rows: new Map<Item, string>() })
  if (reasons.some((reason, index) => reason !== cache.current.reasons[index]))
    cache.current = { reasons, rows: new Map() }
  return cache.current.rows
}

/**
 * Composes the visible rows from their current state. A row that is neither selected nor marked is composed once and
 * cached while its item, its change and the columns stay the same.
 */
function useRowComposer<Item>(options: {
  list: ListState<Item>
  placed: readonly PlacedColumn<Item>[]
  rows: number
  width: number
  focused: boolean
}): { compose: () => string[]; start: RefObject<number> } {
  const { list, placed, rows, width, focused } = options
  const theme = useTheme()
  const flashes = useMotion()
  const start = useRef(0)
  const cache = useRowCache<Item>([list.items, list.changes, placed, theme, width, flashes])
  const compose = (): string[] => {
    const selected = list.selection.index()
    start.current = windowStart({
      previous: start.current,
      selected: Math.max(0, selected),
      rows,
      count: list.items.length,
    })
    return list.items.slice(start.current, start.current + rows).map((item, offset) => {
      const key = list.keyOf(item)
      const look: RowLook<Item> = {
        selected: start.current + offset === selected,
        focused,
        width,
        marked: list.marks.has(key),
        change: changeOf(list, item, key),
        flashes,
      }
      if (look.selected || look.marked) return composeRow(theme, placed, item, look)
      const known = cache.get(item)
      if (known !== undefined) return known
      const row = composeRow(theme, placed, item, look)
      cache.set(item, row)
      return row
    })
  }
  return { compose, start }
}

/**
 * Returns how a row differs from the last answer. In a list of news only, a row without such a difference is shown as
 * new or changed since the last visit.
 */
function changeOf<Item>(list: ListState<Item>, item: Item, key: string): Change<Item> | undefined {
  const now = list.changes.of(key)
  if (now || !list.onlyNews) return now
  return list.news?.news.get(key) === 'new' ? { kind: 'new' } : { kind: 'changed', from: item }
}

function useListKeys<Item>(
  list: ListState<Item>,
  options: { focused: boolean; rows: number; openFilter: () => void },
): void {
  const { selection } = list
  const page = Math.max(1, options.rows - 1)
  useBindings(
    listKeys,
    {
      down: () => selection.move(1),
      up: () => selection.move(-1),
      pageDown: () => selection.move(page),
      pageUp: () => selection.move(-page),
      first: () => selection.to(0),
      last: () => selection.to(list.items.length - 1),
      filter: options.openFilter,
      sort: () => list.setSorting(nextSorting(list.columns, list.sorting)),
      reverse: list.sorting
        ? () => list.setSorting({ ...list.sorting!, descending: !list.sorting!.descending })
        : { unavailable: 'Choose a column to sort by first.' },
      mark:
        list.items.length > 0
          ? () => {
              const key = selection.key()
              if (key !== undefined) list.marks.toggle(key)
            }
          : { unavailable: 'There is no row to mark.' },
    },
    { active: options.focused },
  )
  const hasMarks = list.marked().length > 0
  useBindings(marksKeys, { clear: list.marks.clear }, { active: options.focused && hasMarks })
  useBindings(
    filterKeys,
    { clear: () => list.setFilter('') },
    { active: options.focused && list.filter !== '' && !hasMarks },
  )
  useBindings(
    onlyNewsKeys,
    { leave: () => list.setOnlyNews(false) },
    { active: options.focused && list.onlyNews && list.filter === '' && !hasMarks },
  )
  useNewsKeys(list, options.focused)
}

/**
 * A click selects a row, a second one does what Enter does; the wheel scrolls, and moves the selection along at the
 * edge.
 */
function useListMouse<Item>(
  list: ListState<Item>,
  options: { rows: number; above: number; start: RefObject<number>; leaveFilter: () => void },
): void {
  const { selection, items } = list
  const { rows, above, start } = options
  const { dispatcher } = useKeymap()
  const [, draw] = useState(0)
  useMouseArea(
    {
      press({ row }, again) {
        const index = start.current + row
        if (index >= items.length) return
        options.leaveFilter()
        selection.to(index)
        if (again) void dispatcher.press([{ name: 'enter', sequence: '\r' }])
      },
      wheel(notches) {
        const latest = Math.max(0, items.length - rows)
        const first = Math.max(0, Math.min(latest, start.current + notches * WHEEL_ROWS))
        if (first === start.current) return
        start.current = first
        draw(count => count + 1)
        selection.to(Math.max(first, Math.min(first + rows - 1, selection.index())))
      },
    },
    { top: above, height: rows },
  )
}

/** Columns that stay for a filter beside its error message. */
const LEAST_FILTER = 8

function FilterLine<Item>(props: { list: ListState<Item>; editing: boolean; onDone: () => void }) {
  const { list, editing } = props
  const theme = useTheme()
  const { width } = useSize()
  const problem = clean(list.filterProblem ?? '')
  return (
    <Box width={width} height={1}>
      <Text>{theme.paint('accent', ' /')}</Text>
      {editing ? (
        <TextField
          value={list.filter}
          onChange={list.setFilter}
          onSubmit={props.onDone}
          onCancel={() => {
            list.setFilter('')
            props.onDone()
          }}
          width={Math.max(LEAST_FILTER, width - 4 - widthOf(problem))}
        />
      ) : (
        <Text wrap="truncate">{clean(list.filter)}</Text>
      )}
      {problem !== '' && <Text wrap="truncate">{theme.paint('warn', `  ${problem}`)}</Text>}
    </Box>
  )
}

/** Handles the keys for rows that are new since the person's last visit. */
function useNewsKeys<Item>(list: ListState<Item>, focused: boolean): void {
  const { news, onlyNews } = list
  const whenSome = (act: () => void): KeyHandler | Unavailable => {
    if (!news) return unavailable('What you have seen here is not recorded.')
    if (news.lookedAt === undefined)
      return unavailable('This is your first visit to this list, so nothing in it counts as new.')
    if (news.news.size === 0)
      return unavailable(`Nothing new or changed here since your last visit (${lastSeenLabel(news)}).`)
    return act
  }
  const acknowledge = (items: readonly Item[]): void => {
    const keys = items.map(list.keyOf).filter(key => news?.news.has(key))
    if (keys.length === 0) throw new UnavailableAction('That row is not new.')
    news?.acknowledge(keys)
    list.marks.clear()
  }
  const chosen = (): readonly Item[] => {
    const marked = list.marked()
    const current = list.current()
    return marked.length > 0 ? marked : current === undefined ? [] : [current]
  }
  useBindings(
    newsKeys,
    {
      only: onlyNews ? () => list.setOnlyNews(false) : whenSome(() => list.setOnlyNews(true)),
      seen: whenSome(() => acknowledge(chosen())),
      allSeen: whenSome(() => news?.acknowledge([...news.news.keys()])),
    },
    { active: focused && news !== undefined },
  )
}
