import type { QueryKey } from '@tanstack/react-query'
import { useEffect, useMemo, useState, type ReactNode } from 'react'
import type { ItemOf } from '../../api/client/cache/cached.ts'
import type { AnyEndpoint, OutputOf } from '../../api/contract/endpoint.ts'
import type { Queries } from '../../api/client/cache/queries.ts'
import type { Bindings, Handlers } from '../../tui/keymap/binding.ts'
import { useBindings, useKeyName } from '../../tui/keymap/use-bindings.ts'
import { usePlace } from '../../tui/router/router-context.tsx'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Symbols } from '../../tui/theme/theme.ts'
import { usePoll } from '../../hooks/use-poll.ts'
import { useOpenWriteNotices } from '../../hooks/use-open-writes.ts'
import { useProjectName } from '../../hooks/use-project-name.ts'
import { useSeen } from '../../hooks/use-seen.ts'
import { useWholeList } from '../../hooks/use-whole-list.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { useCrumbs } from '../crumbs.tsx'
import type { Column } from '../list/columns.ts'
import { CollectionFrame } from './collection-frame.tsx'
import { projectScreen } from './project-screen.tsx'
import { TabbedPane, type DetailTab } from './tabbed-pane.tsx'
import { useCollection, type Collection } from './use-collection.ts'

type Named = { id: string; name?: string | null; title?: string | null }

/** What a tab of the chosen one is given. */
export type DetailProps<Row> = { projectId: string; row: Row; focused: boolean }

/** Keys that every collection has: its own declaration names them, the frame does them. */
type Moves = 'open' | 'back'

/** What a collection of a project is, as data and hooks; the functions must be stable. */
type CollectionSpec<E extends AnyEndpoint, Row, Id extends string> = {
  /** What one of them is called, such as `server`. */
  noun: string
  title: string
  /** What is read, for sentences, such as `the saved servers`. */
  what: string
  list: E
  /** What of the list is read, beside the project and the page; it must be a stable function. */
  useQuery?: () => Readonly<Record<string, unknown>>
  /** The param of the place that names one. */
  param: string
  /** What is worth being told of when it changes; without it the list has no news. */
  says?: (item: ItemOf<E>) => string
  rows: CollectionRows<ItemOf<E>, Row>
  /** Params of the place that lead further into one, and are of no other. */
  within?: readonly string[]
  tabs: readonly DetailTab<DetailProps<Row>>[]
  keys: Bindings<Id | Moves>
  /** What the other keys do, where there are any; `on` of the collection makes an action on the chosen one. */
  useActions?: (collection: Collection<Row>, projectId: string) => Handlers<Exclude<Id, Moves>>
  /** The writes that make a new one: one whose outcome is open is told of above the list. */
  create?: AnyEndpoint | readonly AnyEndpoint[]
  /** Whether one goes on changing by itself: while one does, the list is read as often as the rate allows. */
  isLive?: (item: ItemOf<E>) => boolean
  /** What the answer itself tells, beside its items; a hook. */
  useAnswer?: (first: OutputOf<E> | undefined, key: (id: Id) => string) => Answer
  /** `key` names the key of a binding of this screen; `isLocal` says whether this is the local workspace. */
  empty: (key: (id: Id) => string, isLocal: boolean) => { why: string; next: string }
}

/** The list's title, words above it, and what stands in place of rows that are none, or must not be shown. */
export type Answer = {
  title?: string
  notices?: readonly string[]
  empty?: { why: string; next: string }
  isRefused?: boolean
}

/** How the items of an answer become rows, where a row shows more than its record. */
type CollectionRows<Item, Row> = {
  useRows: (items: readonly Item[], projectId: string) => { rows: readonly Row[]; columns: readonly Column<Row>[] }
  itemOf: (row: Row) => Item
  /** What a row is called, where its record has neither name nor title. */
  nameOf?: (row: Row) => string
}

/** Rows that are the records themselves. */
export function plainRows<Item>(columnsOf: (symbols: Symbols) => readonly Column<Item>[]): CollectionRows<Item, Item> {
  return {
    useRows(items) {
      const { symbols } = useTheme()
      return { rows: items, columns: useMemo(() => columnsOf(symbols), [symbols]) }
    },
    itemOf: item => item,
  }
}

const NONE: never[] = []
const noQuery = () => ({})
const noAnswer = (): Answer => ({})

