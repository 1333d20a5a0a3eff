import { greatest, least } from '../../lib/extremes.ts'
import type { JourneyRun, SwarmOverview } from '../../api/contract/journey-runs.ts'
import type { SessionSummary } from '../../api/contract/sessions.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { overviewRun, shownState, type JourneyRunState, type WaveRun } from '../findings/waves.ts'

/** A journey run as part of a wave. `ended` counts the sessions that ended in any way. */
export type RunInWave = WaveRun & { name: string; ended: number | undefined }

/** Runs that were launched together, latest first. A run without a wave is a wave of its own. */
export type Wave = { id: string; waveId: string | undefined; name: string; runs: readonly RunInWave[]; at: number }

/** Facts about runs in addition to the service's last answer, by run. */
export type KnownRuns = Readonly<Record<string, RunInWave>>

type Counts = { succeeded?: number | null; failed?: number | null; rateLimited?: number | null } | null | undefined

/** Returns the number of sessions that ended in any way; undefined if nothing is counted. */
export function endedSessions(summary: Counts): number | undefined {
  const { succeeded, failed, rateLimited } = summary ?? {}
  if (succeeded == null && failed == null && rateLimited == null) return undefined
  return (succeeded ?? 0) + (failed ?? 0) + (rateLimited ?? 0)
}

type Grades = Pick<JourneyRun, 'sessionsGraded' | 'failCount' | 'failedGradingCount'>

/** Returns the grades of a run in words; undefined if the service does not report them. */
export function gradesText({ sessionsGraded, failCount, failedGradingCount }: Grades): string | undefined {
  const graded = sessionsGraded == null ? '' : `${sessionsGraded} graded, ${failCount ?? 0} missed goal or criteria`
  const broken = failedGradingCount ? `${failedGradingCount} could not be graded` : ''
  return [graded, broken].filter(Boolean).join(', ') || undefined
}

/**
 * Returns the number of finished sessions of some runs without a grade, because the grader failed or has not reached
 * them. A run without any grades does not say which (contract: "Arithmetic traps").
 */
export function ungradedSessions(runs: SwarmOverview['runs']): number {
  return (runs ?? []).reduce(
    (sum, { summary, goalCompletion }) =>
      sum + Math.max(0, (summary?.succeeded ?? 0) - (goalCompletion?.gradedCount ?? 0)),
    0,
  )
}

/** The state of a run that recently had a session, while the service returns nothing else about it. */
export const UNCONFIRMED = 'unconfirmed'

/** Whether a run is in flight, or may be, so that it can be stopped. */
export function isInFlight({ state }: Pick<WaveRun, 'state'>): boolean {
  return state === 'running' || state === UNCONFIRMED
}

/** Milliseconds after its last activity in which a session makes its run count as in flight. */
const SIGN_MS = 30 * 60_000

/** Returns how to read the most recently active sessions of journeys. */
export function swarmFeed(projectId: string) {
  return { projectId, sourceType: 'swarm', limit: 50 } as const
}

/**
 * Returns the runs of a session feed that may be in flight. The feed is not gated (contract: "Feature gate"), so an
 * unknown wave is found even while the feature is off.
 */
export function runsOfFeed(sessions: readonly SessionSummary[], now: number): RunInWave[] {
  const runs = sessions.flatMap(({ parentRef, startedAt, lastActivityAt, title }): RunInWave[] => {
    const id = parentRef?.journeyRunId
    const at = toEpochMs(startedAt) ?? toEpochMs(lastActivityAt)
    if (id == null || (toEpochMs(lastActivityAt) ?? at ?? 0) < now - SIGN_MS) return []
    const name = parentRef?.label ?? title ?? id
    const journey = { journeyId: parentRef?.journeyRefId ?? undefined, journeyName: name }
    const unknown = { waveId: undefined, total: undefined, failed: undefined, ended: undefined }
    return [{ ...unknown, ...journey, id, name, state: UNCONFIRMED, at }]
  })
  return [...new Map(runs.map(run => [run.id, run])).values()]
}

