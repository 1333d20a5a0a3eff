import { isConflict } from '../../api/client/errors/api-error.ts'
import { contract } from '../../api/contract/contract.ts'
import { isInFlight, type RunInWave } from '../../domain/swarms/waves.ts'
import { useKnownRuns } from '../../hooks/use-known-runs.ts'
import { useWrite } from '../../hooks/use-write.tsx'
import { UnavailableAction } from '../../tui/keymap/dispatcher.ts'
import { plural } from '../../lib/format.ts'

/** Stops runs in flight, after asking. It stands outside the gate, so that nothing else is checked before. */
export function useStopRuns(projectId: string) {
  const stop = useWrite(contract.journeyRuns.cancel)
  const { know } = useKnownRuns(projectId)
  return async (name: string, runs: readonly RunInWave[]): Promise<void> => {
    const flying = runs.filter(isInFlight)
    if (flying.length === 0) throw new UnavailableAction('Nothing of it is in flight.')
    await stop<{ stopped: number; ended: number }>({
      confirm: {
        title: `Stop ${name}?`,
        lines: [
          `${plural(flying.length, 'run')} in flight: running sessions end, waiting ones never start.`,
          'What was graded so far stays readable. The launch still counts, and what the models used is charged.',
        ],
        action: 'Stop it',
        decline: 'Let it go on',
      },
      start: `Stopping ${name}…`,
      async work({ send }) {
        const results = await Promise.allSettled(
          flying.map(async run => {
            try {
              await send(contract.journeyRuns.cancel, { projectId, runId: run.id })
              know([{ ...run, state: 'canceled' }])
            } catch (error) {
              // It had ended before; a conflict does not report how.
              if (isConflict(error)) know([{ ...run, state: undefined }])
              throw error
            }
          }),
        )
        const failed = results.flatMap(result => (result.status === 'rejected' ? [result.reason as unknown] : []))
        const refused = failed.find(error => !isConflict(error))
        if (refused !== undefined) throw refused
        return { stopped: flying.length - failed.length, ended: failed.length }
      },
      done: ({ stopped, ended }) =>
        ended === 0
          ? `${name} is stopped.`
          : `${name}: ${plural(stopped, 'run')} stopped, ${plural(ended, 'run')} had already ended.`,
    })
  }
}
