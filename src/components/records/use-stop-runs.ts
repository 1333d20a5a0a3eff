import { isConflict } from '../../api/client/errors/api-error.ts'
import { contract } from '../../api/contract/contract.ts'
import { stopRuns } from '../../domain/swarms/actions.ts'
import { isInFlight, type RunInWave } from '../../domain/swarms/waves.ts'
import { useKnownRuns } from '../../hooks/use-known-runs.ts'
import { useAction } from '../../hooks/use-write.tsx'
import { UnavailableAction } from '../../tui/keymap/dispatcher.ts'

/**
 * Stops runs in flight, after asking. The service allows that even if the feature gate is off, so nothing is checked
 * first.
 */
export function useStopRuns(projectId: string) {
  const stop = useAction(stopRuns)
  const { know } = useKnownRuns(projectId)
  return async (name: string, runs: readonly RunInWave[]): Promise<void> => {
    const flying = runs.filter(isInFlight)
    if (flying.length === 0) throw new UnavailableAction('Nothing of it is in flight.')
    const of = { name, flying: flying.length }
    await stop(of, {
      async work({ send }) {
        const results = await Promise.allSettled(
          flying.map(async run => {
            try {
              await send(contract.journeyRuns.cancel, { projectId, runId: run.id })
              know([{ ...run, state: 'canceled' }])
            } catch (error) {
              // The run had ended before; the conflict does not say how.
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
    })
  }
}
