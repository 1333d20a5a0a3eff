import { useQueryClient } from '@tanstack/react-query'
import { ApiError } from '../../api/client/errors/api-error.ts'
import { contract } from '../../api/contract/contract.ts'
import type { Collection } from '../../components/collection/use-collection.ts'
import { useOpening } from '../../components/opening.tsx'
import type { SessionRow } from '../../components/conversations/session-row.ts'
import { isInFlight, wavesOf, type RunInWave, type Wave } from '../../domain/swarms/waves.ts'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { useWrite } from '../../hooks/use-write.tsx'
import { UnavailableAction } from '../../tui/keymap/dispatcher.ts'
import { useRouter } from '../../tui/router/router-context.tsx'
import { plural } from '../../tui/theme/format.ts'
import { findingsRoute } from '../findings/route.ts'
import { useKnownRuns } from './use-waves.ts'

/** Stops runs in flight, after asking. It stands outside the gate, so that nothing else is looked at before. */
function useStop(projectId: string) {
  const stop = useWrite(contract.journeyRuns.cancel)
  const { know } = useKnownRuns(projectId)
  return async (name: string, runs: readonly RunInWave[]): Promise<void> => {
    const flying = runs.filter(isInFlight)
    if (flying.length === 0) throw new UnavailableAction('Nothing of it is in flight.')
    await stop<{ stopped: number; ended: number }>({
      confirm: {
        title: `Stop ${name}?`,
        lines: [
          `${plural(flying.length, 'run')} in flight: sessions that run end, sessions that wait never start.`,
          'What was graded so far stays readable. The launch stays used, and what the models took is spent.',
        ],
        action: 'Stop it',
        decline: 'Let it go on',
      },
      start: `Stopping ${name}…`,
      async work({ send }) {
        const results = await Promise.allSettled(
          flying.map(async run => {
            await send(contract.journeyRuns.cancel, { projectId, runId: run.id })
            know([{ ...run, state: 'canceled' }])
          }),
        )
        const failed = results.flatMap(result => (result.status === 'rejected' ? [result.reason as unknown] : []))
        const refused = failed.find(error => !(error instanceof ApiError && error.code === 'CONFLICT'))
        if (refused !== undefined) throw refused
        return { stopped: flying.length - failed.length, ended: failed.length }
      },
      done: ({ stopped, ended }) =>
        ended === 0
          ? `${name} is stopped.`
          : `${name}: ${plural(stopped, 'run')} stopped, ${plural(ended, 'run')} had ended already.`,
    })
  }
}

/** Stops everything in flight that belongs to something; what cannot be read now counts as it was read last. */
export function useStopAll(projectId: string) {
  const { client, queries } = useWorkspace()
  const queryClient = useQueryClient()
  const opening = useOpening(useRunTask())
  const stop = useStop(projectId)
  const { known } = useKnownRuns(projectId)
  return async (name: string, isOf: (run: RunInWave) => boolean): Promise<void> => {
    const cached = queryClient.getQueryData(queries.journeyRuns.overview.options({ projectId }).queryKey)
    const read = await opening({
      start: 'Reading what is in flight…',
      work: () => client.journeyRuns.overview({ projectId }).catch(() => cached ?? {}),
    })
    if (!read) return
    const runs = wavesOf(read.runs, known).flatMap(wave => wave.runs)
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

/** What can be done with waves. */
export function useWaveActions({ on }: Collection<Wave>, projectId: string) {
  const stop = useStop(projectId)
  const findings = useFindings(projectId)
  return {
    stop: on(({ name, runs }) => stop(`the wave of ${name}`, runs)),
    findings: on(({ waveId }) => findings(waveId)),
  }
}

/** What can be done with runs of journeys. */
export function useRunActions({ on }: Collection<RunInWave>, projectId: string) {
  const stop = useStop(projectId)
  const findings = useFindings(projectId)
  return { stop: on(run => stop(`the run of ${run.name}`, [run])), findings: on(({ waveId }) => findings(waveId)) }
}

/** Among the sessions of a run it is the run that is stopped. */
export function useRunSessionActions(_sessions: Collection<SessionRow>, projectId: string, run: RunInWave) {
  const stop = useStop(projectId)
  return { stop: () => stop(`the run of ${run.name}`, [run]) }
}
