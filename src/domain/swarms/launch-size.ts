import type { SwarmOverview } from '../../api/contract/journey-runs.ts'
import type { Journey } from '../../api/contract/journeys.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'

/** `targets` is unknown for a journey with fixed clients, because its record does not name them. */
export type LaunchSize = { targets: number | undefined; sessionsEach: number | undefined; turns: number | undefined }

/**
 * Returns the size of a launch: targets × sessions each.
 * @param environmentIds replaces the journey's own, if given
 */
export function launchSize(journey: Journey, environmentIds: readonly string[]): LaunchSize {
  const own = environmentIds.length > 0 ? environmentIds : (journey.environmentIds ?? [])
  return {
    targets: own.length > 0 ? own.length : undefined,
    sessionsEach: journey.sessionsPerTarget ?? undefined,
    turns: journey.maxTurns ?? undefined,
  }
}

/** Returns the total number of sessions; undefined if one part is unknown. */
export function sessionsIn({ targets, sessionsEach }: LaunchSize): number | undefined {
  return targets === undefined || sessionsEach === undefined ? undefined : targets * sessionsEach
}

const DAY_MS = 24 * 60 * 60_000

/**
 * Returns the number of runs of a project that the overview shows as started since 00:00 UTC. At least as many launches
 * are used up.
 */
export function launchedToday(overview: SwarmOverview | undefined, now: number): number {
  return (overview?.runs ?? []).filter(({ createdAt }) => (toEpochMs(createdAt) ?? 0) >= now - (now % DAY_MS)).length
}