/**
 * The screen of a noun of a project: project gate, crumbs, list with filter, sort, marks and news, detail with tabs,
 * the row in the place, the five pane states, raw record, copy and pin. A screen with a mind of its own composes the
 * same parts.
 */
export function collectionScreen<E extends AnyEndpoint, Row, Id extends string>(
  spec: CollectionSpec<E, Row, Id>,
): () => ReactNode {
  const idOf = (item: ItemOf<E>): string => (item as Named).id
  const nameOf = (row: Row): string => {
    const { id, name, title } = spec.rows.itemOf(row) as Named
    return name ?? title ?? spec.rows.nameOf?.(row) ?? id
  }
  const keyOf = (row: Row): string => idOf(spec.rows.itemOf(row))
  const recordOf = (row: Row): Named => spec.rows.itemOf(row) as Named
  const paramsOf = (row: Row) => ({ [spec.param]: keyOf(row) })
  const says = spec.says ?? idOf

  function useRead(projectId: string) {
    const { queries } = useWorkspace()
    const key = useKeyName()
    const query = (spec.useQuery ?? noQuery)()
    const [isLive, setLive] = useState(false)
    const interval = usePoll({ live: isLive, requestsEach: 1 })
    const read = useWholeList(
      listOf(queries, spec.list),
      { ...query, projectId },
      { interval: interval === false ? 'rest' : interval },
    )
    const answer = (spec.useAnswer ?? noAnswer)(read.first as OutputOf<E> | undefined, id =>
      key<Id | Moves>(spec.keys, id),
    )
    const pages = answer.isRefused ? { ...read, items: NONE, hasMore: false } : read
    const items = pages.items as readonly (ItemOf<E> & object)[] | undefined
    const { isLive: goesOn } = spec
    useEffect(() => setLive(items?.some(item => goesOn?.(item)) ?? false), [items, goesOn])
    const news = useSeen<ItemOf<E> & object>({
      list: spec.says && `${spec.list.resource} ${projectId}`,
      // A part would make what follows it look new.
      items: pages.restored || pages.hasMore ? undefined : items,
      keyOf: idOf,
      says,
    })
    return { pages, news, answer, ...spec.rows.useRows(items ?? NONE, projectId) }
  }

  function Collected({ projectId }: { projectId: string }) {
    const key = useKeyName()
    const { pages, news, answer, rows, columns } = useRead(projectId)
    const placed = { key: usePlace().params[spec.param], paramsOf, ...(spec.within && { within: spec.within }) }
    const collection = useCollection({ noun: spec.noun, items: rows, keyOf, columns, news, placed, recordOf })
    const { row, open, back } = collection
    useCrumbs([useProjectName(projectId), spec.title, row && nameOf(row)])
    const actions = spec.useActions?.(collection, projectId)
    useBindings(spec.keys, { ...actions, open, back } as Handlers<Id | Moves>)
    const { local } = useWorkspace().profile
    const operations = [spec.create ?? []].flat().map(({ operation }: AnyEndpoint) => operation)
    const notices = [...useOpenWriteNotices({ ids: { projectId }, operations }), ...(answer.notices ?? [])]
    const empty = answer.empty ?? spec.empty(id => key<Id | Moves>(spec.keys, id), local)
    return (
      <CollectionFrame
        collection={collection}
        what={spec.what}
        data={pages}
        list={{ title: answer.title ?? spec.title, notices, empty }}
        renderDetail={(row, focused) => <Detail key={keyOf(row)} projectId={projectId} row={row} focused={focused} />}
      />
    )
  }

  function Detail(content: DetailProps<Row>) {
    const notices = useOpenWriteNotices({ ids: { [spec.param]: keyOf(content.row) } })
    const { within = [] } = spec
    return (
      <TabbedPane title={nameOf(content.row)} tabs={spec.tabs} content={content} notices={notices} within={within} />
    )
  }

  return projectScreen(spec.title.toLowerCase(), Collected)
}

type ProjectList = Parameters<typeof useWholeList<{ projectId: string }, { items: readonly unknown[] }, QueryKey>>[0]

/** The queries of a list of a project. */
function listOf(queries: Queries, { resource, name }: AnyEndpoint): ProjectList {
  return (queries as unknown as Record<string, Record<string, ProjectList>>)[resource]![name]!
}
