import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useSyncExternalStore } from 'react'
import { refresh } from '../../api/client/cache/queries.ts'
import { contract } from '../../api/contract/contract.ts'
import type { ProjectServer } from '../../api/contract/servers.ts'
import { useOpening } from '../../components/opening.tsx'
import { callLogOf, type CallRecord } from '../../domain/calls/call-log.ts'
import { listedCalls, storedRecord, type ListedCall } from '../../domain/calls/listed-calls.ts'
import { useLiveQuery } from '../../hooks/use-api-query.ts'
import { useNotify } from '../../hooks/notify.tsx'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { BOUNDS } from '../../lib/bounds.ts'

const NONE: never[] = []

/**
 * Returns the person's calls on one server, including those of earlier sessions and other programs if the service
 * stores them.
 * @param follows shows calls of other programs at once, such as `mcpdeck call` in a shell
 */
export function useCallHistory(projectId: string, server: ProjectServer, follows = false) {
  const { client, queries } = useWorkspace()
  const log = callLogOf(client)
  const session = useSyncExternalStore(log.subscribe, () => log.of(server.id))
  const input = { projectId, serverId: server.id, limit: BOUNDS.serverCalls.most }
  const stored = useLiveQuery(queries.calls.list.options(input), {
    isLive: () => follows,
    requests: 1,
    rowsOf: ({ items }) => items.length,
  })
  const items = stored.data?.items ?? NONE
  const isStored = stored.error?.code !== 'local-only'
  return {
    calls: useMemo(() => listedCalls(items, session), [items, session]),
    /** Otherwise only the calls of this session are known. */
    isStored,
    data: {
      pending: stored.pending,
      hasData: !isStored || stored.hasData || session.length > 0,
      problem: isStored ? stored.problem : undefined,
      updatedAt: stored.updatedAt,
      restored: stored.restored,
    },
  }
}

/** Reads the stored data of a call, once; undefined if it cannot be read, or is still running elsewhere. */
export function useCallRecord(projectId: string, server: ProjectServer) {
  const { client } = useWorkspace()
  const opening = useOpening(useRunTask())
  const notify = useNotify()
  return async (call: ListedCall): Promise<CallRecord | undefined> => {
    if (call.record) return call.record
    if (call.status === 'running') {
      notify('warn', 'Another program is making this call. Its result shows here once it has ended.')
      return undefined
    }
    const input = { projectId, serverId: server.id, callId: call.id }
    const detail = await opening({
      start: `Reading the call of ${call.target}…`,
      work: signal => client.calls.get(input, { signal }),
    })
    if (!detail) return undefined
    const record = storedRecord(detail, server)
    callLogOf(client).adopt(record)
    return record
  }
}

/** Refreshes the stored calls after a new one. */
export function useCallsRefresh(): () => void {
  const queryClient = useQueryClient()
  return () => refresh(queryClient, contract.calls.list)
}
