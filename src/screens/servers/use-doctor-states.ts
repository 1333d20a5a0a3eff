import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { stateOf, type ExaminedReport } from '../../domain/servers/findings.ts'
import { useWorkspace, type Workspace } from '../../hooks/workspace.tsx'
import { doctorQuery } from './checks.ts'
import type { Look } from '../../tui/theme/theme.ts'
import { reportLook } from './status.ts'

/** The doctor's last result for a server; `at` in epoch milliseconds. */
export type DoctorState = { look: Look; at: number | undefined }

const RUNNING: Look = { symbol: 'live', tone: 'live', word: 'running' }
const NO_REPORT: Look = { symbol: 'error', tone: 'error', word: 'no report' }

/** The outcome of the last examination of a server, whatever its settings are. */
type Examination = { outcome: 'running' | 'no report' | ExaminedReport; at: number | undefined }
type States = { signature: string; byServer: ReadonlyMap<string, Examination> }

/** Returns the state to show for an examination: *ready* only for a server that is switched on. */
export function doctorState({ outcome, at }: Examination, server: { enabled: boolean }): DoctorState {
  if (typeof outcome === 'object') return { look: reportLook(stateOf(outcome, server)), at }
  return { look: outcome === 'running' ? RUNNING : NO_REPORT, at }
}

function read(queryClient: QueryClient, key: readonly unknown[], projectId: string): States {
  const byServer = new Map<string, Examination>()
  for (const query of queryClient.getQueryCache().findAll({ queryKey: key.slice(0, 2) })) {
    const input = query.queryKey[2] as { projectId: string; serverId: string }
    const { data, error, fetchStatus, dataUpdatedAt, errorUpdatedAt } = query.state
    if (input.projectId !== projectId) continue
    const report = data as ExaminedReport | undefined
    const at = dataUpdatedAt || undefined
    if (fetchStatus === 'fetching') byServer.set(input.serverId, { outcome: 'running', at })
    else if (error) byServer.set(input.serverId, { outcome: 'no report', at: errorUpdatedAt || undefined })
    else if (report) byServer.set(input.serverId, { outcome: report, at })
  }
  const signature = [...byServer]
    .map(([id, { outcome, at }]) => `${id} ${typeof outcome === 'object' ? 'report' : outcome} ${at}`)
    .join('\n')
  return { signature, byServer }
}

/** Restores the reports of an earlier session, except on servers whose examination has begun in this one. */
function restoreReports(queryClient: QueryClient, workspace: Workspace, projectId: string): void {
  for (const { serverId, at, report } of workspace.doctorReports?.of(projectId) ?? []) {
    const { queryKey, gcTime } = doctorQuery(workspace, { projectId, serverId })
    if (queryClient.getQueryState(queryKey)) continue
    queryClient.setQueryDefaults(queryKey, { gcTime: gcTime ?? Infinity })
    queryClient.setQueryData(queryKey, report, { updatedAt: at })
  }
}

/** Returns the doctor's last result for each server of a project; renders again when one changes. */
export function useDoctorStates(projectId: string): ReadonlyMap<string, Examination> {
  const queryClient = useQueryClient()
  const workspace = useWorkspace()
  useEffect(() => restoreReports(queryClient, workspace, projectId), [queryClient, workspace, projectId])
  const store = useMemo(() => {
    const { queryKey } = doctorQuery(workspace, { projectId, serverId: '' })
    let last = read(queryClient, queryKey, projectId)
    return {
      // Other events of the cache arrive during renders, and change no report.
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
