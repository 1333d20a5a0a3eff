import { expect, test } from 'vitest'
import { reportRun } from '../../domain/runs/suite-state.ts'
import { coveredText } from './covered.ts'

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
