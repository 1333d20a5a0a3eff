import { amountOf } from './amount.ts'

/** The distribution of amounts: half of them are at most `p50`, and so on. All values have the unit of the amounts. */
export type Distribution = {
  count: number
  least: number
  p25: number
  p50: number
  p75: number
  p90: number
  p95: number
  most: number
  bins: readonly Bin[]
}

/** Amounts from `from` up to, but excluding, `to`. */
export type Bin = { from: number; to: number; count: number }

const MOST_BINS = 8
/** Amounts are shown in whole units, so a bin smaller than one unit would have equal edges. */
const LEAST_ROUND = 0
/** Index of a round number whose step covers every possible amount. */
const LAST_ROUND = 48
/** Ratio of the largest amount to the median from which on most of an even scale would be empty. */
const SKEWED = 8

/** Returns the distribution of amounts, without impossible ones; undefined if there are none. */
export function distributionOf(amounts: readonly number[]): Distribution | undefined {
  const sorted = sortedOf(amounts)
  const [least, most] = [sorted.at(0), sorted.at(-1)]
  if (least === undefined || most === undefined) return undefined
  const p50 = quantile(sorted, 0.5)
  return {
    count: sorted.length,
    least,
    p25: quantile(sorted, 0.25),
    p50,
    p75: quantile(sorted, 0.75),
    p90: quantile(sorted, 0.9),
    p95: quantile(sorted, 0.95),
    most,
    bins: countInto(edgesOf(least, p50, most), sorted),
  }
}

function sortedOf(amounts: readonly number[]): Float64Array {
  return Float64Array.from(amounts.flatMap(amount => amountOf(amount) ?? [])).sort()
}

/** Two distributions in common bins, counted separately; undefined if either is empty. */
export type Overlaid = { now: Distribution; before: Distribution } | undefined

export function overlaidOf(now: readonly number[], before: readonly number[]): Overlaid {
  const [one, other, both] = [distributionOf(now), distributionOf(before), distributionOf([...now, ...before])]
  if (!one || !other || !both) return undefined
  const edges = [...both.bins.map(({ from }) => from), both.bins.at(-1)!.to]
  const counted = (amounts: readonly number[]): Bin[] => countInto(edges, sortedOf(amounts))
  return { now: { ...one, bins: counted(now) }, before: { ...other, bins: counted(before) } }
}

/**
 * Maps amounts to a common scale from 0 to 1 of all these distributions. The scale grows unevenly if a few amounts are
 * far larger than most.
 */
export function scaleOf(all: readonly Distribution[]): (amount: number) => number {
  const isSkewed = all.some(({ p50, most }) => p50 > 0 && most > SKEWED * p50)
  const on = isSkewed ? Math.log1p : (amount: number): number => amount
  const from = on(Math.min(...all.map(({ least }) => least)))
  const length = on(Math.max(...all.map(({ most }) => most))) - from
  return amount => (length > 0 ? (on(amount) - from) / length : 0)
}

/** Returns the smallest amount that at least this share of all amounts do not exceed. */
function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!
}

function edgesOf(least: number, middle: number, most: number): number[] {
  return middle > 0 && most > SKEWED * middle ? growingEdges(least, middle, most) : evenEdges(least, most)
}

/** Returns edges at equal steps, using the smallest round step that fits the number of bins. */
function evenEdges(least: number, most: number): number[] {
  if (most === 0) return [0, 1]
  const finest = roundAbove((most - least || most) / MOST_BINS / 10)
  for (let round = finest; round < LAST_ROUND; round += 1) {
    const step = roundNumber(round)
    // Division rounds, and no amount may fall outside.
    const first = Math.floor(least / step) - (Math.floor(least / step) * step > least ? 1 : 0)
    const last = Math.ceil(most / step) + (Math.ceil(most / step) * step <= most ? 1 : 0)
    if (last - first <= MOST_BINS) return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step)
  }
  return [0, roundNumber(LAST_ROUND)]
}

/** Returns edges at growing distances. The first bin contains everything smaller. */
function growingEdges(least: number, middle: number, most: number): number[] {
  const top = roundAbove(most)
  const fine = edgesBelow(top, 1, least)
  const isFineEnough = fine[0]! > 0 || fine[1]! <= middle
  return isFineEnough ? fine : edgesBelow(Math.ceil(top / 3) * 3, 3, least)
}

/**
 * Returns round numbers from that of `top` downwards in steps of `by`, until one is small enough or there are enough
 * bins.
 */
function edgesBelow(top: number, by: number, least: number): number[] {
  const edges = [roundNumber(top)]
  for (let round = top - by; edges[0]! > least; round -= by) {
    if (edges.length === MOST_BINS || round < LEAST_ROUND) return [0, ...edges]
    edges.unshift(roundNumber(round))
  }
  return edges
}

/** Returns the round number at an index of 1, 2, 5, 10, 20, 50 …; index 0 is 1. */
function roundNumber(index: number): number {
  const digit = [1, 2, 5].at(index % 3)!
  return Number(`${digit}e${Math.floor(index / 3)}`)
}

/** Returns the index of the first allowed round number above an amount. */
function roundAbove(amount: number): number {
  let index = LEAST_ROUND
  while (index < LAST_ROUND && roundNumber(index) <= amount) index += 1
  return index
}

function countInto(edges: readonly number[], sorted: Float64Array): Bin[] {
  const bins = edges.slice(1).map((to, index) => ({ from: edges[index]!, to, count: 0 }))
  let at = 0
  for (const amount of sorted) {
    while (amount >= bins[at]!.to && at < bins.length - 1) at += 1
    bins[at]!.count += 1
  }
  return bins
}
