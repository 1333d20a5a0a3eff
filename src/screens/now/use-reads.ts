import {
  type Query,
  type QueryKey,
  type QueriesResults,
  useQueries,
  useQueryClient,
  type UseQueryOptions,
  type UseQueryResult,
} from '@tanstack/react-query'
import type { RefObject } from 'react'
import type { ApiError } from '../../api/client/errors/api-error.ts'
import type { Read } from '../../domain/now/line.ts'
import { NOW_READS, type NowReadKind, pauseAfter } from '../../domain/now/plan.ts'
import { backoff } from '../../hooks/backoff.ts'
import { spared } from '../../hooks/use-api-query.ts'

/** What came of one read. */
export type NowAnswer<T> = {
  data: T | undefined
  error: ApiError | null
  /** Epoch milliseconds. */
  at: number | undefined
}

export type NowPlan = RefObject<Record<NowReadKind, number>>

/** While nothing comes back the watch of the line asks; see `spared`. */
const REST_MS = 50_000

/** What is meant to be read this rarely does not make what is on screen old, in milliseconds. */
const SLOW_MS = 120_000

type Result<T> = Pick<NowAnswer<T>, 'data' | 'error'>

/** Without the time of the read: a read that is answered as before draws nothing. */
function combine<T>(results: readonly UseQueryResult<T, ApiError>[]): Result<T>[] {
  return results.map(({ data, error }) => ({ data, error }))
}

/** Reads several things of one kind, each as often as the plan says. */
export function useReads<T, Key extends QueryKey>(
  kind: NowReadKind,
  plan: NowPlan,
  wanted: readonly UseQueryOptions<T, ApiError, T, Key>[],
): readonly NowAnswer<T>[] {
  const { priority, every } = NOW_READS[kind]
  const queryClient = useQueryClient()
  const results = useQueries({
    queries: wanted.map(options => ({
      ...options,
      ...(every >= SLOW_MS && { staleTime: Infinity }),
      // Nothing else reads at once what is not stale, and who comes back later would look at what was long ago.
      refetchOnMount: (query: Query<T, ApiError, T, Key>) => (isDue(query, plan.current[kind]) ? 'always' : true),
      meta: { priority, owner: 'now' },
      // The plan is made of what these reads answer, so it is asked when the next one is due.
      refetchInterval: spared<T, Key>(query => {
        const pause = kind === 'live' ? backoff(query, plan.current.live) : plan.current[kind]
        return pauseAfter(query.state.error, pause)
      }, REST_MS),
    })),
    combine: combine as (results: QueriesResults<UseQueryOptions<T, ApiError, T, Key>[]>) => Result<T>[],
  })
  return results.map((result, index) => {
    const state = queryClient.getQueryState(wanted[index]!.queryKey)
    return { ...result, at: state?.dataUpdatedAt || undefined }
  })
}

/** Whether what is known is older than the pause after which it is read again. */
function isDue({ state }: Pick<Query<unknown, ApiError>, 'state'>, pause: number): boolean {
  return pauseAfter(state.error, pause) !== false && state.dataUpdatedAt + pause <= Date.now()
}

/** What was answered, in the form in which lines are made of it; undefined before the first answer. */
export function readOf<T, Value>(answer: NowAnswer<T> | undefined, of: (data: T) => Value): Read<Value> | undefined {
  return answer?.data === undefined ? undefined : { value: of(answer.data), at: answer.at }
}
