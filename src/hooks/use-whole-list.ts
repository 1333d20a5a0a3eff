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

/** Reads page after page while wanted, up to the list's limits or a failure. */
export function useReadAhead(
  pages: Pick<ApiPages<unknown>, 'hasMore' | 'problem' | 'readAhead'>,
  isWanted: boolean,
): void {
  const reads = isWanted && pages.hasMore && !pages.problem
  useEffect(() => {
    if (reads) pages.readAhead()
  }, [reads, pages])
}

/** Whether nothing more of a list arrives by itself: it is complete, was cut off, or failed. */
export function isReadWhole(pages: Pick<ApiPages<unknown>, 'hasData' | 'hasMore' | 'isCut' | 'isStuck' | 'problem'>) {
  const { hasData, hasMore, isCut, isStuck, problem } = pages
  return problem !== undefined || (hasData && (!hasMore || isCut || isStuck))
}

/**
 * Reads a list with a cursor page after page, within the limits for automatic reading. Pass a list such as
 * `queries.servers.list` with its input.
 * @param how.read how the read pages are refreshed; by default like other data on screen
 */
export function useWholeList<Input, P extends Page, Key extends QueryKey>(
  list: { infinite: (input: Input, extra: { pagesPerDraw: number }) => PagesOptions<P, Key> },
  input: Input,
  how: { enabled?: boolean; read?: RepeatedRead | false } = {},
): ApiPages<P['items'][number]> {
  const { enabled = true, read = SHOWN } = how
  const pages = useApiPages({ ...list.infinite(input, { pagesPerDraw: usePagesADraw() }), enabled }, read)
  useReadAhead(pages, enabled)
  // An unchanged answer causes no render, so the ages on screen need a clock.
  useMinute()
  return pages
}
