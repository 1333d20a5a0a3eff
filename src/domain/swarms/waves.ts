import type { SwarmOverview } from '../../api/contract/journey-runs.ts'
import { overviewRun, type JourneyRunState, type WaveRun } from '../findings/waves.ts'

/** A journey run as a wave shows it; `ended` are the sessions that came to any end. */
export type RunInWave = WaveRun & { name: string; ended: number | undefined }

/** Runs that were launched together, latest first; a run without a wave is one by itself. */
export type Wave = { id: string; waveId: string | undefined; name: string; runs: readonly RunInWave[]; at: number }

/** What is known of runs here beside what the service last answered, by run. */
export type KnownRuns = Readonly<Record<string, RunInWave>>

type Counts = { succeeded?: number | null; failed?: number | null; rateLimited?: number | null } | null | undefined

/** Sessions that came to any end; undefined where nothing is counted. */
export function endedSessions(summary: Counts): number | undefined {
  const { succeeded, failed, rateLimited } = summary ?? {}
  if (succeeded == null && failed == null && rateLimited == null) return undefined
  return (succeeded ?? 0) + (failed ?? 0) + (rateLimited ?? 0)
}

export function isInFlight({ state }: Pick<WaveRun, 'state'>): boolean {
  return state === 'running'
}

/**
 * The waves of a project, latest first. A run that was seen in flight stays until an answer says how it ended, because
 * a service whose feature was switched off answers nothing. What was stopped here is so, whatever an older answer says.
 */
export function wavesOf(runs: SwarmOverview['runs'], known: KnownRuns): Wave[] {
  const read = (runs ?? []).map((run): RunInWave => {
    const plain = overviewRun(run)
    const isStopped = known[plain.id]?.state === 'canceled'
    const state: JourneyRunState | undefined =
      isStopped && (plain.state === 'running' || plain.state === 'failed_or_canceled') ? 'canceled' : plain.state
    return { ...plain, state, name: plain.journeyName ?? plain.id, ended: endedSessions(run.summary) }
  })
  const ids = new Set(read.map(({ id }) => id))
  const all = [...read, ...Object.values(known).filter(({ id }) => !ids.has(id))]
  const groups = Map.groupBy(all, ({ waveId, id }) => waveId ?? id)
  return [...groups]
    .map(([id, ofWave]) => ({
      id,
      waveId: ofWave[0]?.waveId,
      name: [...new Set(ofWave.map(({ name }) => name))].join(', '),
      runs: ofWave,
      at: Math.max(0, ...ofWave.map(({ at = 0 }) => at)),
    }))
    .toSorted((one, other) => other.at - one.at)
}

/** How many runs of a wave have each state, the most telling state first. */
export function waveStates({ runs }: Pick<Wave, 'runs'>): [state: JourneyRunState | undefined, count: number][] {
  const counts = Map.groupBy(runs, ({ state }) => state)
  return [...counts]
    .map(([state, ofState]): [JourneyRunState | undefined, number] => [state, ofState.length])
    .toSorted(([one], [other]) => rank(one) - rank(other))
}

const ORDER: readonly (JourneyRunState | undefined)[] = [
  'running',
  'failed',
  'stale',
  'failed_or_canceled',
  'canceled',
  'rate_limited',
  'partial',
  'completed',
]

function rank(state: JourneyRunState | undefined): number {
  const at = ORDER.indexOf(state)
  return at === -1 ? ORDER.length : at
}

/** Sessions of a wave that ended, of all; undefined where a run reports no count. */
export function waveProgress({ runs }: Pick<Wave, 'runs'>): { ended: number; total: number } | undefined {
  if (runs.some(({ ended, total }) => ended === undefined || total === undefined)) return undefined
  return {
    ended: runs.reduce((sum, run) => sum + (run.ended ?? 0), 0),
    total: runs.reduce((sum, run) => sum + (run.total ?? 0), 0),
  }
}
