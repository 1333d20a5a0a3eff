import type { SwarmOverview } from '../../api/contract/journey-run-shapes.ts'
import { tallyOf } from '../journey-runs/records.ts'
import { countSessions } from '../journeys/run-status.ts'
import type { JourneyRunRow } from '../journey-runs/rows.ts'
import type { Store } from '../workspace/store.ts'
import { overviewOf, type ConsideredRun } from '../journey-runs/overview.ts'

/** How many of the latest runs of a project are rolled up. */
export const OVERVIEW_RUNS = 50

/** The overview of a project; runs inside the caller's transaction. */
export function readOverview(store: Store, projectId: string): SwarmOverview {
  return overviewOf(store.journeyRuns.recent(projectId, OVERVIEW_RUNS).map(run => consider(store, run)))
}

/** Names are those of the launch; whether the journey is archived is what holds now. */
function consider(store: Store, run: JourneyRunRow): ConsideredRun {
  const { id, projectId, journeyId, plan, status, marker, waveId, createdAt } = run
  const journey = store.journeys.get(projectId, journeyId)
  return {
    runId: id,
    journeyId,
    journeyName: plan.journey.name,
    journeyArchived: journey?.archivedAt != null,
    personaName: plan.persona.name,
    status,
    canceled: marker === 'canceled',
    stale: marker === 'stale',
    waveId,
    summary: countSessions(store.journeyRuns.attempts.counts(id)),
    tally: tallyOf(store, run),
    targets: plan.targets.map(({ hostName, modelId, environment }) => ({
      hostName,
      modelId,
      ...(environment?.name != null && { environmentName: environment.name }),
    })),
    createdAt,
  }
}
