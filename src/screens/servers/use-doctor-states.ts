import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useMemo, useSyncExternalStore } from 'react'
import type { DoctorReport } from '../../api/contract/server-operations.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { doctorQuery } from './checks.ts'
import { reportLook, type Look } from './status.ts'

/** What the doctor last said about a server in this session; `at` in epoch milliseconds. */
export type DoctorState = { look: Look; at: number | undefined }

const RUNNING: Look = { symbol: 'live', tone: 'live', word: 'running' }
const NO_REPORT: Look = { symbol: 'error', tone: 'error', word: 'no report' }

type States = { signature: string; byServer: ReadonlyMap<string, DoctorState> }

function read(queryClient: QueryClient, key: readonly unknown[], projectId: string): States {
  const byServer = new Map<string, DoctorState>()
  for (const query of queryClient.getQueryCache().findAll({ queryKey: key.slice(0, 2) })) {
    const input = query.queryKey[2] as { projectId: string; serverId: string }
    const { data, error, fetchStatus, dataUpdatedAt } = query.state
    if (input.projectId !== projectId) continue
    const report = data as DoctorReport | undefined
    const at = dataUpdatedAt || undefined
    if (fetchStatus === 'fetching') byServer.set(input.serverId, { look: RUNNING, at })
    else if (error) byServer.set(input.serverId, { look: NO_REPORT, at })
    else if (report) byServer.set(input.serverId, { look: reportLook(report.status), at })
  }
  const signature = [...byServer].map(([id, state]) => `${id} ${state.look.word} ${state.at}`).join('\n')
  return { signature, byServer }
}

/** The doctor's last word on each server of a project; draws again when one changes. */
export function useDoctorStates(projectId: string): ReadonlyMap<string, DoctorState> {
  const queryClient = useQueryClient()
  const workspace = useWorkspace()
  const store = useMemo(() => {
    const { queryKey } = doctorQuery(workspace, { projectId, serverId: '' })
    let last = read(queryClient, queryKey, projectId)
    return {
      // Other events of the cache come while something is being rendered, and change no report.
      subscribe: (listener: () => void) =>
        queryClient.getQueryCache().subscribe(event => {
          if (event.type === 'updated' || event.type === 'removed') listener()
        }),
      snapshot: () => {
        const next = read(queryClient, queryKey, projectId)
        if (next.signature !== last.signature) last = next
        return last.byServer
      },
    }
  }, [queryClient, workspace, projectId])
  return useSyncExternalStore(store.subscribe, store.snapshot)
}
