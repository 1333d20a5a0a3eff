import { useQueryClient } from '@tanstack/react-query'
import { serviceNow } from '../../api/client/transport/service-time.ts'
import type { Collection } from '../../components/collection/use-collection.ts'
import { useOpening } from '../../components/opening.tsx'
import { useStopRuns } from '../../components/records/use-stop-runs.ts'
import type { SessionRow } from '../../components/conversations/session-row.ts'
import { swarmFeed, runsOfFeed, wavesOf, type RunInWave, type Wave } from '../../domain/swarms/waves.ts'
import { useKnownRuns } from '../../hooks/use-known-runs.ts'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { UnavailableAction } from '../../tui/keymap/dispatcher.ts'
import { useRouter } from '../../tui/router/router-context.tsx'
import { findingsRoute } from '../findings/route.ts'

/** Stops everything in flight that belongs to a record; if it cannot be read now, the last read counts. */
export function useStopAll(projectId: string) {
  const { client, queries } = useWorkspace()
  const queryClient = useQueryClient()
  const opening = useOpening(useRunTask())
  const stop = useStopRuns(projectId)
  const { known } = useKnownRuns(projectId)
  return async (name: string, isOf: (run: RunInWave) => boolean): Promise<void> => {
    const cached = queryClient.getQueryData(queries.journeyRuns.overview.options({ projectId }).queryKey)
    const read = await opening({
      start: 'Reading what is in flight…',
      async work() {
        const overview = await client.journeyRuns.overview({ projectId }).catch(() => undefined)
        if (overview?.runs?.length) return { runs: overview.runs, feed: [] }
        // If the feature is switched off, only the project's sessions show what else may be in flight.
        const feed = await client.sessions.list(swarmFeed(projectId)).catch(() => undefined)
        return { runs: cached?.runs, feed: runsOfFeed(feed?.items ?? [], serviceNow()) }
      },
    })
    if (!read) return
    const runs = wavesOf(read.runs, known, read.feed).flatMap(wave => wave.runs)
    await stop(name, runs.filter(isOf))
  }
}

function useFindings(projectId: string) {
  const router = useRouter()
  return (waveId: string | undefined): void => {
    if (waveId === undefined) throw new UnavailableAction('The service names no wave of it.')
    router.go(findingsRoute.to({ projectId, source: 'swarm', waveId }))
  }
}

/** Returns the actions on waves. */
export function useWaveActions({ on }: Collection<Wave>, projectId: string) {
  const stop = useStopRuns(projectId)
  const findings = useFindings(projectId)
  return {
    stop: on(({ name, runs }) => stop(`the wave of ${name}`, runs)),
    findings: on(({ waveId }) => findings(waveId)),
  }
}

/** Returns the actions on runs of journeys. */
export function useRunActions({ on }: Collection<RunInWave>, projectId: string) {
  const stop = useStopRuns(projectId)
  const findings = useFindings(projectId)
  return { stop: on(run => stop(`the run of ${run.name}`, [run])), findings: on(({ waveId }) => findings(waveId)) }
}

/** Returns the actions on the sessions of a run: stopping stops the run. */
export function useRunSessionActions(_sessions: Collection<SessionRow>, projectId: string, run: RunInWave) {
  const stop = useStopRuns(projectId)
  return { stop: () => stop(`the run of ${run.name}`, [run]) }
}
