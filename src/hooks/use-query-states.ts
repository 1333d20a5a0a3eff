import {
  hashKey,
  notifyManager,
  type QueryClient,
  type QueryKey,
  type QueryMeta,
  QueryObserver,
  type QueryState,
  useQueryClient,
  type UseQueryOptions,
} from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { ApiError } from '../api/client/errors/api-error.ts'
import { createListeners } from '../lib/listeners.ts'
import { onceFor } from '../lib/once-for.ts'

/** How a query is found in the cache, made once for each object of options. */
export const hashOf = onceFor(({ queryKey }: { queryKey: QueryKey }): string => hashKey(queryKey))

/** What is asked of each query beside its own options. */
type Asked = {
  enabled: (query: { state: QueryState<unknown, ApiError> }) => boolean
  retryOnMount: boolean
  refetchOnMount: boolean
  meta: QueryMeta
}

/**
 * The states of many queries at once; draws again when the answer or the error of one is another, and not for the time
 * of a read. Other than `useQueries` a draw costs nothing for what stays, so that there may be hundreds.
 * @param asked holds as it was when a query was first among them
 */
export function useQueryStates<T, Key extends QueryKey>(
  all: readonly UseQueryOptions<T, ApiError, T, Key>[],
  asked: Asked,
): readonly (QueryState<T, ApiError> | undefined)[] {
  const queryClient = useQueryClient()
  const [observers] = useState(() => createObservers(queryClient))
  useSyncExternalStore(observers.subscribe, observers.version)
  const states = all.map(options => queryClient.getQueryCache().get<T, ApiError>(hashOf(options))?.state)
  useEffect(() => observers.set(all, states, asked))
  useEffect(() => observers.end, [observers])
  return states
}

function createObservers(queryClient: QueryClient) {
  const ends = new Map<string, () => void>()
  const { subscribe, notify } = createListeners()
  let wanted: readonly object[] = []
  let version = 0
  const change = (): void => {
    version += 1
    notifyManager.schedule(notify)
  }
  return {
    subscribe,
    version: () => version,
    set<T, Key extends QueryKey>(
      all: readonly UseQueryOptions<T, ApiError, T, Key>[],
      drawn: readonly (QueryState<T, ApiError> | undefined)[],
      asked: Asked,
    ) {
      if (all.length === wanted.length && all.every((options, index) => options === wanted[index])) return
      wanted = all
      for (const [index, options] of all.entries()) {
        const hash = hashOf(options)
        if (ends.has(hash)) continue
        const observer = new QueryObserver<T, ApiError, T, T, Key>(queryClient, {
          ...options,
          ...asked,
          // Always, so that no timer waits for it to become so.
          staleTime: 0,
          notifyOnChangeProps: ['data', 'error'],
        })
        ends.set(hash, observer.subscribe(change))
        const { data, error } = observer.getCurrentResult()
        if (data !== drawn[index]?.data || error !== (drawn[index]?.error ?? null)) change()
      }
      const hashes = new Set(all.map(hashOf))
      for (const [hash, end] of ends)
        if (!hashes.has(hash)) {
          ends.delete(hash)
          end()
        }
    },
    end() {
      for (const end of ends.values()) end()
      ends.clear()
      wanted = []
    },
  }
}
