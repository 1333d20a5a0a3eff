import {
  useInfiniteQuery,
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryOptions,
} from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ApiError } from '../api/api-error.ts'
import { describeError } from '../api/error-text.ts'
import type { ApiQuery } from './use-api-query.ts'

export type ApiPages<Item> = Omit<ApiQuery<unknown>, 'data'> & {
  items: readonly Item[] | undefined
  hasMore: boolean
  /** Fetches the next page; does nothing while one is on its way. */
  more: () => void
}

/** Reads a list with a cursor, page after page. Pass what `queries.<resource>.<name>.infinite(input)` gives. */
export function useApiPages<Page extends { items: readonly unknown[] }, Key extends QueryKey>(
  options: UseInfiniteQueryOptions<Page, ApiError, InfiniteData<Page>, Key, string | undefined>,
  interval: number | false,
): ApiPages<Page['items'][number]> {
  const query = useInfiniteQuery({ ...options, refetchInterval: interval })
  const items = useMemo(() => query.data?.pages.flatMap(page => page.items), [query.data])
  const { fetchNextPage, isFetchingNextPage, hasNextPage } = query
  return useMemo(
    () => ({
      items,
      pending: query.isPending,
      hasData: items !== undefined,
      problem: query.error ? describeError(query.error) : undefined,
      updatedAt: query.dataUpdatedAt || undefined,
      error: query.error,
      hasMore: hasNextPage && !isFetchingNextPage,
      more: () => void fetchNextPage(),
    }),
    [
      items,
      query.isPending,
      query.error,
      query.dataUpdatedAt,
      hasNextPage,
      isFetchingNextPage,
      fetchNextPage,
    ],
  )
}
