import type { QueryKey } from '@tanstack/react-query'
import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react'
import type { ItemOf, AnyEndpoint, OutputOf } from '../../api/contract/endpoint.ts'
import type { Queries } from '../../api/client/cache/queries.ts'
import type { Bindings, Handlers } from '../../tui/keymap/binding.ts'
import { useBindings, useKeyName } from '../../tui/keymap/use-bindings.ts'
import { usePlace, useRouter } from '../../tui/router/router-context.tsx'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Symbols } from '../../tui/theme/theme.ts'
import type { ApiPages } from '../../hooks/use-api-pages.ts'
import { usePoller } from '../../hooks/use-cadence.ts'
import { useOpenWriteNotices } from '../../hooks/use-open-writes.ts'
import { useProjectName } from '../../hooks/use-project-name.ts'
import { useSeen } from '../../hooks/use-seen.ts'
import { useWholeList } from '../../hooks/use-whole-list.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { useCrumbs } from '../crumbs.tsx'
import type { Column } from '../list/columns.ts'
import { ListContent, ListPane } from '../list/list-pane.tsx'
import { useArriving } from '../list/use-arriving.ts'
import { listCount, listNote, paneRows, useList, type ListState } from '../list/use-list.ts'
import type { EmptyWords } from '../pane-state.tsx'
import { CollectionFrame } from './collection-frame.tsx'
import { LevelContext, useLevel, type Level } from './level.ts'
import { projectScreen } from './project-screen.tsx'
import { openTab, TabbedPane, type DetailTab } from './tabbed-pane.tsx'
import { useCollection, type Collection } from './use-collection.ts'

type Named = { id: string; name?: string | null; title?: string | null }

/** The props of a tab of the selected item. */
export type DetailProps<Row> = { projectId: string; row: Row; focused: boolean }

/** A tab of a row. If the tab is a collection, its rows can be opened, with the row's tabs at the left. */
export type RowTab<Row> = DetailTab<DetailProps<Row>> & {
  inside?: {
    Collected: (props: InsideProps<Row>) => ReactNode
    level: Pick<Level, 'pane' | 'tab'>
    /** Parameters of places inside the tab. */
    params: readonly string[]
  }
}

/** What surrounds a list inside a row: the tabs of the row, and at their left the list that contains the row. */
type Around = {
  renderTabs: (list: ReactNode, state: { focused: boolean; note: string }) => ReactNode
  outer: ReactNode
}
type InsideProps<Row> = { projectId: string; row: Row; crumbs: readonly string[]; around: Around }

/** Keys of every collection. The collection declares them; the frame handles them. */
type Moves = 'open' | 'back'

/**
 * A collection as data and hooks; the functions must be stable. `Parent` is the row if the collection is a tab of one.
 */
type CollectionSpec<Item, Row, Id extends string, Parent> = {
  /** The noun for one item, such as `server`. */
  noun: string
  title: string
  /** The data being read, for sentences, such as `the saved servers`. */
  what: string
  useItems: (projectId: string, parent: Parent) => ApiPages<Item>
  /**
   * Name under which the entries that the person has seen are stored. Without it, or without `says`, nothing is new.
   */
  newsOf?: string
  /** The parameter of the place that names an item. */
  param: string
  /** Returns the part of an item that makes the item count as changed. */
  says?: (item: Item) => string
  rows: CollectionRows<Item, Row, Parent>
  /** The name of an item whose record has neither name nor title. */
  nameOf?: (row: Row) => string
  /** Parameters of places inside an item, which do not apply to other items. */
  within?: readonly string[]
  /**
   * Whether rows are added at the end without limit. While the last row is selected, the newest one becomes selected.
   */
  follows?: true
  tabs: readonly RowTab<Row>[]
  keys: Bindings<Id | Moves>
  /** The handlers of the other keys, if there are any; `on` of the collection makes an action on the selected item. */
  useActions?: (collection: Collection<Row>, projectId: string, parent: Parent) => Handlers<Exclude<Id, Moves>>
  /** The writes that create an item. A write whose outcome is unknown is named above the list. */
  create?: AnyEndpoint | readonly AnyEndpoint[]
  /** Shares of the width for the list and the selected item, if the default would leave the list mostly blank. */
  weights?: readonly [list: number, detail: number]
  /** Returns notices to show above the list. */
  useNotices?: (projectId: string) => readonly string[]
  /** A hook that returns what the first page of the answer says besides its items. */
  useAnswer?: (first: unknown, key: (id: Id) => string) => Answer
  /** The texts of an empty list; `key` returns the key of a binding of this screen. */
  empty: (key: (id: Id) => string, of: EmptyOf<Parent>) => EmptyWords
}

