import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EvalRunCompare } from '../../api/contract/run-comparison.ts'
import { variantKey } from '../../api/contract/runs.ts'
import { changedCases } from './changes.ts'
import { byCase, variantNames } from './variants.ts'

const trial = (id: string, model?: string, provider?: string) => ({
  id,
  testCaseId: 'c',
  title: 'Talks',
  iterationNumber: 1,
  status: 'completed',
  result: 'passed',
  model,
  provider,
})

test('a variant is a case on one model of one provider, and each has its own key', () => {
  const part = fc.option(fc.string(), { nil: undefined })
  const variants = fc.uniqueArray(fc.record({ caseId: fc.string(), model: part, provider: part }), {
    selector: ({ caseId, model, provider }) => JSON.stringify([caseId, model || null, provider || null]),
  })
  fc.assert(
    fc.property(variants, all => {
      const keyed = all.map(({ caseId, model, provider }) => ({
        caseId: `id ${caseId}`,
        model: model || undefined,
        provider: provider || undefined,
      }))
      expect(new Set(keyed.map(variantKey)).size).toBe(all.length)
    }),
  )
})

test('variants are named by model if a case has several, and by provider if one model has two', () => {
  const names = (...trials: ReturnType<typeof trial>[]) => trials.map(variantNames(trials))
  expect(names(trial('1', 'a'), trial('2', 'a'))).toEqual(['Talks', 'Talks'])
  expect(names(trial('1', 'a'), trial('2', 'b'))).toEqual(['Talks (a)', 'Talks (b)'])
  expect(names(trial('1', 'a', 'x'), trial('2', 'a', 'y'))).toEqual(['Talks (x/a)', 'Talks (y/a)'])
})

test('two cases with the same title are distinguished by id', () => {
  const twins = [trial('1'), { ...trial('2'), testCaseId: 'd' }, { ...trial('3'), title: 'Walks', testCaseId: 'e' }]
  expect(twins.map(variantNames(twins))).toEqual(['Talks (c)', 'Talks (d)', 'Walks'])
})

test('the trials of a case on two providers of one model are two rows', () => {
  const rows = byCase([trial('1', 'a', 'x'), trial('2', 'a', 'y'), trial('3', 'a', 'x')])
  expect(rows.map(({ trials }) => trials.map(({ id }) => id))).toEqual([['1', '3'], ['2']])
})

test('compared variants with the same title are distinguished by model', () => {
  const side = (...iterationIds: string[]) => ({ outcome: 'passed' as const, iterationIds })
  const compared = (caseKey: string, title: string, id: string) => ({
    caseKey,
    title,
    status: 'unchanged_passed' as const,
    base: side(),
    compare: side(id),
  })
  const comparison: EvalRunCompare = {
    suite: { id: 's' },
    baseline: { policy: 'run', baseRunId: 'r0' },
    baseRun: { id: 'r0' },
    compareRun: { id: 'r1' },
    cases: [compared('c@a', 'Talks', '1'), compared('c@b', 'Talks', '2'), compared('d', 'Other', '3')],
  }
  const trials = [trial('1', 'a'), trial('2', 'b'), trial('3', 'a')]
  expect(changedCases(comparison, trials).map(({ title }) => title)).toEqual(['Talks (a)', 'Talks (b)', 'Other'])
})
