import {
  hashKey,
  type Query,
  useInfiniteQuery,
  useQueryClient,
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryOptions,
} from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import type { ApiError } from '../api/client/errors/api-error.ts'
import { describeError } from '../api/client/errors/error-text.ts'
import { createNews, LIST_BOUNDS, reachesBounds, type ListBounds } from '../api/client/pages.ts'
import { readPages } from '../api/client/cache/queries.ts'
import type { RepeatedRead } from '../domain/polling/cadence.ts'
import type { ApiQuery } from './use-api-query.ts'
import { useCadence } from './use-cadence.ts'
import { useWorkspace } from './workspace.tsx'

export type ApiPages<Item> = Omit<ApiQuery<unknown>, 'data'> & {
  items: readonly Item[] | undefined
  /** The first page as it was answered, with what it holds beside its items. */
  first: unknown
  /** There are pages after those that are here; one of them may be on its way. */
  hasMore: boolean
  /** Fetches the next page, and lets {@link readAhead} go on as far again; does nothing while one is on its way. */
  more: () => void
  /** The list has more than is read without a person. */
  isCut: boolean
  /** Whether the list returned the same cursor twice, so that the rest cannot be read. */
  isStuck: boolean
  /** Fetches the next page as far as the bounds go. */
  readAhead: () => void
}

/** Reads a list further without drawing first. */
export type ReadsUntil<Item> = {
  /**
   * Fetches pages until this holds of all items, the list ends, or as many were read as {@link LIST_BOUNDS} has.
   * @returns the items that are here then
   * @throws ApiError, and the signal's reason once that is aborted
   */
  readUntil: (isThere: (items: readonly Item[]) => boolean, signal: AbortSignal) => Promise<readonly Item[]>
}

/** Pages that are drawn at once where requests cost nothing. */
const PAGES_A_DRAW = 10

/**
 * How many pages of a list that is read whole are drawn at once; a remote service answers slower than a screen draws.
 */
export function usePagesADraw(): number {
  const { budget } = useWorkspace()
  return budget.snapshot().unlimited ? PAGES_A_DRAW : 1
}

/** Where the stretch began that may be read without a person, of the list with this hash. */
type Begun = ListBounds & { hash: string; at: number }

/**
 * Reads a list with a cursor, page after page. Pass what `queries.<resource>.<name>.infinite(input)` gives.
 * @param read how what is here is read again
 * @param bounds how much is read without a person, and again with each `more`
 */
export function useApiPages<Page extends { items: readonly unknown[] }, Key extends QueryKey>(
  options: UseInfiniteQueryOptions<Page, ApiError, InfiniteData<Page>, Key, string | undefined>,
  read: RepeatedRead | false,
  bounds: ListBounds = LIST_BOUNDS,
): ApiPages<Page['items'][number]> & ReadsUntil<Page['items'][number]> {
  const queryClient = useQueryClient()
  const pause = useCadence()
  const query = useInfiniteQuery({
    ...options,
    refetchInterval: query =>
      pause(read && read.kind === 'shown' ? { ...read, pages: query.state.data?.pages.length ?? 0 } : read, query),
  })
  const { data, fetchNextPage, hasNextPage, isFetched } = query
  const items = useMemo(() => data?.pages.flatMap(page => page.items), [data])
  const first = data?.pages[0]
  const queryHash = hashKey(options.queryKey)
  const [begun, setBegun] = useState<Begun>()
  const start = begun?.hash === queryHash ? begun : undefined
  // Without cursors to compare with, a cursor that came back counts as one too.
  const goesOn = data !== undefined && isFetched && hasCursor(options, data)
  const isStuck = goesOn && !hasNextPage
  const readSoFar = useMemo(
    () => (goesOn ? readOf(data, readPages(queryClient, options.queryKey, data.pageParams), start) : undefined),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the hash stands for the key
    [goesOn, data, start, queryClient, queryHash],
  )
  const isCut = isStuck || (readSoFar !== undefined && reachesBounds(readSoFar.stretch, bounds))
  const latest = useRef(readSoFar)
  latest.current = readSoFar
  return useMemo(() => {
    const fetchNext = (): void => {
      // Asked here instead of watched, so that a page on its way draws nothing.
      if (!isFetchingPage(queryClient.getQueryCache().get(queryHash))) void fetchNextPage()
    }
    return {
      items,
      first,
      pending: query.isPending,
      hasData: items !== undefined,
      restored: items !== undefined && !isFetched,
      problem: query.error ? describeError(query.error) : undefined,
      // Read only where the age shows, so that an unchanged answer draws nothing.
      get updatedAt() {
        return queryClient.getQueryCache().get(queryHash)?.state.dataUpdatedAt || undefined
      },
      error: query.error,
      // What was kept from an earlier session has to be read again before it continues.
      hasMore: goesOn,
      isCut,
      isStuck,
      more: () => {
        if (isStuck) return
        if (isCut && latest.current) setBegun({ ...latest.current.whole, hash: queryHash })
        fetchNext()
      },
      readAhead: () => {
        if (!isCut) fetchNext()
      },
      async readUntil(isThere, signal) {
        const pageQuery = () => queryClient.getQueryCache().get(queryHash)
        const itemsHere = () =>
          (pageQuery()?.state.data as InfiniteData<Page> | undefined)?.pages.flatMap(page => page.items) ?? []
        const stop = () => void pageQuery()?.cancel({ revert: true })
        signal.addEventListener('abort', stop)
        try {
          const most = itemsHere().length + LIST_BOUNDS.items
          let next = goesOn && !isStuck
          for (let here = itemsHere(); ; here = itemsHere()) {
            if (!next || isThere(here) || here.length >= most) return here
            const answer = await fetchNextPage({ cancelRefetch: !isFetchingPage(pageQuery()) })
            signal.throwIfAborted()
            if (answer.error) throw answer.error
            next = answer.hasNextPage
          }
        } finally {
          signal.removeEventListener('abort', stop)
        }
      },
    }
  }, [
    items,
    first,
    query.isPending,
    query.error,
    goesOn,
    isCut,
    isStuck,
    isFetched,
    fetchNextPage,
    queryClient,
    queryHash,
  ])
}

function hasCursor<Page, Key extends QueryKey>(
  { getNextPageParam }: UseInfiniteQueryOptions<Page, ApiError, InfiniteData<Page>, Key, string | undefined>,
  { pages, pageParams }: InfiniteData<Page>,
): boolean {
  const last = pages.at(-1)
  if (last === undefined) return false
  return getNextPageParam(last, pages, pageParams.at(-1) as string | undefined, []) != null
}

/** What was read of a list as a whole, and since a stretch of it began. */
function readOf(
  { pages }: InfiniteData<{ items: readonly unknown[] }>,
  sizes: readonly { pages: number; text: number }[],
  start: Begun | undefined,
) {
  const whole = { pages: 0, items: 0, text: 0, at: pages.length }
  const news = createNews()
  let idlePages = 0
  for (const [at, { items }] of pages.entries()) {
    const size = sizes[at] ?? { pages: 1, text: 0 }
    whole.pages += size.pages
    whole.items += items.length
    whole.text += size.text
    idlePages = news(items) || at < (start?.at ?? 0) ? 0 : idlePages + size.pages
  }
  const stretch = {
    pages: whole.pages - (start?.pages ?? 0),
    items: whole.items - (start?.items ?? 0),
    text: whole.text - (start?.text ?? 0),
    idlePages,
  }
  return { whole, stretch }
}

function isFetchingPage(query: Query | undefined): boolean {
  return query?.state.fetchStatus === 'fetching' && query.state.fetchMeta?.fetchMore !== undefined
}