/** The owner of an empty list; `keyName` names the keys of other screens and tabs. */
type EmptyOf<Parent> = { isLocal: boolean; parent: Parent; keyName: ReturnType<typeof useKeyName> }

/** The list's title, the texts above it, and what replaces rows that are missing or must not be shown. */
export type Answer = { title?: string; notices?: readonly string[]; empty?: EmptyWords; isRefused?: boolean }

/** How the items of an answer become rows, if a row shows more than its record. */
type CollectionRows<Item, Row, Parent = undefined> = {
  useRows: (
    items: readonly Item[],
    projectId: string,
    parent: Parent,
  ) => {
    rows: readonly Row[]
    columns: readonly Column<Row>[]
    /** Whether the rows' additional data has arrived. Rows that change because it arrives are not marked as changed. */
    isJoined?: boolean
  }
  itemOf: (row: Row) => Item
}

/** Uses the records themselves as rows. */
export function plainRows<Item>(
  columnsOf: (symbols: Symbols) => readonly Column<Item>[],
): CollectionRows<Item, Item, unknown> {
  return {
    useRows(items) {
      const { symbols } = useTheme()
      return { rows: items, columns: useMemo(() => columnsOf(symbols), [symbols]) }
    },
    itemOf: item => item,
  }
}

/** Returns how many rows the list's pane needs, including one for the tabs around it. */
function listRowsBelowTabs<Row>(list: ListState<Row>, notices: readonly string[], hasMore: boolean) {
  const rows = paneRows(list, notices.length > 0 || hasMore)
  return rows === undefined ? undefined : rows + 1
}

const NONE: never[] = []
const noQuery = () => ({})
const noNotices = () => NONE
const noAnswer = (): Answer => ({})
const isRested = () => false

type Query<Parent> = (parent: Parent) => Readonly<Record<string, unknown>>

/**
 * Reads a whole list of the contract; `useQuery` returns its input besides project and page, and must be stable. While
 * `isLive` is true for the items read so far, the list is read as often as the rate allows.
 */
export function itemsOf<E extends AnyEndpoint, Parent = undefined>(
  list: E,
  useQuery: Query<Parent> = noQuery,
  isLive: (items: readonly ItemOf<E>[], parent: Parent) => boolean = isRested,
) {
  return function useItems(projectId: string, parent: Parent): ApiPages<ItemOf<E>> {
    const { queries } = useWorkspace()
    const query = useQuery(parent)
    const [live, setLive] = useState(false)
    usePoller(live)
    const how = live ? { read: { kind: 'live', requests: 1 } as const } : {}
    const pages = useWholeList(listOf(queries, list), { ...query, projectId }, how) as ApiPages<ItemOf<E>>
    const { items } = pages
    useEffect(() => setLive(isLive(items ?? NONE, parent)), [items, parent])
    return pages
  }
}

/**
 * Creates the screen for a noun of a project: project gate, crumbs, list with filter, sort, marks and news, detail with
 * tabs, the row in the place, the five pane states, raw record, copy and pin. Screens that differ compose the same
 * parts themselves.
 */
export function collectionScreen<E extends AnyEndpoint, Row extends object, Id extends string>(
  spec: Omit<CollectionSpec<ItemOf<E>, Row, Id, undefined>, 'useItems' | 'useAnswer'> & {
    list: E
    /** Input of the list besides the project and the page; must be a stable function. */
    useQuery?: Query<undefined>
    isLive?: (item: ItemOf<E>) => boolean
    useAnswer?: (first: OutputOf<E> | undefined, key: (id: Id) => string) => Answer
  },
): () => ReactNode {
  const { list, useQuery, isLive = isRested, useAnswer, ...rest } = spec
  const { Collected } = collection({
    ...rest,
    ...(useAnswer && { useAnswer: (first, key) => useAnswer(first as OutputOf<E> | undefined, key) }),
    newsOf: list.resource,
    useItems: itemsOf(list, useQuery, items => items.some(item => isLive(item))),
  })
  function Screen({ projectId }: { projectId: string }) {
    const crumbs = [useProjectName(projectId), spec.title]
    return <Collected projectId={projectId} parent={undefined} crumbs={crumbs} />
  }
  return projectScreen(spec.title.toLowerCase(), Screen)
}

/** What a row's tab shows while the person is inside it. */
const ListContext = createContext<ReactNode>(undefined)

