import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { QueryKey, UseQueryOptions } from '@tanstack/react-query'
import { type ApiError, isMissing } from '../api/client/errors/api-error.ts'
import { isPlainRead } from '../api/client/cache/cache-contents.ts'
import { describeError, type ErrorText } from '../api/client/errors/error-text.ts'
import type { RepeatedRead } from '../domain/polling/cadence.ts'
import type { PolledQuery } from './answers.ts'
import { useCadence, usePoller } from './use-cadence.ts'
import { useEach, useFirstOfEach } from './use-each.ts'
import { useMinute } from './use-now.ts'

/** The data that a pane needs to choose among its five states. */
export type ApiQuery<T> = {
  data: T | undefined
  pending: boolean
  hasData: boolean
  problem: ErrorText | undefined
  updatedAt: number | undefined
  /** Whether the data comes from an earlier session and nothing has been answered since. */
  restored: boolean
  error: ApiError | null
}

/**
 * Returns how an operation is repeated; see `cadence`. By default like other data on screen, and reads over POST never.
 */
export type Repeats<T> = (query: PolledQuery<T>) => RepeatedRead | false

const SHOWN: RepeatedRead = { kind: 'shown' }

/** Reads one operation. Pass the result of `queries.<resource>.<name>.options(input)`. */
export function useApiQuery<T, Key extends QueryKey>(
  options: UseQueryOptions<T, ApiError, T, Key>,
  repeats?: Repeats<T>,
): ApiQuery<T> {
  const pause = useCadence()
  // Only plain reads are repeated automatically: a read over POST contacts a user's MCP server.
  const usual = options.refetchInterval !== false && isPlainRead(options) && SHOWN
  const refetchInterval = (query: PolledQuery<T>) => pause(repeats ? repeats(query) : usual, query)
  const query = useQuery({ ...options, refetchInterval })
  // An unchanged answer causes no render, so the ages on screen need a clock.
  useMinute()
  return {
    data: query.data,
    pending: query.isPending,
    hasData: query.data !== undefined,
    restored: query.data !== undefined && !query.isFetched,
    problem: query.error ? describeError(query.error) : undefined,
    // A getter, so that an unchanged answer renders only components that show the age.
    get updatedAt() {
      return query.dataUpdatedAt || undefined
    },
    error: query.error,
  }
}

/**
 * Reads one operation, and keeps polling it while `isLive` is true for the last answer. If a live record disappears, it
 * is no longer shown, and is read as often as other data on screen. `requests` is the number of requests of one poll,
 * including all reads that are polled with it; `rowsOf` returns how many rows these requests cover.
 */
export function useLiveQuery<T, Key extends QueryKey>(
  options: UseQueryOptions<T, ApiError, T, Key>,
  poll: { isLive: (data: T) => boolean; requests: number; rowsOf?: (data: T) => number },
): ApiQuery<T> & { live: boolean; isGone: boolean; read: (RepeatedRead & { kind: 'live' }) | false } {
  const { data: last, error } = useQueryClient().getQueryState<T, ApiError>(options.queryKey) ?? {}
  const wasLive = last !== undefined && poll.isLive(last)
  const isGone = wasLive && isMissing(error)
  const live = wasLive && !isGone
  usePoller(live)
  const rows = (last !== undefined && poll.rowsOf?.(last)) || 0
  const read = live && ({ kind: 'live', requests: poll.requests, rows } as const)
  const meta = { purpose: 'live' as const, ...options.meta }
  const query = useApiQuery({ ...options, ...(live && { meta }) }, read ? () => read : undefined)
  return Object.assign(query, { live, isGone, read }, isGone && { data: undefined, hasData: false, restored: false })
}

/**
 * Reads one operation for each of several items. A read is repeated while `isLive` is true for its last answer, or
 * while it has no answer: the row of a list may be newer than the answer. An item that disappears is treated as in
 * {@link useLiveQuery}. {@link useEach} sets how many are read, and in what order.
 */
export function useLiveQueries<Item, T, Key extends QueryKey>(
  items: readonly Item[],
  of: {
    nameOf: (item: Item) => string
    options: (item: Item) => UseQueryOptions<T, ApiError, T, Key>
    isLive: (data: T | undefined, item: Item) => boolean
  },
): { first: readonly Item[]; left: number; reads: readonly Pick<ApiQuery<T>, 'data' | 'problem'>[] } {
  const { nameOf, options, isLive } = of
  const client = useQueryClient()
  const pause = useCadence()
  const { first, left } = useFirstOfEach(items, nameOf)
  const live = first.filter(item => {
    const { data, error } = client.getQueryState<T, ApiError>(options(item).queryKey) ?? {}
    return !isMissing(error) && isLive(data, item)
  }).length
  usePoller(live > 0)
  const { reads } = useEach(first, {
    nameOf,
    options(item) {
      const read = ({ data, error }: PolledQuery<T>['state']): RepeatedRead | false => {
        if (isMissing(error)) return SHOWN
        return isLive(data, item) && { kind: 'live', requests: Math.max(1, live) }
      }
      const refetchInterval = (query: PolledQuery<T>) => pause(read(query.state), query)
      return { ...options(item), refetchInterval }
    },
  })
  const read = reads.map(({ data, error }, index) => ({
    data: isMissing(error) && isLive(data, first[index]!) ? undefined : data,
    problem: error ? describeError(error) : undefined,
  }))
  return { first, left, reads: read }
}