/**
 * Returns the waves of a project, latest first. A run seen in flight stays until an answer says how it ended, because a
 * service whose feature was switched off returns nothing. A run that is older than all answers is removed. A run
 * stopped here counts as stopped, even if an older answer differs. `feed` contains runs known only by their sessions.
 */
export function wavesOf(runs: SwarmOverview['runs'], known: KnownRuns, feed: readonly RunInWave[] = []): Wave[] {
  const read = (runs ?? []).map((run): RunInWave => {
    const plain = overviewRun(run)
    const here = known[plain.id]
    const isStopped = here?.state === 'canceled'
    const isOver = here !== undefined && !isInFlight(here)
    const state: JourneyRunState | undefined =
      (isOver && plain.state === 'running') || (isStopped && plain.state === 'failed_or_canceled')
        ? here.state
        : plain.state
    return { ...plain, state, name: plain.journeyName ?? plain.id, ended: endedSessions(run.summary) }
  })
  const ids = new Set(read.map(({ id }) => id))
  const oldest = least(read.map(({ at = 0 }) => at))
  const others = Object.values(known).filter(({ id, at = 0 }) => !ids.has(id) && (read.length === 0 || at >= oldest))
  const found = feed.filter(({ id }) => !ids.has(id) && known[id] === undefined)
  const all = [...read, ...others, ...found]
  const groups = Map.groupBy(all, ({ waveId, id }) => waveId ?? id)
  return [...groups]
    .map(([id, ofWave]) => ({
      id,
      waveId: ofWave[0]?.waveId,
      name: [...new Set(ofWave.map(({ name }) => name))].join(', '),
      runs: ofWave,
      at: Math.max(0, greatest(ofWave.map(({ at = 0 }) => at))),
    }))
    .toSorted((one, other) => other.at - one.at)
}

/**
 * Returns the runs to remember on this machine: those whose end is now known, and those that started, up to the limit.
 */
export function worthKnowing(waves: readonly Wave[], known: KnownRuns): RunInWave[] {
  const runs = waves.flatMap(wave => wave.runs)
  const changed = runs.filter(run => {
    const here = known[run.id]
    return here !== undefined && (here.state !== run.state || here.ended !== run.ended)
  })
  const begun = runs.filter(run => known[run.id] === undefined && run.state === 'running')
  return [...changed, ...begun.slice(0, BOUNDS.waveRuns.most)]
}

/** Returns the number of a wave's runs in each state, most important state first. */
export function waveStates({ runs }: Pick<Wave, 'runs'>): [state: JourneyRunState | undefined, count: number][] {
  const counts = Map.groupBy(runs, shownState)
  return [...counts]
    .map(([state, ofState]): [JourneyRunState | undefined, number] => [state, ofState.length])
    .toSorted(([one], [other]) => rank(one) - rank(other))
}

const ORDER: readonly (JourneyRunState | undefined)[] = [
  'running',
  UNCONFIRMED,
  'failed',
  'stale',
  'failed_or_canceled',
  'canceled',
  'rate_limited',
  'partial',
  'missed',
  'ungraded',
  'unjudged',
  'completed',
]

function rank(state: JourneyRunState | undefined): number {
  const at = ORDER.indexOf(state)
  return at === -1 ? ORDER.length : at
}

/** Returns the number of ended sessions of a wave, and of all; undefined if a run reports no count. */
export function waveProgress({ runs }: Pick<Wave, 'runs'>): { ended: number; total: number } | undefined {
  if (runs.some(({ ended, total }) => ended === undefined || total === undefined)) return undefined
  return {
    ended: runs.reduce((sum, run) => sum + (run.ended ?? 0), 0),
    total: runs.reduce((sum, run) => sum + (run.total ?? 0), 0),
  }
}