/** Makes a tab from a row's collection: its list is shown in the tab, and entering the row enters the list. */
export function collectionTab<Item, Row extends object, Id extends string, Parent>(
  spec: CollectionSpec<Item, Row, Id, Parent>,
): RowTab<Parent> {
  const { Collected, Preview, inside } = collection(spec)
  return {
    id: spec.title.toLowerCase(),
    title: spec.title,
    Content(props) {
      return useContext(ListContext) ?? <Preview {...props} />
    },
    inside: { ...inside, Collected: ({ row, ...props }) => <Collected {...props} parent={row} /> },
  }
}

/** Returns how rows are identified, named and written in the place. */
function namingOf<Item, Row extends object, Id extends string, Parent>(spec: CollectionSpec<Item, Row, Id, Parent>) {
  const idOf = (item: Item): string => (item as Named).id
  const nameOf =
    spec.nameOf ??
    ((row: Row): string => {
      const { id, name, title } = spec.rows.itemOf(row) as Named
      return name ?? title ?? id
    })
  const keyOf = (row: Row): string => idOf(spec.rows.itemOf(row))
  const recordOf = (row: Row): Named => spec.rows.itemOf(row) as Named
  return { idOf, nameOf, keyOf, recordOf }
}

/** Returns the data and the list of a collection, for a pane or a tab. */
function listOfSpec<Item, Row extends object, Id extends string, Parent>(spec: CollectionSpec<Item, Row, Id, Parent>) {
  const { idOf, keyOf } = namingOf(spec)
  const says = spec.says ?? idOf
  const useNotices = spec.useNotices ?? noNotices
  const useAnswer = spec.useAnswer ?? noAnswer

  function useRead(projectId: string, parent: Parent) {
    const key = useKeyName()
    const read = spec.useItems(projectId, parent)
    const answer = useAnswer(read.first, id => key<Id | Moves>(spec.keys, id))
    const pages = answer.isRefused ? { ...read, items: NONE, hasMore: false } : read
    const { items } = pages
    const news = useSeen<Item & object>({
      list: spec.says && spec.newsOf && `${spec.newsOf} ${projectId}`,
      // With only part of the list, later rows would be marked as new.
      items: pages.restored || pages.hasMore ? undefined : (items as readonly (Item & object)[] | undefined),
      keyOf: idOf,
      says,
    })
    const { isJoined = true, ...shown } = spec.rows.useRows(items ?? NONE, projectId, parent)
    // A row that the screen adds itself is listed before the answer arrives; the rows of that answer are not new.
    const isJoining = useArriving(isJoined && items !== undefined)
    return { pages, news, answer, ...shown, arriving: (spec.follows ?? false) || isJoining }
  }

  function useWords(projectId: string, parent: Parent, answer: Answer) {
    const keyName = useKeyName()
    const { local: isLocal } = useWorkspace().profile
    const operations = [spec.create ?? []].flat().map(({ operation }: AnyEndpoint) => operation)
    const writes = useOpenWriteNotices({ ids: { projectId }, operations })
    const notices = [...useNotices(projectId), ...writes, ...(answer.notices ?? NONE)]
    const key = (id: Id): string => keyName<Id | Moves>(spec.keys, id)
    return { notices, empty: answer.empty ?? spec.empty(key, { isLocal, parent, keyName }) }
  }

  function Listed(
    props: { list: ListState<Row>; pages: ApiPages<Item>; focused: boolean } & ReturnType<typeof useWords>,
  ) {
    const { pages, ...rest } = props
    return <ListContent {...rest} {...frameOf(pages)} />
  }

  function frameOf(pages: ApiPages<Item>) {
    return { data: pages, loading: `Reading ${spec.what}…`, pages: { of: pages, noun: spec.noun } }
  }

  /** Returns a list that is only viewed, with the row that the place names selected. */
  function useShownList({ rows, columns, arriving }: ReturnType<typeof useRead>): ListState<Row> {
    const initialKey = usePlace().params[spec.param]
    return useList({ items: rows, keyOf, columns, initialKey, arriving, follows: spec.follows ?? false })
  }

  /** Shows the list in a tab of its parent row, before that row is entered. */
  function Preview({ projectId, row: parent, focused }: DetailProps<Parent>) {
    const read = useRead(projectId, parent)
    const words = useWords(projectId, parent, read.answer)
    return <Listed list={useShownList(read)} pages={read.pages} focused={focused} {...words} />
  }

  /** Shows the list beside one of its rows that was entered. */
  function Outer({ projectId, parent, read }: { projectId: string; parent: Parent; read: ReturnType<typeof useRead> }) {
    const { pages, answer } = read
    const content = { ...frameOf(pages), ...useWords(projectId, parent, answer), list: useShownList(read) }
    return <ListPane {...content} title={answer.title ?? spec.title} focused={false} />
  }

  return { useRead, useWords, Listed, Preview, Outer }
}

