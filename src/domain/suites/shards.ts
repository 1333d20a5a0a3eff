import type { EvalIteration } from '../../api/contract/iterations.ts'

/** One of `of` parts of the cases to run, counted from 1. */
export type Shard = { number: number; of: number }

type Named = { id: string; title: string }

/** Returns how long the trials of each case took together, in milliseconds, by the id of the case. */
export function caseDurations(
  trials: readonly Pick<EvalIteration, 'testCaseId' | 'durationMs'>[],
): ReadonlyMap<string, number> {
  const durations = new Map<string, number>()
  for (const { testCaseId, durationMs } of trials)
    if (testCaseId != null && durationMs != null && durationMs >= 0)
      durations.set(testCaseId, (durations.get(testCaseId) ?? 0) + durationMs)
  return durations
}

/**
 * Divides cases so that the parts take about as long. Every machine gets the same parts for the same cases and
 * durations, in whatever order the cases come. The longest part takes at most one case more than the mean of all.
 * @param durations by the id of the case; an unknown one counts as the median of the known
 */
export function shardsOf<T extends Named>(
  cases: readonly T[],
  durations: ReadonlyMap<string, number>,
  count: number,
): T[][] {
  const median = medianOf(cases.flatMap(({ id }) => durations.get(id) ?? []))
  const durationOf = ({ id }: T): number => durations.get(id) ?? median
  const shards = Array.from({ length: count }, () => ({ cases: [] as T[], time: 0 }))
  const longestFirst = cases.toSorted(
    (one, other) => durationOf(other) - durationOf(one) || compare(one.title, other.title) || compare(one.id, other.id),
  )
  for (const each of longestFirst) {
    const least = shards.reduce((best, shard) => (isShorter(shard, best) ? shard : best))
    least.cases.push(each)
    least.time += durationOf(each)
  }
  return shards.map(shard => shard.cases)
}

type Part = { cases: readonly unknown[]; time: number }

/** Whether a part gets the next case before another one. Cases that take no time are spread too. */
function isShorter(one: Part, other: Part): boolean {
  return one.time === other.time ? one.cases.length < other.cases.length : one.time < other.time
}

/** Compares by code units, because the order of a language differs between machines. */
function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
