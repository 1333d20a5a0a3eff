import { greatest, least } from '../../lib/extremes.ts'
import { asksModel, type EvalRun } from '../../api/contract/runs.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { EvalCase, EvalSuiteDetail } from '../../api/contract/suites.ts'

/** The numbers of things that a launch will execute. */
export type LaunchSize = {
  cases: number
  /** Minimum and maximum iterations of the cases; both 0 if there are none. */
  iterations: { least: number; most: number }
  /** Number of trials of one target. A run group executes them for each. */
  trials: number
}

type SizedCase = Pick<EvalCase, 'iterations' | 'models' | 'steps'>

/**
 * Counts what a launch executes: a case's iterations, or the suite's minimum if that is higher, unless the launch sets
 * them. A case with several models counts once for each, unless one model replaces all of them.
 */
export function launchSize(
  { settings }: Pick<EvalSuiteDetail, 'settings'>,
  cases: readonly SizedCase[],
  { iterations, oneModel }: { iterations?: number | undefined; oneModel: boolean },
): LaunchSize {
  const floor = settings?.minimumIterations ?? 1
  const counts = cases.map(each => iterations ?? Math.max(each.iterations ?? 1, floor))
  const trials = cases.map((each, index) => counts[index]! * (oneModel ? 1 : executionsOf(each)))
  return {
    cases: cases.length,
    iterations: { least: cases.length === 0 ? 0 : least(counts), most: Math.max(0, greatest(counts)) },
    trials: trials.reduce((sum, count) => sum + count, 0),
  }
}

function executionsOf(sized: SizedCase): number {
  return asksModel(sized) ? Math.max(1, sized.models?.length ?? 0) : 1
}

/** The durations of a suite's runs, in milliseconds. */
export type EarlierDurations = { runs: number; median: number; least: number; most: number }

/** Number of runs, enough to tell a usual duration from an unusual one. */
const LATEST_RUNS = 5

/** Returns the durations of the latest runs that executed completely; undefined if there are none. */
export function earlierDurations(
  runs: readonly Pick<EvalRun, 'status' | 'createdAt' | 'completedAt'>[],
): EarlierDurations | undefined {
  const lengths = runs
    .filter(({ status }) => status === 'completed')
    .flatMap(({ createdAt, completedAt }) => {
      const [began, ended] = [toEpochMs(createdAt), toEpochMs(completedAt)]
      return began === undefined || ended === undefined || ended < began ? [] : [ended - began]
    })
    .slice(0, LATEST_RUNS)
    .toSorted((one, other) => one - other)
  if (lengths.length === 0) return undefined
  const middle = lengths[Math.floor((lengths.length - 1) / 2)]!
  return { runs: lengths.length, median: middle, least: lengths[0]!, most: lengths.at(-1)! }
}
