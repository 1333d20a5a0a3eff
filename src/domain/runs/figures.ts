import type { EvalRunCompare } from '../../api/contract/run-comparison.ts'
import { formatCount, formatDuration, UNKNOWN } from '../../lib/format.ts'
import type { JsonObject } from '../../lib/json.ts'
import { shareLabel } from './labels.ts'

/** A number on both sides; null means unknown, which is neither zero nor unchanged. */
export type Diff =
  | {
      base?: number | null | undefined
      compare?: number | null | undefined
      delta?: number | null | undefined
      percentDelta?: number | null | undefined
    }
  | null
  | undefined

export const percent = (value: number): string => shareLabel(value / 100)
export const points = (value: number): string => `${rounded(value)} ${Math.abs(value) === 1 ? 'point' : 'points'}`
export const dollars = (value: number): string => `$${value.toFixed(4)}`

export function rounded(value: number): string {
  return String(Number(value.toFixed(1)))
}

/** Returns a difference with its sign and unit: `+2.1s`, `−60 points`, `±0`; `—` if one side is unknown. */
export function deltaText(delta: number | null | undefined, words: (value: number) => string): string {
  if (delta == null) return UNKNOWN
  if (delta === 0) return '±0'
  return `${delta > 0 ? '+' : '−'}${words(Math.abs(delta))}`
}

/** Returns a difference such as `40% (was 100%, −60 points)`. */
export function diffText(
  diff: Diff,
  words: (value: number) => string,
  deltaWords: (value: number) => string = words,
): string {
  const side = (value: number | null | undefined): string => (value == null ? UNKNOWN : words(value))
  const { base, compare, delta, percentDelta } = diff ?? {}
  if (base == null && compare == null) return UNKNOWN
  // A percentage of a percentage has no meaning.
  const share =
    deltaWords === words && percentDelta != null && delta !== 0 ? `, ${deltaText(percentDelta, percent)}` : ''
  return `${side(compare)} (was ${side(base)}, ${deltaText(delta, deltaWords)}${share})`
}

/**
 * Returns the counters and metrics of two runs in short lines above the cases. A rerun has different cases from its
 * parent on purpose, so only its own numbers are shown.
 */
export function shortFigures({ passSummary, metrics }: EvalRunCompare, isRerun: boolean): string[] {
  const { passed, total } = passSummary ?? {}
  if (isRerun)
    return [
      [
        `Passed ${formatCount(passed?.compare)} of ${formatCount(total?.compare)}`,
        `took ${formatDuration(metrics?.wallDurationMs?.compare)}`,
        `tokens ${formatCount(metrics?.totalTokens?.compare)}`,
      ].join(', '),
    ]
  const of = (side: 'base' | 'compare'): string => `${formatCount(passed?.[side])} of ${formatCount(total?.[side])}`
  return [
    `Passed ${of('compare')} (was ${of('base')}), of the graded ` +
      diffText(passSummary?.passRatePercent, percent, points),
    [
      `Took ${diffText(metrics?.wallDurationMs, formatDuration)}`,
      `tokens ${diffText(metrics?.totalTokens, formatCount)}`,
      `cost ${diffText(metrics?.estimatedCostUsd, dollars)}`,
    ].join(', '),
  ]
}

/** Returns reasons why scores of the two sides are hard to compare, one sentence each. */
export function scoreWarnings(comparison: EvalRunCompare): string[] {
  const contract = objectOf(comparison.scoreContract)
  if (Object.keys(contract).length === 0) return []
  const scorers = objectsOf(contract['scorers']).filter(scorer => scorer['definitionChanged'] === true)
  const sides = (['base', 'compare'] as const).flatMap(name => {
    const side = objectOf(contract[name])
    const run = name === 'base' ? 'the base' : 'this run'
    const quarantined = side['quarantinedIterations']
    return [
      ...(side['scoreIntegrity'] === 'valid' || !hasScores(side) ? [] : [`the scores of ${run} are not valid`]),
      ...(typeof quarantined === 'number' && quarantined > 0
        ? [`${formatCount(quarantined)} trials of ${run} are quarantined and left out of the rates`]
        : []),
    ]
  })
  return [
    // Runs with different cases differ as a whole even if nothing comparable does.
    ...(contract['evaluationConfigChanged'] === true &&
    comparison.cases.some(({ evaluationConfigChanged }) => evaluationConfigChanged === true)
      ? ['the grading changed between the runs']
      : []),
    ...(scorers.length > 0
      ? [
          `${scorers.length === 1 ? 'a scorer was' : `${scorers.length} scorers were`} redefined: a ` +
            'difference there is not a regression',
        ]
      : []),
    ...sides,
  ]
}

function hasScores(side: JsonObject): boolean {
  const { scoredIterations: scored, quarantinedIterations: quarantined } = side
  return [scored, quarantined].some(count => typeof count === 'number' && count > 0)
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

export function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}

export function objectsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf) : []
}