function collection<Item, Row extends object, Id extends string, Parent>(spec: CollectionSpec<Item, Row, Id, Parent>) {
  const { nameOf, keyOf, recordOf } = namingOf(spec)
  const { useRead, useWords, Listed, Preview, Outer } = listOfSpec(spec)
  const within = [...(spec.within ?? NONE), ...spec.tabs.flatMap(({ inside }) => inside?.params ?? NONE)]
  const stem = spec.param.replace(/Id$/, '')
  const level = { pane: `${stem}Pane`, tab: `${stem}Tab` }

  type Props = { projectId: string; parent: Parent; crumbs: readonly string[]; around?: Around }

  /** Shows the list of a level with the selected item beside it, or the collection in a tab of the entered item. */
  function Collected(props: Props) {
    const { projectId, parent, crumbs } = props
    const read = useRead(projectId, parent)
    const router = useRouter()
    const { params } = usePlace()
    const level = useLevel()
    const row = read.rows.find(each => keyOf(each) === params[spec.param])
    const tab = openTab(spec.tabs, params[level.tab])
    const inside = params[level.pane] === 'detail' ? tab?.inside : undefined
    if (!row || !tab || !inside) return <Shown {...props} read={read} />
    const inner: Level = { ...inside.level, leave: () => router.replace({ [level.pane]: undefined }) }
    const around: Around = {
      renderTabs: (list, { focused, note }) => (
        <LevelContext value={level}>
          <ListContext value={list}>
            <TabbedPane
              title={nameOf(row)}
              note={note}
              tabs={spec.tabs}
              content={{ projectId, row, focused }}
              within={within}
              always={false}
            />
          </ListContext>
        </LevelContext>
      ),
      outer: <Outer key={keyOf(row)} projectId={projectId} parent={parent} read={read} />,
    }
    return (
      <LevelContext value={inner}>
        <inside.Collected
          projectId={projectId}
          row={row}
          crumbs={[...crumbs, nameOf(row), tab.title]}
          around={around}
        />
      </LevelContext>
    )
  }

  function Shown({ projectId, parent, crumbs, around, read }: Props & { read: ReturnType<typeof useRead> }) {
    const { symbols } = useTheme()
    const { pages, news, rows, columns, arriving, answer } = read
    const { noun, param, follows = false } = spec
    const placed = { key: usePlace().params[param], param, ...(within.length > 0 && { within }) }
    const listed = { items: rows, keyOf, columns, news, arriving, follows }
    const collection = useCollection({ noun, ...listed, placed, recordOf })
    const { row, open, back, list } = collection
    useCrumbs([...crumbs, row && nameOf(row)])
    const actions = spec.useActions?.(collection, projectId, parent)
    useBindings(spec.keys, { ...actions, open, back } as Handlers<Id | Moves>)
    const words = useWords(projectId, parent, answer)
    const frame = {
      collection,
      what: spec.what,
      weights: around ? undefined : spec.weights,
      renderDetail: (row: Row, focused: boolean) => (
        <Detail key={keyOf(row)} projectId={projectId} row={row} focused={focused} always={!around} />
      ),
    }
    if (!around)
      return <CollectionFrame {...frame} data={pages} list={{ title: answer.title ?? spec.title, ...words }} />
    const note = [pages.hasData && listCount(list), listNote(list, symbols)].filter(Boolean).join(` ${symbols.bullet} `)
    return (
      <CollectionFrame
        {...frame}
        data={pages}
        renderList={focused =>
          around.renderTabs(<Listed list={list} pages={pages} focused={focused} {...words} />, { focused, note })
        }
        listRows={listRowsBelowTabs(list, words.notices, pages.hasMore)}
        outer={around.outer}
      />
    )
  }

  function Detail({ always, ...content }: DetailProps<Row> & { always: boolean }) {
    const notices = useOpenWriteNotices({ ids: { [spec.param]: keyOf(content.row) } })
    const { row } = content
    return (
      <TabbedPane
        title={nameOf(row)}
        tabs={spec.tabs}
        content={content}
        notices={notices}
        within={within}
        always={always}
      />
    )
  }

  return { Collected, Preview, inside: { level, params: [spec.param, ...Object.values(level), ...within] } }
}

type ProjectList = Parameters<typeof useWholeList<{ projectId: string }, { items: readonly unknown[] }, QueryKey>>[0]

function listOf(queries: Queries, { resource, name }: AnyEndpoint): ProjectList {
  return (queries as unknown as Record<string, Record<string, ProjectList>>)[resource]![name]!
}
