import { onceFor } from '../lib/once-for.ts'
import { queryOptions } from '@tanstack/react-query'
import { useState } from 'react'
import type { Client } from '../api/client/client.ts'
import type { ApiError } from '../api/client/errors/api-error.ts'
import { createTraceIndex, type FoundTrace, type TraceIndex } from '../domain/findings/trace-index.ts'
import { useApiQuery, type ApiQuery } from './use-api-query.ts'
import { useWorkspace } from './workspace.tsx'

const indexesOf = onceFor((_client: Client) => new Map<string, TraceIndex>())

/** Returns one index for each project, as long as the client exists. */
function indexOf(client: Client, projectId: string): TraceIndex {
  const known = indexesOf(client)
  const index = known.get(projectId) ?? createTraceIndex(client, projectId)
  known.set(projectId, index)
  return index
}

/**
 * Returns the messages and calls in a session of a journey run. No operation returns the conversation of one session;
 * the trace export contains all of them. `searched` is the number of sessions searched so far.
 */
export function useTracedSession(
  projectId: string,
  session: { id: string; ids: readonly string[] },
): ApiQuery<FoundTrace> & { searched: number } {
  const { client } = useWorkspace()
  const [searched, onProgress] = useState(0)
  const trace = useApiQuery(
    queryOptions<FoundTrace, ApiError>({
      queryKey: ['traceExports', 'otlp', { projectId, session: session.id }, 'read'],
      queryFn: ({ signal }) => indexOf(client, projectId).read(session.ids, { signal, onProgress }),
      // An exported session has ended and does not change; one that is missing may be there at the next read.
      staleTime: ({ state }) => (state.data?.messages ? Infinity : 0),
      // Conversations are large, so closed ones are soon freed.
      gcTime: 60_000,
    }),
    ({ state: { data } }) => data?.isWhole === true && !data.messages && { kind: 'shown' },
  )
  return Object.assign(trace, { searched })
}
