import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Query, QueryKey, UseQueryOptions } from '@tanstack/react-query'
import { type ApiError, connectionFault, isMissing } from '../api/client/errors/api-error.ts'
import { isPlainRead } from '../api/client/cache/cache-contents.ts'
import { describeError, type ErrorText } from '../api/client/errors/error-text.ts'
import { backoff } from './backoff.ts'
import { useMinute } from './use-now.ts'
import { REST, usePoll, usePollFactor, useRestFactor } from './use-poll.ts'
import { useShareFactor } from './use-share.ts'
import { useWorkspace } from './workspace.tsx'

/** What a pane needs to choose among its five states. */
export type ApiQuery<T> = {
  data: T | undefined
  pending: boolean
  hasData: boolean
  problem: ErrorText | undefined
  updatedAt: number | undefined
  /** What is here comes from an earlier session; nothing has answered since. */
  restored: boolean
  error: ApiError | null
}

/** How often what rests on screen is read again, in milliseconds, to notice what others changed. */
const REST_INTERVAL = { local: 20_000, remote: 50_000, unattended: 60_000 }

/**
 * An interval that is no shorter than `rest` while the service does not answer: the watch of the connection reads then.
 * A key that was refused is not tried again.
 */
export function spared<T, Key extends QueryKey>(
  wanted: NonNullable<UseQueryOptions<T, ApiError, T, Key>['refetchInterval']>,
  rest: number,
) {
  return (query: Query<T, ApiError, T, Key>): number | false =>
    sparedPause(query.state.error, (typeof wanted === 'function' ? wanted(query) : wanted) ?? false, rest)
}

/** An interval as {@link spared} has it, given what the last read failed with. */
export function sparedPause(error: ApiError | null, interval: number | false, rest: number): number | false {
  const fault = connectionFault(error)
  if (fault === 'key-refused') return false
  return interval !== false && fault !== undefined ? Math.max(interval, rest) : interval
}

/** Milliseconds between two reads of what rests on screen. */
export function useRest(): number {
  const { budget } = useWorkspace()
  const factor = useRestFactor() * useShareFactor()
  const isUnattended = usePollFactor() >= REST
  return factor * REST_INTERVAL[isUnattended ? 'unattended' : budget.snapshot().unlimited ? 'local' : 'remote']
}

/** Reads one operation. Pass what `queries.<resource>.<name>.options(input)` gives. */
export function useApiQuery<T, Key extends QueryKey>(options: UseQueryOptions<T, ApiError, T, Key>): ApiQuery<T> {
  const rest = useRest()
  // Only plain reads are repeated unasked: a read over POST reaches through to somebody's MCP server.
  const { refetchInterval: wanted = isPlainRead(options) && rest } = options
  const query = useQuery({ ...options, refetchInterval: spared(wanted, rest) })
  // A read that is answered as before draws nothing, so the ages beside what it answered need a clock.
  useMinute()
  return {
    data: query.data,
    pending: query.isPending,
    hasData: query.data !== undefined,
    restored: query.data !== undefined && !query.isFetched,
    problem: query.error ? describeError(query.error) : undefined,
    // Read only where the age shows, so that an unchanged answer draws nothing.
    get updatedAt() {
      return query.dataUpdatedAt || undefined
    },
    error: query.error,
  }
}

/**
 * Reads one operation and keeps reading it while `isLive` says so of the last answer. Of what was live and is not there
 * any more nothing stays, since it does not go on; it is looked for as often as what rests on screen.
 * `requestsEach` is what one round costs, with everything that is polled along with it; `rowsOf` how many rows that is
 * about.
 */
export function useLiveQuery<T, Key extends QueryKey>(
  options: UseQueryOptions<T, ApiError, T, Key>,
  poll: { isLive: (data: T) => boolean; requestsEach: number; rowsOf?: (data: T) => number },
): ApiQuery<T> & { live: boolean; isGone: boolean; interval: number | false } {
  const { data: last, error } = useQueryClient().getQueryState<T, ApiError>(options.queryKey) ?? {}
  const wasLive = last !== undefined && poll.isLive(last)
  const isGone = wasLive && isMissing(error)
  const live = wasLive && !isGone
  const rows = (last !== undefined && poll.rowsOf?.(last)) || 0
  const interval = usePoll({ live, requestsEach: poll.requestsEach, rows })
  const refetchInterval = (polled: Query<T, ApiError, T, Key>) => interval !== false && backoff(polled, interval)
  const meta = { purpose: 'live' as const, ...options.meta }
  const query = useApiQuery({ ...options, ...(interval !== false && { refetchInterval, meta }) })
  return Object.assign(
    query,
    { live, isGone, interval },
    isGone && { data: undefined, hasData: false, restored: false },
  )
}

/**
 * Reads several operations of one kind, each again while `isLive` says so of its last answer, or of none yet: what the
 * row of a list says may be ahead of it. What is gone is not read again and again, as {@link useLiveQuery} has it.
 */
export function useLiveQueries<T, Key extends QueryKey>(
  all: readonly UseQueryOptions<T, ApiError, T, Key>[],
  isLive: (data: T | undefined, index: number) => boolean,
): readonly Pick<ApiQuery<T>, 'data' | 'problem'>[] {
  const client = useQueryClient()
  const rest = useRest()
  const live = all.filter(({ queryKey }, index) => {
    const { data, error } = client.getQueryState<T, ApiError>(queryKey) ?? {}
    return !isMissing(error) && isLive(data, index)
  }).length
  const interval = usePoll({ live: live > 0, requestsEach: Math.max(1, live) })
  const results = useQueries({
    queries: all.map((options, index) => {
      const pause = (query: Query<T, ApiError, T, Key>): number | false => {
        if (isMissing(query.state.error)) return rest
        return isLive(query.state.data, index) && interval !== false && backoff(query, interval)
      }
      return { ...options, refetchInterval: spared(pause, rest) }
    }),
  })
  return results.map(({ data, error }, index) => ({
    data: isMissing(error) && isLive(data, index) ? undefined : data,
    problem: error ? describeError(error) : undefined,
  }))
}
