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
  /** The first page as received, with its fields besides the items. */
  first: unknown
  /** Whether there are more pages than were read; one of them may be in flight. */
  hasMore: boolean
  /**
   * Fetches the next page, and lets {@link readAhead} continue up to the limit again; does nothing while a page is in
   * flight.
   */
  more: () => void
  /** Whether the list has more than is read without a request by the person. */
  isCut: boolean
  /** Whether the list returned the same cursor twice, so that the rest cannot be read. */
  isStuck: boolean
  /** Fetches the next page within the limits. */
  readAhead: () => void
}

/** Reads more of a list without rendering first. */
export type ReadsUntil<Item> = {
  /**
   * Fetches pages until this is true of all items, the list ends, or the limit of {@link LIST_BOUNDS} is reached.
   * @returns the items read by then
   * @throws ApiError, and the signal's reason if it is aborted
   */
  readUntil: (isThere: (items: readonly Item[]) => boolean, signal: AbortSignal) => Promise<readonly Item[]>
}

/** Pages that are rendered together if requests cost nothing. */
const PAGES_A_DRAW = 10

/**
 * Returns how many pages of a list that is read completely are rendered together; a remote service answers more slowly
 * than a screen renders.
 */
export function usePagesADraw(): number {
  const { budget } = useWorkspace()
  return budget.snapshot().unlimited ? PAGES_A_DRAW : 1
}

/** Where the current stretch of automatic reading began, for the list with this hash. */
type Begun = ListBounds & { hash: string; at: number }

/**
 * Reads a list with a cursor, page after page. Pass the result of `queries.<resource>.<name>.infinite(input)`.
 * @param read how the read pages are refreshed
 * @param bounds how much is read automatically, and again with each `more`
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
  // If earlier cursors are not known, the current one counts as a further page even if it repeats one.
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
      // Read here instead of subscribed to, so that a page in flight causes no render.
      if (!isFetchingPage(queryClient.getQueryCache().get(queryHash))) void fetchNextPage()
    }
    return {
      items,
      first,
      pending: query.isPending,
      hasData: items !== undefined,
      restored: items !== undefined && !isFetched,
      problem: query.error ? describeError(query.error) : undefined,
      // A getter, so that an unchanged answer renders only components that show the age.
      get updatedAt() {
        return queryClient.getQueryCache().get(queryHash)?.state.dataUpdatedAt || undefined
      },
      error: query.error,
      // Data of an earlier session must be refreshed before the list continues.
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

/** Returns how much of a list was read in total, and since the current stretch began. */
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
