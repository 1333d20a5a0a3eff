import '../../../test/property-seed.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EvalRun } from '../../api/contract/runs.ts'
import { levelAt, levelsOf, runTrend } from './trend.ts'

const LEAST = 0.05
const changesOf = (values: readonly (number | undefined)[]): number[] =>
  levelsOf(values, LEAST)
    .slice(1)
    .map(({ from }) => from)
const repeated = (value: number, times: number): number[] => Array.from({ length: times }, () => value)

test.each([
  ['nothing', [], []],
  ['one point', [0.5], []],
  ['what stays', repeated(1, 9), []],
  ['a fall that holds', [...repeated(1, 5), ...repeated(0.8, 4)], [5]],
  ['a fall and its repair', [...repeated(1, 5), ...repeated(0.4, 3), ...repeated(1, 4)], [5, 8]],
  ['a single bad run', [...repeated(1, 5), 0.2, ...repeated(1, 5)], []],
  ['less than a person would mind', [...repeated(1, 5), ...repeated(0.97, 5)], []],
  ['what goes up and down all the time', [1, 0, 1, 0, 1, 0, 1, 0], []],
  ['a fall around runs that are not known', [1, undefined, 1, undefined, 0.5, 0.5, NaN, 0.5], [4]],
])('the changes in the trend are found for %s', (_, values, changes) => expect(changesOf(values)).toEqual(changes))

test('a step in noisy values is found at its position, and noise alone has no step', () =>
  fc.assert(
    fc.property(
      fc.integer({ min: 5, max: 40 }),
      fc.integer({ min: 5, max: 40 }),
      fc.boolean(),
      (before, after, down) => {
        const noise = (index: number): number => ((index * 7) % 5) / 1000
        const values = [...repeated(down ? 0.9 : 0.3, before), ...repeated(down ? 0.3 : 0.9, after)].map(
          (value, index) => value + noise(index),
        )
        expect(changesOf(values)).toEqual([before])
        expect(changesOf(values.slice(0, before))).toEqual([])
      },
    ),
  ))

test('levels of any numbers are in order, each with the mean of its stretch', () =>
  fc.assert(
    fc.property(fc.array(fc.option(fc.double(), { nil: undefined }), { maxLength: 200 }), values => {
      const levels = levelsOf(values, LEAST)
      const known = values.filter(value => value !== undefined && Number.isFinite(value))
      expect(levels.length > 0).toBe(known.length > 0)
      const starts = levels.map(({ from }) => from)
      expect(starts).toEqual([...new Set(starts)].sort((a, b) => a - b))
      for (const start of starts) expect(Number.isFinite(values[start])).toBe(true)
    }),
  ))

test('the step in 20,000 points is found', () => {
  const values = Array.from({ length: 20_000 }, (_, index) => (index < 12_345 ? 1 : 0.5))
  expect(changesOf(values)).toEqual([12_345])
})

test('a partial run says nothing about the suite, and ungraded cases did not pass', () => {
  const run = (fields: Partial<EvalRun>): EvalRun => ({
    id: 'r',
    suiteId: 's',
    status: 'completed',
    createdAt: 0,
    completedAt: 2000,
    ...fields,
  })
  const trend = runTrend([
    run({ summary: { total: 4, passed: 4, failed: 0 } }),
    run({ summary: { total: 4, passed: 2, failed: 0 }, completedAt: null }),
    run({ summary: { total: 1, passed: 1, failed: 0 }, selectedCaseCount: 1, totalCaseCount: 4 }),
  ])
  expect(trend.rate.values).toEqual([1, 0.5, undefined])
  expect(trend.took.values).toEqual([2000, undefined, 2000])
  expect(levelAt(trend.rate, 2)).toBeUndefined()
})
