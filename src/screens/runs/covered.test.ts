import fc from 'fast-check'
import { expect, test } from 'vitest'
import { reportRun } from '../../domain/runs/suite-state.ts'
import { COVERED, coveredText, passedOfGraded } from './covered.ts'

test.each([
  ['running', '2/2'],
  ['cancelled', '6/6 of 12'],
  ['completed', '6/6 of 12'],
])('a run that is %s with half of its trials graded shows %s', (status, text) => {
  const counts = {
    total: 3,
    passed: 2,
    failed: 0,
    undecided: 1,
    trials: { total: 12, passed: 6, failed: 0, cancelled: 6 },
  }
  const decisionSummary = { version: 1, measurementUnit: 'case_executions', counts, decision: null, verdict: null }
  expect(coveredText(reportRun({ id: 'r', status, result: null, decisionSummary }))).toBe(text)
})

test('the words for the coverage of a run are shortened in a narrow column, never within a word', () => {
  const run = (passed: number, failed: number, selected: number, total: number) =>
    coveredText(
      reportRun({
        id: 'r',
        status: 'completed',
        result: 'failed',
        summary: { total: passed + failed, passed, failed },
        selectedCaseCount: selected,
        totalCaseCount: total,
      } as never),
    )
  expect(run(3, 0, 3, 6)).toBe('3/3 of 6 cases')
  for (const text of [run(0, 1, 1, 10), run(10, 10, 20, 100), run(5, 1, 3, 6)])
    expect(text.length).toBeLessThanOrEqual(COVERED)
  expect(run(0, 1, 1, 10)).toBe('0/1 of 10')
})

test('shortened numbers never make a part look like the whole', () => {
  expect(passedOfGraded({ passed: 1950, failed: 49 })).toBe('1.9k/2k')
  expect(passedOfGraded({ passed: 1950, failed: 0 })).toBe('1.9k/1.9k')
  const count = fc.integer({ min: 0, max: 20_000 })
  fc.assert(
    fc.property(count, fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 200 }), (passed, failed, left) => {
      const [part, graded] = passedOfGraded({ passed, failed }).split('/')
      expect(part).not.toBe(graded)
      const trials = { total: passed + failed + left, passed, failed, cancelled: left }
      const counts = { total: 1, passed: 0, failed: 1, undecided: 0, trials }
      const decisionSummary = { version: 1, measurementUnit: 'case_executions', counts, decision: null, verdict: null }
      const text = coveredText(reportRun({ id: 'r', status: 'completed', result: null, decisionSummary }))
      const [, ofGraded, total] = /\/(\S+) of (.+)$/.exec(text)!
      expect(total).not.toBe(ofGraded)
    }),
  )
})
