import { greatest } from '../../lib/extremes.ts'
import { isTerminalRunStatus } from '../../api/contract/runs.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { Project } from '../../api/contract/projects.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import { onceFor } from '../../lib/once-for.ts'
import type { Worth } from './plan.ts'

const JUST_NOW_MS = 60 * 60_000
const LATELY_MS = 48 * JUST_NOW_MS

/** A project with its suites as last read, now or earlier. */
type Known = { project: Pick<Project, 'id' | 'updatedAt'>; suites: readonly Pick<EvalSuite, 'latestRun'>[] | undefined }

/** Whether the suite's record says that its last run has failures, did not complete, or is in flight. */
export function needsAttention(suite: Pick<EvalSuite, 'latestRun'>): boolean {
  return isInFlight(suite) || (suite.latestRun?.failed ?? 0) > 0 || endedBadly(suite)
}

/** Whether the suite's record says that its last run ended and was neither completed nor cancelled. */
export function endedBadly({ latestRun }: Pick<EvalSuite, 'latestRun'>): boolean {
  const { status } = latestRun ?? {}
  return status != null && isTerminalRunStatus(status) && status !== 'completed' && status !== 'cancelled'
}

/** Whether the suite's record says that its last run is in flight. */
export function isInFlight({ latestRun }: Pick<EvalSuite, 'latestRun'>): boolean {
  return latestRun?.status != null && !isTerminalRunStatus(latestRun.status)
}

const NONE: readonly Pick<EvalSuite, 'latestRun'>[] = []

const movesOf = onceFor((suites: NonNullable<Known['suites']>) => ({
  lastRun: Math.max(0, greatest(suites.map(({ latestRun }) => toEpochMs(latestRun?.createdAt) ?? 0))),
  isRed: suites.some(needsAttention),
  runs: suites.some(isInFlight),
}))

/**
 * Returns the worth of reading each project, by id: projects with running or failing suites first, then by their last
 * run, then by their own last change.
 * @param first the project that the person used last, which comes first
 * @param now the service's time, in epoch milliseconds
 */
export function worthOf(all: readonly Known[], first: string | undefined, now: number): ReadonlyMap<string, Worth> {
  const ranked = all
    .map(({ project, suites = NONE }) => {
      const { lastRun, isRed, runs } = movesOf(suites)
      const isHot = isRed || lastRun > now - JUST_NOW_MS
      const movement: Worth['movement'] = runs ? 3 : isHot ? 2 : lastRun > now - LATELY_MS ? 1 : 0
      const changed = toEpochMs(project.updatedAt) ?? 0
      return {
        id: project.id,
        movement,
        order: [Number(project.id === first), Number(isRed), movement, lastRun, changed],
      }
    })
    .sort((one, other) => latestFirst(one.order, other.order))
  return new Map(ranked.map(({ id, movement }, place) => [id, { place, movement }]))
}

function latestFirst(one: readonly number[], other: readonly number[]): number {
  return one.map((value, index) => other[index]! - value).find(difference => difference !== 0) ?? 0
}
