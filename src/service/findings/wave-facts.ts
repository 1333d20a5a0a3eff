import { parseStored } from '../../lib/json-depth.ts'
import { utcDay } from '../../lib/times.ts'
import type { InsightsEnvelope } from '../../api/contract/insight-shapes.ts'
import { toData } from '../journey-runs/transcript-data.ts'
import { observe } from '../journey-runs/sightings.ts'
import { toSighting } from '../scenarios/signals.ts'
import type { Mined } from '../scenarios/windows.ts'
import type { FindingScope } from '../store/findings.ts'
import type { JourneyRunRow, JourneyTarget } from '../journey-runs/rows.ts'
import type { Store } from '../workspace/store.ts'
import type { SessionText } from './discovery.ts'

type RunHealth = NonNullable<InsightsEnvelope['runHealth']>
type TargetHealth = NonNullable<RunHealth['targets']>[number] &
  Record<'attempted' | 'succeeded' | 'failed' | 'rateLimited', number>

/** What a wave or window consists of, counted. */
export type WaveFacts = {
  /** What it is, for a sentence. */
  what: string
  /** Sessions there are, and those of them that were looked at. */
  total: number
  analyzed: number
  gradedCount?: number
  feedbackCount?: number
  runHealth?: RunHealth
  /** Sessions that a failure was seen in, by fingerprint; what is missing is told by the evidence alone. */
  affected: ReadonlyMap<string, number>
}

/** Waves, or windows, as insights read them. */
export type WaveSubjects = {
  has(store: Store, scope: FindingScope, waveId: string): boolean
  /** Whether it is not over, so that there is more to come. */
  inFlight(store: Store, scope: FindingScope, waveId: string): boolean
  /** Undefined = it is gone. */
  facts(store: Store, scope: FindingScope, waveId: string): WaveFacts | undefined
  /** What was said, for kinds of insights that have a discovery lane. */
  sessions?(store: Store, scope: FindingScope, waveId: string): SessionText[]
}

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
          messageCount > 0
            ? { sessionId, conversation: toData(store.journeySessions.messages(sessionId), true) }
            : [],
        ),
    ),
}

/** Days of a scenario, whose id is the scope. */
export const scenarioWindows: WaveSubjects = {
  has: (store, { projectId, scope }, windowId) =>
    store.scenarios.get(projectId, scope) !== undefined &&
    store.visitorSessions.windows.get(scope, windowId) !== undefined,
  // What came so far can be looked at, and again by force.
  inFlight: () => false,
  facts(store, { projectId, scope }, windowId) {
    const scenario = store.scenarios.get(projectId, scope)
    const window = scenario && store.visitorSessions.windows.get(scope, windowId)
    if (!window) return undefined
    const { startAt, endAt } = window
    const { sessionCount, signals } = parseStored(window.signals) as Mined
    const sessions = store.visitorSessions.startedBetween(scope, startAt, endAt)
    return {
      what: `the sessions of visitors with "${scenario.name}" from ${utcDay(startAt)}`,
      total: sessions.length,
      analyzed: sessionCount,
      feedbackCount: sessions.filter(({ feedbackCount }) => feedbackCount > 0).length,
      affected: new Map(signals.map(signal => [toSighting(signal).fingerprint, signal.sessionCount])),
    }
  },
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
      for (const { fingerprint } of observed.sightings)
        affected.set(fingerprint, (affected.get(fingerprint) ?? 0) + 1)
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
