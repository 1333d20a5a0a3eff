import { ServiceError } from '../core/errors.ts'
import { documentOf } from '../findings/envelopes.ts'
import { createGeneration, type InsightsSubject } from '../findings/generation.ts'
import { scopeOf, type WaveFacts, type WaveSubjects } from '../findings/records.ts'
import type { ProjectRow } from '../core/database/rows.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import type { Store } from '../core/database/store.ts'
import { toData } from '../journey-runs/grading.ts'
import type { JourneyRunRow, JourneyTarget } from '../journey-runs/rows.ts'
import { observe } from '../journey-runs/sightings.ts'
type WaveCall = { project: ProjectRow; params: { waveId: string } }

export function waveInsightHandlers(context: ServiceContext): Handlers['waveInsights'] {
  const { store } = context
  const generation = createGeneration(context, 'wave-insights', swarmWaves)
  const subjectOf = ({ project, params: { waveId } }: WaveCall): InsightsSubject => ({
    scope: scopeOf(project.id, { kind: 'swarm' }),
    waveId,
  })
  return {
    get(call) {
      const subject = subjectOf(call)
      const { waveId } = subject
      const row = generation.get(subject)
      if (!row) throw new ServiceError('NOT_FOUND', `No insights were requested for the wave ${waveId}.`)
      const { status, errorCode, errorMessage, updatedAt } = row
      const document = documentOf(store, subject.scope, row)
      const { discovery = null, ...insights } = document ?? {}
      return { waveId, status, insights: document && insights, discovery, errorCode, errorMessage, updatedAt }
    },
    request(call) {
      const { project, caller, params, body } = call
      const { organizationId } = caller
      generation.request(subjectOf(call), { organizationId, force: body?.force ?? false })
      return { waveId: params.waveId, projectId: project.id, status: 'pending' }
    },
    cancel(call) {
      const { waveId } = call.params
      const subject = subjectOf(call)
      if (!swarmWaves.has(store, subject.scope, waveId))
        throw new ServiceError('NOT_FOUND', `There is no wave ${waveId} in this project.`)
      if (!generation.cancel(subject))
        throw new ServiceError('CONFLICT', `No insights of the wave ${waveId} are being generated.`)
      return { waveId, projectId: call.project.id, canceled: true }
    },
  }
}

type Targets = NonNullable<NonNullable<WaveFacts['runHealth']>['targets']>
type TargetHealth = Targets[number] & Record<'attempted' | 'succeeded' | 'failed' | 'rateLimited', number>

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

/** Returns the runs that ended normally, because only those change findings. */
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

/** Sums up the results by target, since journeys of a wave share targets. */
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
