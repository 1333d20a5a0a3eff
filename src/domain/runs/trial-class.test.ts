import { describe, expect, test } from 'vitest'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import { byCase } from './variants.ts'
import { classOfTrial, CLASS_LABELS, isFailing, TRIAL_CLASSES } from './trial-class.ts'

let made = 0
const trial = (fields: Partial<EvalIteration> = {}): EvalIteration => ({
  id: `t${(made += 1)}`,
  iterationNumber: 1,
  status: 'completed',
  result: 'passed',
  ...fields,
})

describe('the class of a trial', () => {
  test.each<[string, Partial<EvalIteration>]>([
    ['pending', { status: 'pending', result: null }],
    ['running', { status: 'running', result: null, trialClass: 'pending' }],
    ['cancelled', { status: 'cancelled', result: null, trialClass: 'failed' }],
    ['passed', {}],
    ['failed', { result: 'failed' }],
    ['failed', { result: 'failed', trialClass: 'passed' }],
    ['evaluator_error', { status: 'failed', result: null, trialClass: 'evaluator_error' }],
    ['skipped', { result: null, trialClass: 'skipped' }],
    ['evaluator_error', { result: null, scores: [{ scorerId: 's', status: 'error' }] }],
    ['ungraded', { result: null, scores: [{ scorerId: 's', status: 'skipped' }] }],
    ['ungraded', { result: null, trialClass: 'something new' }],
    ['ungraded', { result: null, trialClass: 'passed' }],
    ['timed_out', { status: 'failed', result: null, error: 'The tool timed out after 30 s.' }],
    ['setup_failed', { status: 'failed', result: null, error: 'no such server' }],
    [
      'execution_failed',
      { status: 'failed', result: null, startedAt: 5, error: 'The server "x" exited with code 1: no deadline set' },
    ],
    ['execution_failed', { status: 'failed', result: null, startedAt: 5, error: 'connection closed' }],
  ])('is %s for %j', (wanted, fields) => {
    expect(classOfTrial(trial(fields))).toBe(wanted)
  })

  test('a broken grader and unmeasured trials need attention, but are not verdicts', () => {
    expect(TRIAL_CLASSES.filter(isFailing)).toEqual([
      'failed',
      'execution_failed',
      'timed_out',
      'evaluator_error',
      'setup_failed',
      'ungraded',
    ])
    const words = TRIAL_CLASSES.map(each => CLASS_LABELS[each].word)
    expect(new Set(words).size).toBe(words.length)
  })
})

test('trials of a case make one row: how many graded ones passed, and whether they disagree', () => {
  const rows = byCase([
    trial({ testCaseId: 'a', title: 'A' }),
    trial({ testCaseId: 'b', title: 'B', result: null, status: 'failed' }),
    trial({ testCaseId: 'a', title: 'A', result: 'failed' }),
    trial({ testCaseId: 'a', title: 'A', result: null, scores: [{ scorerId: 's', status: 'error' }] }),
    trial({ testCaseId: 'a', title: 'A', model: 'other' }),
    trial({ title: 'inline' }),
    trial({ title: 'inline' }),
  ])
  expect(rows.map(({ trials, key: _key, ...row }) => ({ ...row, trials: trials.length }))).toEqual([
    { title: 'A', model: undefined, trials: 3, passed: 1, graded: 2, flaky: true, worst: 'failed' },
    { title: 'B', model: undefined, trials: 1, passed: 0, graded: 0, flaky: false, worst: 'setup_failed' },
    { title: 'A', model: 'other', trials: 1, passed: 1, graded: 1, flaky: false, worst: 'passed' },
    { title: 'inline', model: undefined, trials: 2, passed: 2, graded: 2, flaky: false, worst: 'passed' },
  ])
  expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length)
})
