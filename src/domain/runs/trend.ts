import { toEpochMs } from '../../api/contract/shapes.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { reportedRate, reportRun } from './suite-state.ts'

/** Successive values around a mean, starting at this index. */
export type Level = { from: number; mean: number }
/** A number for each run, oldest first, and its levels. */
export type Figure = { values: readonly (number | undefined)[]; levels: readonly Level[] }
/** Pass rates from 0 to 1, unknown for partial runs, and durations in milliseconds. */
export type RunTrend = { rate: Figure; took: Figure }

/** Minimum distance between the means of two levels: as shares, and as natural logarithms of durations. */
const LEAST = { rate: 0.05, took: Math.log(1.25) }
/** Minimum number of values in a level. A single one is an outlier. */
const LEAST_VALUES = 2
/**
 * Minimum improvement of the fit that a change must bring, as a factor times the variance and the logarithm of the
 * number of values.
 */
const PENALTY = 3
/** Median distance between neighbors in normal noise, as a multiple of its standard deviation. */
const NOISE = 0.954

/**
 * Returns how a suite's runs developed over time.
 * @param runs oldest first
 */
export function runTrend(runs: readonly EvalRun[]): RunTrend {
  const rates = runs.map(rateOf)
  const took = runs.map(tookMs)
  const times = levelsOf(
    took.map(time => time && Math.log(time)),
    LEAST.took,
  )
  return {
    rate: { values: rates, levels: levelsOf(rates, LEAST.rate) },
    took: { values: took, levels: times.map(({ from, mean }) => ({ from, mean: Math.exp(mean) })) },
  }
}

/** Returns the duration of a run in milliseconds, if reported. */
export function tookMs(run: EvalRun): number | undefined {
  const from = toEpochMs(run.createdAt)
  const to = toEpochMs(run.completedAt)
  return from === undefined || to === undefined ? undefined : to - from
}

/** Returns the pass rate of a run; undefined for a partial run, which says nothing about the suite. */
function rateOf(run: EvalRun): number | undefined {
  const report = reportRun(run)
  const { cases, isRerun } = report.coverage
  return isRerun || (cases && cases.selected < cases.total) ? undefined : reportedRate(report)
}

export function levelAt({ levels }: Figure, index: number): { level: Level; before: Level } | undefined {
  const at = levels.findLastIndex(({ from }) => from <= index)
  return at < 1 ? undefined : { level: levels[at]!, before: levels[at - 1]! }
}

/**
 * Returns the levels of ordered values. They are split at the change that explains most, until noise could explain it
 * as well.
 * @param least minimum distance of two means
 */
export function levelsOf(values: readonly (number | undefined)[], least: number): Level[] {
  const known = values.flatMap((value, at) => (value !== undefined && Number.isFinite(value) ? [{ at, value }] : []))
  if (known.length === 0) return []
  const sums = new Float64Array(known.length + 1)
  const smooth = withoutOutliers(known.map(({ value }) => value))
  smooth.forEach((value, index) => (sums[index + 1] = sums[index]! + value))
  const mean = (from: number, to: number): number => (sums[to]! - sums[from]!) / (to - from)
  const noise = Math.max(least / 2, noiseOf(known.map(({ value }) => value)))
  const wanted = PENALTY * noise * noise * Math.log(known.length)
  const starts = [0]
  const open: [from: number, to: number][] = [[0, known.length]]
  for (let next = open.pop(); next; next = open.pop()) {
    const [from, to] = next
    const best = { at: 0, gain: wanted }
    for (let at = from + LEAST_VALUES; at <= to - LEAST_VALUES; at += 1) {
      const distance = Math.abs(mean(from, at) - mean(at, to))
      const gain = (distance * distance * (at - from) * (to - at)) / (to - from)
      if (distance >= least && gain > best.gain) Object.assign(best, { at, gain })
    }
    if (best.at === 0) continue
    starts.push(best.at)
    open.push([from, best.at], [best.at, to])
  }
  starts.sort((a, b) => a - b)
  return starts.map((start, index) => ({
    from: known[start]!.at,
    mean: mean(start, starts[index + 1] ?? known.length),
  }))
}

/** Replaces each value by the median of itself and its neighbors: a single outlier disappears, a step stays. */
function withoutOutliers(values: readonly number[]): readonly number[] {
  if (values.length < 3) return values
  return values.map((_, index) => {
    const from = Math.max(0, Math.min(values.length - 3, index - 1))
    return values.slice(from, from + 3).sort((a, b) => a - b)[1]!
  })
}

function noiseOf(values: readonly number[]): number {
  const distances = Float64Array.from(values.slice(1), (value, index) => Math.abs(value - values[index]!)).sort()
  return (distances[distances.length >> 1] ?? 0) / NOISE
}
