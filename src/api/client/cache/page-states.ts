import type { InfiniteData, Query, QueryClient } from '@tanstack/react-query'
import { nextCursorOf } from '../../contract/shapes.ts'

type Cursor = string | undefined
/** States of the service just before pages were read, by cursor. */
type States = Map<Cursor, string>

const beingRead = new WeakMap<object, { signal: AbortSignal; states: States }>()
const inCache = new WeakMap<object, States>()

/** Whether a cached page was read in this state, so that reading it again would return the same. */
export function isUnchanged(query: object, cursor: Cursor, state: string | undefined): boolean {
  return state !== undefined && inCache.get(query)?.get(cursor) === state
}

/** Returns the states of pages that the fetch with this signal has read, without those of an earlier, failed fetch. */
export function statesBeingRead(query: object, signal: AbortSignal): States {
  let fetch = beingRead.get(query)
  if (fetch?.signal !== signal) beingRead.set(query, (fetch = { signal, states: new Map() }))
  return fetch.states
}

/** Stores the states of a fetch. It must be called when the result of the fetch is in the cache. */
export function keepStates(query: Pick<Query<unknown, unknown, unknown>, 'state'>): void {
  const fetch = beingRead.get(query)
  if (!fetch) return
  beingRead.delete(query)
  const { pageParams } = query.state.data as InfiniteData<unknown, Cursor>
  const states = [...(inCache.get(query) ?? []), ...fetch.states]
  inCache.set(query, new Map(states.filter(([cursor]) => pageParams.includes(cursor))))
}

/** The first page of a list, and whether it was requested like the plain list. */
type FirstPage = { page: unknown; isPlain: boolean }

const firstPages = new WeakMap<object, FirstPage>()

/** Records the first answer of a paged read. It counts once that read has succeeded. */
export function noteFirstPage(query: object | undefined, first: FirstPage): void {
  if (query) firstPages.set(query, first)
}

type Answered = Pick<Query<unknown, unknown, unknown>, 'queryKey' | 'state'>
type Pages = InfiniteData<unknown, string | undefined>

/** Shares an answer between the plain and the paged query of a list, so that screens do not contradict each other. */
export function shareAnswer(queryClient: QueryClient, query: Answered): void {
  const [resource, name, input, form] = query.queryKey
  const { dataUpdatedAt: updatedAt, data } = query.state
  const plainKey = [resource, name, input]
  if (form === 'pages') {
    const first = firstPages.get(query)
    firstPages.delete(query)
    if (first && (first.isPlain || isWhole(first.page)) && isOlder(queryClient, plainKey, updatedAt))
      queryClient.setQueryData(plainKey, first.page, { updatedAt })
    return
  }
  const pagesKey = [...plainKey, 'pages']
  if (isList(data) && isWhole(data) && isOlder(queryClient, pagesKey, updatedAt))
    queryClient.setQueryData<Pages>(pagesKey, { pages: [data], pageParams: [undefined] }, { updatedAt })
}

function isOlder(queryClient: QueryClient, queryKey: readonly unknown[], updatedAt: number): boolean {
  const state = queryClient.getQueryState(queryKey)
  return state?.data !== undefined && (state.dataUpdatedAt <= updatedAt || state.isInvalidated)
}

function isList(data: unknown): data is { items: readonly unknown[] } {
  return typeof data === 'object' && data !== null && 'items' in data
}

function isWhole(page: unknown): boolean {
  const { nextCursor } = Object(page) as { nextCursor?: unknown }
  return typeof nextCursor !== 'string' || nextCursorOf({ nextCursor }) === undefined
}
