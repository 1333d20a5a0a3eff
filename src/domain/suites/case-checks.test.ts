import { expect, test } from 'vitest'
import { effectiveChecks } from '../../api/contract/runs.ts'
import { casesWithoutChecks } from './case-checks.ts'

test.each([
  [{ mode: 'inherit', list: ['own'] }, ['suite']],
  [{ mode: 'replace', list: ['own'] }, ['own']],
  [{ mode: 'extend', list: ['own'] }, ['suite', 'own']],
  [{ mode: 'replace' }, []],
  [{ list: ['own'] }, ['suite']],
  [null, ['suite']],
])('the checks %j of a case with a suite that has ["suite"] are %j', (own, applied) => {
  expect(effectiveChecks(['suite'], own)).toEqual(applied)
})

test('stored cases check nothing if they have no assertion after a step, no check and no match options', () => {
  const call = { id: 'c', kind: 'toolCall', toolName: 'add' } as const
  const says = { id: 's', kind: 'assert', assertion: { type: 'noToolErrors' } } as const
  const cases = [
    { id: '1', title: 'calls', steps: [call] },
    { id: '2', title: 'asserts first', steps: [says, call] },
    { id: '3', title: 'asserts', steps: [call, says] },
    { id: '4', title: 'negative', steps: [{ id: 'p', kind: 'prompt', prompt: 'hi' } as const], isNegative: true },
    { id: '5', title: 'compares', steps: [call], matchOptions: { arguments: 'exact' } },
    { id: '6', title: 'own check', steps: [call], checks: { mode: 'extend', list: [{ type: 'noToolErrors' }] } },
  ]
  const titles = (settings: { checks?: Record<string, unknown>[] }) =>
    casesWithoutChecks({ id: 's', settings }, cases).map(({ title }) => title)
  expect(titles({})).toEqual(['calls', 'asserts first'])
  expect(titles({ checks: [{ type: 'noToolErrors' }] })).toEqual([])
})
