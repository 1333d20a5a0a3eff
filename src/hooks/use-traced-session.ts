import { queryOptions } from '@tanstack/react-query'
import { useState } from 'react'
import type { Client } from '../api/client/client.ts'
import type { ApiError } from '../api/client/errors/api-error.ts'
import { createTraceIndex, type FoundTrace, type TraceIndex } from '../domain/findings/trace-index.ts'
import { useApiQuery, type ApiQuery } from './use-api-query.ts'
import { useWorkspace } from './workspace.tsx'

/** A session that ended does not change. */
const FINAL = { staleTime: Infinity, refetchInterval: false } as const
const indexes = new WeakMap<Client, Map<string, TraceIndex>>()

/** One index for each project, as long as the client is there. */
function indexOf(client: Client, projectId: string): TraceIndex {
  const known = indexes.get(client) ?? new Map<string, TraceIndex>()
  const index = known.get(projectId) ?? createTraceIndex(client, projectId)
  indexes.set(client, known.set(projectId, index))
  return index
}

/**
 * What was said and called in a session of a journey run: no route reads the conversation of one, the trace export
 * tells all of them. `looked` is how many sessions were looked at so far.
 */
export function useTracedSession(
  projectId: string,
  session: { id: string; ids: readonly string[] },
): ApiQuery<FoundTrace> & { looked: number } {
  const { client } = useWorkspace()
  const [looked, heard] = useState(0)
  const trace = useApiQuery(
    queryOptions<FoundTrace, ApiError>({
      queryKey: ['traceExports', 'otlp', { projectId, session: session.id }, 'read'],
      queryFn: ({ signal }) => indexOf(client, projectId).read(session.ids, { signal, heard }),
      ...FINAL,
      // Conversations are large; what is not looked at any more is soon let go.
      gcTime: 60_000,
    }),
  )
  return Object.assign(trace, { looked })
}
