import { useQueries } from '@tanstack/react-query'
import type { JourneyRun } from '../../api/contract/journey-runs.ts'
import { describeError } from '../../api/client/errors/error-text.ts'
import { isInFlight, type RunInWave } from '../../domain/swarms/waves.ts'
import type { Problem } from '../../components/pane-state.tsx'
import { usePoll } from '../../hooks/use-poll.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'

/** A run in full as far as it could be read. */
export type RunRead = { data: JourneyRun | undefined; problem: Problem | undefined }

/** Reads runs in full, again and again as long as they are in flight. */
export function useRunDetails(projectId: string, runs: readonly RunInWave[]): readonly RunRead[] {
  const { queries } = useWorkspace()
  const flying = runs.filter(isInFlight).length
  const interval = usePoll({ live: flying > 0, requestsEach: Math.max(1, flying) })
  return useQueries({
    queries: runs.map(run => ({
      ...queries.journeyRuns.get.options({ projectId, runId: run.id }),
      refetchInterval: isInFlight(run) && interval,
    })),
    combine: results => results.map(({ data, error }) => ({ data, problem: error ? describeError(error) : undefined })),
  })
}
