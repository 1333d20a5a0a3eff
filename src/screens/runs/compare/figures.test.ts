import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EvalRunCompare } from '../../../api/contract/run-comparison.ts'
import { formatDuration } from '../../../lib/format.ts'
import { plainText } from '../../../components/viewer/source.ts'
import { deltaText, diffText, scoreWarnings, shortFigures } from '../../../domain/runs/figures.ts'
import { allFigures } from './figures.ts'

const side = { id: 'r', runNumber: 1 }
const comparison = (fields: Partial<EvalRunCompare>): EvalRunCompare => ({
  suite: { id: 's' },
  baseline: { policy: 'previous_completed', baseRunId: 'r' },
  baseRun: side,
  compareRun: side,
  cases: [],
  ...fields,
})
const words = (fields: Partial<EvalRunCompare>): string => allFigures(comparison(fields)).map(plainText).join('\n')

describe('a figure on both sides', () => {
  test('has its difference with sign and unit, and an unknown value is not zero', () => {
    expect(diffText({ base: 1000, compare: 3100, delta: 2100, percentDelta: 210 }, formatDuration)).toBe(
      '3.1s (was 1s, +2.1s, +210%)',
    )
    expect(diffText({ base: 5, compare: 5, delta: 0, percentDelta: 0 }, String)).toBe('5 (was 5, ±0)')
    expect(diffText({ base: null, compare: 7, delta: null }, String)).toBe('7 (was —, —)')
    expect([diffText(null, String), diffText(undefined, String), diffText({}, String)]).toEqual(['—', '—', '—'])
  })

  test('is a share of the graded trials, and is never rounded up to 100%', () => {
    const passSummary = {
      passRatePercent: { base: 55.5555, compare: 99.97, delta: 44.4145 },
      passed: { base: 15, compare: 2999 },
      total: { base: 35, compare: 3500 },
    }
    expect(shortFigures(comparison({ passSummary }), false)[0]).toBe(
      'Passed 2,999 of 3,500 (was 15 of 35), of the graded 99.9% (was 55.5%, +44.4 points)',
    )
  })

  test('never loses its sign', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), value => {
        const text = deltaText(value, String)
        expect(text[0]).toBe(value === 0 ? '±' : value > 0 ? '+' : '−')
        expect(text.slice(1)).not.toMatch(/^-/)
      }),
    )
  })
})

describe('the scores of two runs', () => {
  const scoreContract = {
    base: { scoreIntegrity: 'valid', scoredIterations: 4, quarantinedIterations: 0 },
    compare: { scoreIntegrity: null, scoredIterations: 3, quarantinedIterations: 2 },
    evaluationConfigChanged: true,
    scorers: [
      {
        scorerId: 'steps',
        gating: true,
        definitionChanged: true,
        passRate: { base: 1, compare: 0.25, delta: -0.75, percentDelta: -75 },
        meanValue: { base: 'many', compare: {}, delta: [] },
        errorCount: { base: 0, compare: 1 },
      },
    ],
  }

  test('are sent as fractions, unlike the pass rates of the runs, which are sent as percentages', () => {
    const text = words({ scoreContract, passSummary: { passRatePercent: { base: 100, compare: 25, delta: -75 } } })
    expect(text).toMatch(/Pass rate +25% \(was 100%, −75 points\)/)
    expect(text).toContain('This run: 3 trials scored, 2 quarantined, scores not valid')
    expect(text).toMatch(/steps +decides +redefined: its difference is not a regression/)
    expect(text).toMatch(/Passed +25% \(was 100%, −75 points\)/)
    expect(text).toMatch(/Mean value +—/)
    expect(text).toMatch(/Errors +1 \(was 0\)/)
  })

  test('are shown with what makes them hard to compare', () => {
    const both = { outcome: 'passed' } as const
    const changed = { caseKey: 'a', title: 'a', status: 'unchanged_passed', evaluationConfigChanged: true } as const
    const cases = [{ ...changed, base: both, compare: both }]
    expect(scoreWarnings(comparison({ scoreContract, cases }))).toEqual([
      'the grading changed between the runs',
      'a scorer was redefined: a difference there is not a regression',
      'the scores of this run are not valid',
      '2 trials of this run are quarantined and left out of the rates',
    ])
    expect(scoreWarnings(comparison({ scoreContract: { ...scoreContract, scorers: [] } }))).not.toContain(
      'the grading changed between the runs',
    )
    expect(scoreWarnings(comparison({}))).toEqual([])
  })

  test('may be anything, since the contract does not define them', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('base', 'compare', 'scorers', 'x'), fc.jsonValue()), contract => {
        const given = comparison({ scoreContract: contract })
        expect(
          [...scoreWarnings(given), ...shortFigures(given, false), ...shortFigures(given, true)].every(
            text => typeof text === 'string',
          ),
        ).toBe(true)
        expect(words({ scoreContract: contract })).toContain('Scorers')
      }),
    )
  })
})
