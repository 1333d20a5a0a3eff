import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { contract } from '../../api/contract/contract.ts'
import { cachedItems } from '../../api/client/cache/cached.ts'
import { stateOf, type ExaminedReport } from '../../domain/servers/findings.ts'
import { describeError } from '../../api/client/errors/error-text.ts'
import type { ServerCheck } from '../../domain/now/memory.ts'
import { nowMemoryOf } from '../../hooks/use-now-memory.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'

/** Saves every report of the doctor on a server, so that Now has it later; renders nothing. */
export function RecordChecks() {
  const queryClient = useQueryClient()
  const workspace = useWorkspace()
  const memory = nowMemoryOf(workspace)
  const reports = workspace.doctorReports
  useEffect(
    () =>
      queryClient.getQueryCache().subscribe(event => {
        if (event.type !== 'updated') return
        if (event.action.type !== 'success' && event.action.type !== 'error') return
        // Data that was set in the cache manually comes from the saved reports.
        if (event.action.type === 'success' && event.action.manual) return
        const check = checkOf(event.query, queryClient)
        if (!check) return
        memory.noteCheck(check)
        if (event.action.type === 'success') reports?.keep(check, event.query.state.data as ExaminedReport)
      }),
    [queryClient, memory, reports],
  )
  return null
}

function checkOf({ queryKey, state }: Query, queryClient: QueryClient): ServerCheck | undefined {
  const { resource, name } = contract.servers.doctor
  if (queryKey[0] !== resource || queryKey[1] !== name) return undefined
  const { projectId, serverId } = queryKey[2] as { projectId: string; serverId: string }
  const servers = cachedItems(queryClient, contract.servers.list)
  const server = servers.find(({ item }) => item.id === serverId)?.item
  const common = { projectId, serverId, name: server?.name }
  if (state.error) {
    const { title } = describeError(state.error)
    return { ...common, status: 'no-report', why: title, at: state.errorUpdatedAt }
  }
  const report = state.data as ExaminedReport | undefined
  if (!report) return undefined
  return {
    ...common,
    status: stateOf(report, { enabled: server?.enabled }),
    why: whyOf(report),
    at: state.dataUpdatedAt,
  }
}

/** Returns the first problem that the report names. */
function whyOf(report: ExaminedReport): string | undefined {
  if (report.status === 'ready') return report.findings.find(({ kind }) => kind === 'wrong')?.text
  if (report.error) return report.error.message
  const failed = Object.values(report.checks).find(check => check?.status === 'error')
  return failed?.detail ?? undefined
}
