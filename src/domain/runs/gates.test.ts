import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { judgeGates, type Gate } from './gates.ts'

const trialOf = (durationMs: number | undefined, index: number): EvalIteration => {
  const id = `t${index}`
  return { id, testCaseId: `c${index}`, title: `Case ${index}`, iterationNumber: 1, status: 'completed', durationMs }
}

/** Judges one gate on a run whose trials took these times. */
function judged(gate: Gate, times: readonly (number | undefined)[], judges?: EvalRun['judges']) {
  const run: EvalRun = { id: 'r', suiteId: 's', createdAt: 1, status: 'completed', judges }
  const [result] = judgeGates([gate], { run, trials: times.map(trialOf), changes: 'nothing was compared' })
  return result
}

test.each([
  [[100, 900], true, 'Case 1 took 900ms, at most 1s allowed'],
  [[100, 1500], false, 'Case 1 took 1.5s, at most 1s allowed'],
  [[100, undefined], null, 'Case 0 took 100ms, at most 1s allowed; 1 trial without a time'],
  [[1500, undefined], false, 'Case 0 took 1.5s, at most 1s allowed; 1 trial without a time'],
  [[undefined], null, 'no trial has a time, at most 1s allowed'],
  [[2150], false, 'Case 0 took 2.1s, at most 1s allowed'],
  [[1050], false, 'Case 0 took 1,050ms, at most 1,000ms allowed'],
])('--max-latency judges trials of %j ms: %s', (times, passed, says) => {
  expect(judged({ gate: 'max-latency', wanted: 1000 }, times)).toMatchObject({ passed, says })
})

test('--max-p95 passes exactly if at least 95% of the trials have a time within the bound, and all have one', () =>
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(2000), { nil: undefined, freq: 40 }), { maxLength: 60 }), times => {
      const result = judged({ gate: 'max-p95', wanted: 1000 }, times)
      const slow = times.filter(time => time !== undefined && time > 1000).length
      const unmeasured = times.filter(time => time === undefined).length
      const isMet = (times.length - slow) / times.length >= 0.95
      const isUnknown = times.length === unmeasured || (isMet && unmeasured > 0)
      expect(result?.passed).toBe(isUnknown ? null : isMet)
    }),
  ))

const grade = (caseKey: string, score: number | null) => ({ caseKey, score, passed: score !== null && score > 0.5 })

test.each([
  ['both', [grade('c0', 0.9), grade('c1', 0.8)], true, '2 of 2 cases reached the threshold, at least 60% must'],
  ['one', [grade('c0', 0.9), grade('c1', 0.1)], false, '1 of 2 cases reached'],
  ['one, and the other was not graded', [grade('c0', 0.9), grade('c1', null)], null, '; 1 not graded'],
  ['one, and the other is missing', [grade('c0', 0.9)], null, '; 1 not graded'],
  ['none, and one is missing', [grade('c0', 0.1)], false, '0 of 2 cases reached'],
  ['one twice, and the other is missing', [grade('c0', 0.9), grade('c0', 0.8)], null, '; 1 not graded'],
  ['one in part', [grade('c0', 0.9), grade('c0', 0.1), grade('c1', 0.9)], false, '1 of 2 cases reached'],
])('--min-judge says how many cases reached the threshold: %s', (_, cases, passed, says) => {
  const judges = { goalCompletion: { status: 'completed', threshold: 0.5, cases } }
  expect(judged({ gate: 'min-judge', wanted: 0.6 }, [1, 1], judges)).toMatchObject({
    passed,
    says: expect.stringContaining(says),
  })
})

test('--min-judge is unknown if no judge was asked, or it has not ended', () => {
  const gate = { gate: 'min-judge', wanted: 0.5 } as const
  expect(judged(gate, [1])).toMatchObject({ passed: null, says: expect.stringContaining('no judge was asked') })
  for (const status of ['pending', 'failed', null])
    expect(judged(gate, [1], { goalCompletion: { status, cases: [] } })?.passed).toBeNull()
})
