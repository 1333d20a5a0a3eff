import {
  hashKey,
  type Query,
  useInfiniteQuery,
  useQueryClient,
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryOptions,
} from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ApiError } from '../api/api-error.ts'
import { describeError } from '../api/error-text.ts'
import { LIST_BOUNDS } from '../api/pages.ts'
import { calmed } from './calm.ts'
import type { ApiQuery } from './use-api-query.ts'

export type ApiPages<Item> = Omit<ApiQuery<unknown>, 'data'> & {
  items: readonly Item[] | undefined
  /** There are pages after those that are here; one of them may be on its way. */
  hasMore: boolean
  /** Fetches the next page; does nothing while one is on its way. */
  more: () => void
  /** The list has more than is read without a person: {@link LIST_BOUNDS}. */
  isCut: boolean
  /** Fetches the next page as far as the bounds go. */
  readAhead: () => void
}

/** Reads a list with a cursor, page after page. Pass what `queries.<resource>.<name>.infinite(input)` gives. */
export function useApiPages<Page extends { items: readonly unknown[] }, Key extends QueryKey>(
  options: UseInfiniteQueryOptions<Page, ApiError, InfiniteData<Page>, Key, string | undefined>,
  interval: number | false,
): ApiPages<Page['items'][number]> {
  const queryClient = useQueryClient()
  const query = useInfiniteQuery({
    ...options,
    refetchInterval: query => interval !== false && calmed(query, interval),
  })
  const items = useMemo(() => query.data?.pages.flatMap(page => page.items), [query.data])
  const { fetchNextPage, hasNextPage, isFetched } = query
  const pageCount = query.data?.pages.length ?? 0
  const isCut = hasNextPage && (pageCount >= LIST_BOUNDS.pages || (items?.length ?? 0) >= LIST_BOUNDS.items)
  const queryHash = hashKey(options.queryKey)
  return useMemo(() => {
    const more = (): void => {
      // Asked here instead of watched, so that a page on its way draws nothing.
      if (!isFetchingPage(queryClient.getQueryCache().get(queryHash))) void fetchNextPage()
    }
    return {
      items,
      pending: query.isPending,
      hasData: items !== undefined,
      restored: items !== undefined && !isFetched,
      problem: query.error ? describeError(query.error) : undefined,
      // Read only where the age shows, so that an unchanged answer draws nothing.
      get updatedAt() {
        return queryClient.getQueryCache().get(queryHash)?.state.dataUpdatedAt || undefined
      },
      error: query.error,
      // What was kept from an earlier session has to be read again before it goes on.
      hasMore: hasNextPage && isFetched,
      more,
      isCut,
      readAhead: () => {
        if (!isCut) more()
      },
    }
  }, [
    items,
    query.isPending,
    query.error,
    hasNextPage,
    isCut,
    isFetched,
    fetchNextPage,
    queryClient,
    queryHash,
  ])
}

function isFetchingPage(query: Query | undefined): boolean {
  return query?.state.fetchStatus === 'fetching' && query.state.fetchMeta?.fetchMore !== undefined
}
