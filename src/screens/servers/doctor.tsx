import { useMemo, useSyncExternalStore } from 'react'
import { useKeyName } from '../../tui/keymap/use-bindings.ts'
import { formatAgo } from '../../tui/theme/format.ts'
import type { DoctorSteps, StepsTaken } from '../../domain/servers/steps.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { serviceTime } from '../../api/client/transport/service-time.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { PaneState, Sentence } from '../../components/pane-state.tsx'
import { Viewer, type Line } from '../../components/viewer.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { serversKeys } from './bindings.ts'
import { doctorQuery, useManualQuery } from './checks.ts'
import { reportLines, runningLines } from './doctor-lines.ts'
import type { TabProps } from './tab.ts'
import { useNow } from './use-now.ts'

/** The doctor's last report on a server; it examines only when asked. */
export function Doctor(props: TabProps) {
  const { projectId, server, focused } = props
  const { symbols } = useTheme()
  const workspace = useWorkspace()
  const report = useManualQuery(doctorQuery(workspace, { projectId, serverId: server.id }))
  const steps = useSteps(workspace.doctorSteps, server.id)
  const { data, running } = report
  const now = useNow()
  const key = useKeyName()
  const lines = useMemo<Line[]>(() => {
    const shown = data ? reportLines(data, symbols) : []
    if (running)
      return [...runningLines(symbols, steps), ...(data ? ['', ageLine(data.generatedAt, now), ...shown] : [])]
    return data ? [ageLine(data.generatedAt, now), ...shown] : []
  }, [data, running, symbols, now, steps])
  if (running) return <Viewer lines={lines} focused={focused} />
  if (!report.hasData && !report.problem) {
    return (
      <>
        <Sentence tone="plain" text={`No doctor report on ${server.name} yet.`} />
        <Sentence tone="muted" text={`Press ${key(serversKeys, 'doctor')} to connect and check each step.`} />
      </>
    )
  }
  return (
    <PaneState data={report} loading="">
      <Viewer lines={lines} focused={focused} />
    </PaneState>
  )
}

/** The steps that have ended of an examination under way; undefined where the service does not report them. */
function useSteps(steps: DoctorSteps | undefined, serverId: string): StepsTaken | undefined {
  return useSyncExternalStore(steps?.subscribe ?? unchanging, () => steps?.of(serverId))
}

const unchanging = (): (() => void) => () => undefined

function ageLine(generatedAt: number | string, now: number): Line {
  return { text: `Examined ${formatAgo(toEpochMs(generatedAt), serviceTime(now))}`, tone: 'muted' }
}
