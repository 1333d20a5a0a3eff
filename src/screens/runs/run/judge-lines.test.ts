import { expect, test } from 'vitest'
import { createTheme } from '../../../tui/theme/theme.ts'
import { judgesOf } from '../../../domain/runs/judges.ts'
import { judgeLines } from './summary-nodes.ts'

const { symbols } = createTheme({ level: 0, ascii: true })

test('a case that could not be graded is distinguished from one below the threshold', () => {
  const state = { status: 'completed', errorCode: null, summary: null, generatedAt: null, modelUsed: 'm' }
  const cases = [
    { caseKey: 'good', score: 0.9, passed: true, reason: null },
    { caseKey: 'bad', score: 0.1, passed: false, reason: null },
    { caseKey: 'open', score: null, passed: false, reason: 'The judge gave no usable grade.' },
  ]
  const [judge] = judgesOf({ goalCompletion: { ...state, threshold: 0.7, cases } })
  expect(judgeLines(judge!, symbols)).toMatchObject([
    { text: 'Goal completion: 1 of 3 cases reached the threshold of 0.7, 1 not graded (m)' },
    { text: `${symbols.error} 0.1 bad`, tone: 'error' },
    { text: `${symbols.warn} — open`, tone: 'warn' },
    { text: 'The judge gave no usable grade.' },
    { text: `${symbols.ok} 0.9 good`, tone: 'ok' },
  ])
})
