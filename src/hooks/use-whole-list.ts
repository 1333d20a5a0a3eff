import type { InfiniteData, QueryKey, UseInfiniteQueryOptions } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ApiError } from '../api/client/errors/api-error.ts'
import { useApiPages, usePagesADraw, type ApiPages } from './use-api-pages.ts'
import type { RepeatedRead } from '../domain/polling/cadence.ts'
import { useMinute } from './use-now.ts'

const SHOWN: RepeatedRead = { kind: 'shown' }

type Page = { items: readonly unknown[] }
type PagesOptions<P, Key extends QueryKey> = UseInfiniteQueryOptions<
  P,
  ApiError,
  InfiniteData<P, string | undefined>,
  Key,
  string | undefined
>

/** Reads page after page while it is wanted, up to the list's bounds or a failure. */
export function useReadAhead(
  pages: Pick<ApiPages<unknown>, 'hasMore' | 'problem' | 'readAhead'>,
  isWanted: boolean,
): void {
  const reads = isWanted && pages.hasMore && !pages.problem
  useEffect(() => {
    if (reads) pages.readAhead()
  }, [reads, pages])
}

/** Whether nothing more of a list that is read whole arrives by itself: it is all here, was cut, or failed. */
export function isReadWhole(pages: Pick<ApiPages<unknown>, 'hasData' | 'hasMore' | 'isCut' | 'isStuck' | 'problem'>) {
  const { hasData, hasMore, isCut, isStuck, problem } = pages
  return problem !== undefined || (hasData && (!hasMore || isCut || isStuck))
}

/**
 * Reads a list with a cursor page after page, as far as its bounds go without a person. Pass a list such as
 * `queries.servers.list` with its input.
 * @param how.read how what is here is read again; by default as what is on screen
 */
export function useWholeList<Input, P extends Page, Key extends QueryKey>(
  list: { infinite: (input: Input, extra: { pagesPerDraw: number }) => PagesOptions<P, Key> },
  input: Input,
  how: { enabled?: boolean; read?: RepeatedRead | false } = {},
): ApiPages<P['items'][number]> {
  const { enabled = true, read = SHOWN } = how
  const pages = useApiPages({ ...list.infinite(input, { pagesPerDraw: usePagesADraw() }), enabled }, read)
  useReadAhead(pages, enabled)
  // A read that is answered as before draws nothing, so the ages beside what it answered need a clock.
  useMinute()
  return pages
}
