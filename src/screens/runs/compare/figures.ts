import type { EvalRunCompare } from '../../../api/contract/run-comparison.ts'
import { fieldLines, heading, type Field } from '../../../components/lines.ts'
import type { Line } from '../../../components/viewer.tsx'
import {
  type Diff,
  diffText,
  dollars,
  numberOf,
  objectOf,
  objectsOf,
  percent,
  points,
  rounded,
} from '../../../domain/runs/figures.ts'
import { formatCount, formatDuration, UNKNOWN } from '../../../lib/format.ts'
import type { JsonObject } from '../../../lib/json.ts'

/**
 * Returns every figure of a comparison; rates of scorers are fractions of iterations, independent of the runs'
 * counters.
 */
export function allFigures(comparison: EvalRunCompare): Line[] {
  const { passSummary, metrics } = comparison
  return [
    heading('Counted by the runs'),
    ...fieldLines([
      ['Pass rate', diffText(passSummary?.passRatePercent, percent, points)],
      ['Passed', diffText(passSummary?.passed, formatCount)],
      ['Failed', diffText(passSummary?.failed, formatCount)],
      ['In all', diffText(passSummary?.total, formatCount)],
    ]),
    '',
    heading('Measured'),
    ...fieldLines([
      ['Wall time', diffText(metrics?.wallDurationMs, formatDuration)],
      ['Tokens', diffText(metrics?.totalTokens, formatCount)],
      ['Cost', diffText(metrics?.estimatedCostUsd, dollars)],
    ]),
    '',
    ...scoreLines(objectOf(comparison.scoreContract)),
  ]
}

function scoreLines(contract: JsonObject): Line[] {
  const scorers = objectsOf(contract['scorers'])
  if (scorers.length === 0) return [heading('Scorers'), { text: 'None on both sides.', tone: 'muted', indent: 2 }]
  return [
    heading('Scorers, in shares of trials'),
    ...(['base', 'compare'] as const).map((name): Line => {
      const side = objectOf(contract[name])
      const integrity = side['scoreIntegrity'] === 'valid' ? 'valid' : 'not valid'
      const scored = formatCount(numberOf(side['scoredIterations']))
      const left = formatCount(numberOf(side['quarantinedIterations']))
      return {
        text:
          `${name === 'base' ? 'Base' : 'This run'}: ${scored} trials scored, ${left} quarantined, scores ` + integrity,
        indent: 2,
      }
    }),
    ...scorers.flatMap((scorer): Line[] => [
      {
        parts: [
          { text: `  ${typeof scorer['scorerId'] === 'string' ? scorer['scorerId'] : UNKNOWN}`, tone: 'plain' },
          { text: scorer['gating'] === true ? '  decides' : '  advises', tone: 'muted' },
          {
            text: scorer['definitionChanged'] === true ? '  redefined: its difference is not a regression' : '',
            tone: 'warn',
          },
        ],
      },
      ...fieldLines(scorerFields(scorer), 4),
    ]),
  ]
}

function scorerFields(scorer: JsonObject): Field[] {
  const share = (value: number): string => percent(value * 100)
  const sharePoints = (value: number): string => points(value * 100)
  const errors = objectOf(scorer['errorCount'])
  return [
    ['Passed', diffText(diffOf(scorer['passRate']), share, sharePoints)],
    ['Mean value', diffText(diffOf(scorer['meanValue']), rounded)],
    ['Errors', `${formatCount(numberOf(errors['compare']))} (was ${formatCount(numberOf(errors['base']))})`],
  ]
}

/** Returns a difference; the contract does not define the scores of a comparison, so only numbers are used. */
function diffOf(value: unknown): Diff {
  const { base, compare, delta, percentDelta } = objectOf(value)
  return {
    base: numberOf(base),
    compare: numberOf(compare),
    delta: numberOf(delta),
    percentDelta: numberOf(percentDelta),
  }
}
