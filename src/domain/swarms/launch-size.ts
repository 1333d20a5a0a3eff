import type { SwarmOverview } from '../../api/contract/journey-runs.ts'
import type { Journey } from '../../api/contract/journeys.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'

/** `targets` is unknown for a journey that is pinned to clients: its record does not name them. */
export type LaunchSize = { targets: number | undefined; sessionsEach: number | undefined; turns: number | undefined }

/** What a launch fans out to: targets × sessions each. @param environmentIds in place of the journey's own, if any */
export function launchSize(journey: Journey, environmentIds: readonly string[]): LaunchSize {
  const own = environmentIds.length > 0 ? environmentIds : (journey.environmentIds ?? [])
  return {
    targets: own.length > 0 ? own.length : undefined,
    sessionsEach: journey.sessionsPerTarget ?? undefined,
    turns: journey.maxTurns ?? undefined,
  }
}

/** Sessions in all; undefined where one part is unknown. */
export function sessionsIn({ targets, sessionsEach }: LaunchSize): number | undefined {
  return targets === undefined || sessionsEach === undefined ? undefined : targets * sessionsEach
}

const DAY_MS = 24 * 60 * 60_000

/** Runs of a project that the overview knows to have begun since 00:00 UTC: at least so many launches are used. */
export function launchedToday(overview: SwarmOverview | undefined, now: number): number {
  return (overview?.runs ?? []).filter(({ createdAt }) => (toEpochMs(createdAt) ?? 0) >= now - (now % DAY_MS)).length
}
