import type { Store } from '../core/database/store.ts'
import type { WaveFacts, WaveSubjects } from '../findings/wave-facts.ts'
import { toData } from '../journey-runs/transcript-data.ts'
import type { JourneyRunRow, JourneyTarget } from '../journey-runs/rows.ts'
import { observe } from '../journey-runs/sightings.ts'

type Targets = NonNullable<NonNullable<WaveFacts['runHealth']>['targets']>
type TargetHealth = Targets[number] & Record<'attempted' | 'succeeded' | 'failed' | 'rateLimited', number>

/** Journey runs that were launched together. */
export const swarmWaves: WaveSubjects = {
  has: (store, { projectId }, waveId) => store.journeyRuns.listByWave(projectId, waveId).length > 0,
  inFlight: (store, { projectId }, waveId) =>
    store.journeyRuns.listByWave(projectId, waveId).some(({ status }) => status === 'running'),
  facts(store, { projectId }, waveId) {
    const runs = store.journeyRuns.listByWave(projectId, waveId)
    if (runs.length === 0) return undefined
    const targets = runs.flatMap(run => targetsOf(store, run))
    const journeys = [...new Set(runs.map(({ plan }) => `"${plan.journey.name}"`))].toSorted().join(', ')
    return {
      what: `the wave ${waveId} of ${journeys}`,
      total: targets.reduce((sum, { attempted }) => sum + attempted, 0),
      ...lookedAt(store, runs),
      runHealth: { targets: addedUp(targets) },
    }
  },
  sessions: (store, { projectId }, waveId) =>
    endedRuns(store.journeyRuns.listByWave(projectId, waveId)).flatMap(({ id }) =>
      store.journeySessions
        .listByRun(id)
        .flatMap(({ id: sessionId, messageCount }) =>
          messageCount > 0 ? { sessionId, conversation: toData(store.journeySessions.messages(sessionId), true) } : [],
        ),
    ),
}

/** Those that came to their end, since the others move no findings. */
function endedRuns(runs: readonly JourneyRunRow[]): JourneyRunRow[] {
  return runs.filter(({ status, marker }) => status !== 'running' && marker === null)
}

function lookedAt(
  store: Store,
  runs: readonly JourneyRunRow[],
): Pick<WaveFacts, 'analyzed' | 'gradedCount' | 'affected'> {
  const affected = new Map<string, number>()
  let analyzed = 0
  let gradedCount = 0
  for (const run of endedRuns(runs))
    for (const session of store.journeySessions.listByRun(run.id)) {
      const observed = observe(run, [{ session, messages: store.journeySessions.messages(session.id) }])
      if (!observed) continue
      analyzed++
      if (session.grading === 'graded') gradedCount++
      for (const { fingerprint } of observed.sightings) affected.set(fingerprint, (affected.get(fingerprint) ?? 0) + 1)
    }
  return { analyzed, gradedCount, affected }
}

function targetsOf(store: Store, { id, plan }: JourneyRunRow): TargetHealth[] {
  const targets = plan.targets.map(noAttempts)
  for (const { targetPosition, status, count } of store.journeyRuns.attempts.counts(id)) {
    const target = targets[targetPosition]
    if (!target) continue
    target.attempted += count
    if (status === 'succeeded') target.succeeded += count
    if (status === 'failed') target.failed += count
    if (status === 'rate_limited') target.rateLimited += count
  }
  return targets
}

function noAttempts({ targetId, hostName, environment }: JourneyTarget): TargetHealth {
  return {
    subjectKind: environment ? 'environment' : 'host',
    subjectId: targetId,
    subjectLabel: environment?.name ?? hostName,
    attempted: 0,
    succeeded: 0,
    failed: 0,
    rateLimited: 0,
  }
}

/** Journeys of a wave share targets. */
function addedUp(targets: readonly TargetHealth[]): TargetHealth[] {
  return [...Map.groupBy(targets, ({ subjectId }) => subjectId).values()].map(same =>
    same.reduce((sum, one) => ({
      ...sum,
      attempted: sum.attempted + one.attempted,
      succeeded: sum.succeeded + one.succeeded,
      failed: sum.failed + one.failed,
      rateLimited: sum.rateLimited + one.rateLimited,
    })),
  )
}
