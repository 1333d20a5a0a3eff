import type { InfiniteData, Query, QueryClient } from '@tanstack/react-query'
import { nextCursorOf } from '../../contract/shapes.ts'

/** The first page of a list, and whether it was asked for as the plain list is. */
type FirstPage = { page: unknown; isPlain: boolean }

const firstPages = new WeakMap<object, FirstPage>()

/** Notes what a read in pages was answered first; it counts once that read has succeeded. */
export function noteFirstPage(query: object | undefined, first: FirstPage): void {
  if (query) firstPages.set(query, first)
}

type Answered = Pick<Query<unknown, unknown, unknown>, 'queryKey' | 'state'>
type Pages = InfiniteData<unknown, string | undefined>

/**
 * Gives an answer to the other entry of the same list: one that is read plain has the first page of what is read in
 * pages, and a list without further pages is the same in both. What one screen proves no other one contradicts.
 */
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

/** Whether there is an earlier answer under this key. */
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
