import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { ApiError } from '../../api/client/errors/api-error.ts'
import type { LiveServer } from '../../api/contract/live-servers.ts'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { useSlowFactor } from '../../hooks/use-cadence.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { spaced } from '../../lib/spaced.ts'

/** Each reading keeps the connection for a minute more, so that what changes there is heard. */
const REFRESH_MS = 20_000
/** Minimum milliseconds between two looks, however often a server says that something is new. */
const NEWS_MS = 3_000

type Known = {
  /** Undefined until it is read, and where the service does not say. */
  live: LiveServer | undefined
  /** Why it is not known, in a hosted service for good. */
  error: ApiError | null
}

/** What a connected server says by itself, read as long as it shows; a hosted service is asked once whether it says. */
export function useLiveServer(projectId: string, serverId: string): Known {
  const { queries, serverNews } = useWorkspace()
  const queryClient = useQueryClient()
  // Each read holds the server's connection for a minute more, so a server that nobody looks at is soon let go.
  const everyMs = REFRESH_MS * useSlowFactor()
  const options = queries.liveServers.get.options({ projectId, serverId })
  const { data, error } = useApiQuery(options, ({ state }) => !isLocalOnly(state.error) && { kind: 'own', everyMs })
  useEffect(() => {
    const { queryKey } = queries.liveServers.get.options({ projectId, serverId })
    const look = spaced<void>(NEWS_MS, () => void queryClient.invalidateQueries({ queryKey, exact: true }))
    const stop = serverNews?.subscribe(serverId, () => look.note())
    return () => {
      stop?.()
      look.end()
    }
  }, [queries, serverNews, queryClient, projectId, serverId])
  return { live: data, error }
}

export function isLocalOnly(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'local-only'
}
