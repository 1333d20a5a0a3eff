import { expect, test } from 'vitest'
import { integrityOfAll, scoreIntegrity } from './scores.ts'
import { assert, run } from '../../../test/service/trials.ts'
import type { CaseSnapshot, TrialOutcome } from './types.ts'

const says = { ...assert({ type: 'noToolErrors' }), id: 'says' }

const snapshot: CaseSnapshot = {
  caseId: 'case_1',
  caseKey: 'first',
  title: 'First',
  steps: [says],
  iterations: 1,
  isNegative: false,
  checks: [{ type: 'noToolErrors' }],
}

const judged = async () => await run(snapshot.steps, { checks: snapshot.checks })

test('the scores of a judged trial match their definitions', async () => {
  expect(await judged()).toMatchObject({ class: 'passed', scoreIntegrity: 'valid' })
  expect(await run([assert({ type: 'toolCalledWith', toolName: 'echo' })])).toMatchObject({
    class: 'failed',
    scoreIntegrity: 'valid',
  })
  expect(await run([])).not.toHaveProperty('scoreIntegrity')
})

test.each<[string, (outcome: TrialOutcome) => Partial<TrialOutcome>]>([
  ['a check without a verdict', () => ({ checks: [] })],
  ['a verdict without a definition', ({ checks }) => ({ checks: [...checks, { ...checks[0]!, id: 'other' }] })],
  ['a failure that passed', () => ({ class: 'failed' })],
  ['a pass that failed', ({ steps }) => ({ steps: steps.map(step => ({ ...step, status: 'fail' as const })) })],
])('the scores of a trial are invalid if it has %s', async (_what, change) => {
  const outcome = await judged()
  expect(scoreIntegrity(snapshot, outcome)).toBe('valid')
  expect(scoreIntegrity(snapshot, { ...outcome, ...change(outcome) })).toBe('invalid')
})

test('the scores of a run are invalid if one trial has invalid scores, and unknown if those of all trials are', () => {
  expect(integrityOfAll(['valid', null, 'invalid'])).toBe('invalid')
  expect(integrityOfAll([null, 'valid'])).toBe('valid')
  expect(integrityOfAll([null])).toBeUndefined()
})
