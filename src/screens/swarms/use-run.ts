import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { JourneyRun, RunScorecard } from '../../api/contract/journey-runs.ts'
import { journeyRunState } from '../../domain/findings/waves.ts'
import { isInFlight, type RunInWave } from '../../domain/swarms/waves.ts'
import type { Problem } from '../../components/pane-state.tsx'
import { useLiveQueries } from '../../hooks/use-api-query.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'

/** What was read of a run, as far as it could be. */
export type RunRead<T = JourneyRun> = { data: T | undefined; problem: Problem | undefined }

/** Reads runs in full, each until it says itself that it ended: the list may know that before. */
export function useRunDetails(projectId: string, runs: readonly RunInWave[]): readonly RunRead[] {
  const { queries } = useWorkspace()
  return useLiveQueries(
    runs.map(run => queries.journeyRuns.get.options({ projectId, runId: run.id })),
    (data, index) => isInFlight(data ? { state: journeyRunState(data) } : runs[index]!),
  )
}

/** Reads the scorecards of runs, again and again while these are in flight and once more when one has ended. */
export function useScorecards(projectId: string, runs: readonly RunInWave[]): readonly RunRead<RunScorecard>[] {
  const { queries } = useWorkspace()
  const client = useQueryClient()
  const flying = runs.filter(isInFlight).length
  useEffect(() => {
    if (flying === 0) return undefined
    return () => void client.invalidateQueries({ queryKey: ['journeyRuns', 'scorecard'] })
  }, [client, flying])
  return useLiveQueries(
    runs.map(run => queries.journeyRuns.scorecard.options({ projectId, runId: run.id })),
    (data, index) =>
      isInFlight(runs[index]!) || (data?.criteria ?? []).some(({ pendingCount }) => (pendingCount ?? 0) > 0),
  )
}
