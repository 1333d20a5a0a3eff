import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { JourneyRun } from '../../api/contract/journey-runs.ts'
import { journeyRunState } from '../../domain/findings/waves.ts'
import { isInFlight, type RunInWave } from '../../domain/swarms/waves.ts'
import type { Problem } from '../../components/pane-state.tsx'
import type { Line } from '../../components/viewer.tsx'
import { useLiveQueries } from '../../hooks/use-api-query.ts'
import { idOf } from '../../hooks/use-each.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { plural } from '../../lib/format.ts'

/** The data of a run, as far as it could be read. */
export type RunRead = { data: JourneyRun | undefined; problem: Problem | undefined }

/** Reads runs in full, each until its own record shows its end: the list may show the end earlier. */
export function useRunDetails(projectId: string, runs: readonly RunInWave[]) {
  const { queries } = useWorkspace()
  return useLiveQueries(runs, {
    nameOf: idOf,
    options: run => queries.journeyRuns.get.options({ projectId, runId: run.id }),
    isLive: (data, run) => isInFlight(data ? { state: journeyRunState(data) } : run),
  })
}

/** Reads the scorecards of runs, repeatedly while these are in flight and again when one has ended. */
export function useScorecards(projectId: string, runs: readonly RunInWave[]) {
  const { queries } = useWorkspace()
  const client = useQueryClient()
  const flying = runs.filter(isInFlight).length
  useEffect(() => {
    if (flying === 0) return undefined
    return () => void client.invalidateQueries({ queryKey: ['journeyRuns', 'scorecard'] })
  }, [client, flying])
  return useLiveQueries(runs, {
    nameOf: idOf,
    options: run => queries.journeyRuns.scorecard.options({ projectId, runId: run.id }),
    isLive: (data, run) =>
      isInFlight(run) || (data?.criteria ?? []).some(({ pendingCount }) => (pendingCount ?? 0) > 0),
  })
}

/** Says how many runs of a wave are not read, below those that are. */
export function leftLines(left: number): Line[] {
  return left === 0
    ? []
    : ['', { text: `${plural(left, 'further run')} of the wave: open one to read it.`, tone: 'muted' }]
}
