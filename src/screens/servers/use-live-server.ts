import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { ApiError } from '../../api/client/errors/api-error.ts'
import type { LiveServer } from '../../api/contract/live-servers.ts'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { useSlowFactor } from '../../hooks/use-cadence.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { spaced } from '../../lib/spaced.ts'

/** Each read keeps the connection for another minute, so that changes on the server are received. */
const REFRESH_MS = 20_000
/** Minimum milliseconds between two reads, however often a server reports news. */
const NEWS_MS = 3_000

type Known = {
  /** Undefined until it is read, and if the service does not return it. */
  live: LiveServer | undefined
  /** Why it is unknown; permanent in a hosted service. */
  error: ApiError | null
}

/**
 * Reads what a connected server reports by itself while it is on screen; a hosted service is asked once whether it
 * supports that.
 */
export function useLiveServer(projectId: string, serverId: string): Known {
  const { queries, serverNews } = useWorkspace()
  const queryClient = useQueryClient()
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
