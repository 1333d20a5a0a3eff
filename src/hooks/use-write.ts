import { useQueryClient, type QueryFilters } from '@tanstack/react-query'
import { useCallback } from 'react'
import { ApiError } from '../api/client/errors/api-error.ts'
import type { AnyEndpoint } from '../api/contract/endpoint.ts'
import { refresh } from '../api/client/cache/queries.ts'

/** Sends a write of these endpoints; `filters` says which of the reads that it makes out of date are repeated. */
export type Write = <T>(
  endpoints: AnyEndpoint | readonly AnyEndpoint[],
  send: () => Promise<T>,
  filters?: Pick<QueryFilters, 'predicate'>,
) => Promise<T>

/**
 * Sends a write and resolves with its answer, or rejects with its error, as soon as that is known. What the write made out of
 * date is read again afterwards, also after an error that leaves its effect open; nobody waits for those reads, and they
 * fail by themselves.
 */
export function useWrite(): Write {
  const queryClient = useQueryClient()
  return useCallback(
    async (endpoints, send, filters) => {
      const refreshAll = (): void => {
        for (const endpoint of [endpoints].flat()) refresh(queryClient, endpoint, filters)
      }
      try {
        const answer = await send()
        refreshAll()
        return answer
      } catch (error) {
        if (!(error instanceof ApiError) || error.sent) refreshAll()
        throw error
      }
    },
    [queryClient],
  )
}
