import { expect, test } from 'vitest'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { causeOf } from '../../domain/runs/causes.ts'
import { countTrials } from '../../domain/runs/trials.ts'
import { junitXml } from './junit.ts'
import { reportedTrial } from './follow-run.ts'
import { conclude } from './conclusion.ts'
import { conclusionLines, failureLines } from './labels.ts'

const LONG = 'what a server returned '.repeat(1000)
let count = 0

function trial(fields: Record<string, unknown>): EvalIteration {
  count += 1
  return {
    id: `t${count}`,
    title: `Case ${count % 3}`,
    iterationNumber: count,
    status: 'completed',
    result: 'failed',
    durationMs: 5,
    evaluationConfig: { definitions: [LONG] },
    ...fields,
  }
}

const call = (fields: object = {}) => ({
  toolName: 'echo',
  arguments: { message: LONG },
  result: { content: [LONG] },
  ...fields,
})

const trials = [
  trial({ result: 'passed', actualToolCalls: [call()], scores: [{ scorerId: 's', passed: true, rationale: LONG }] }),
  trial({ status: 'running', result: null, actualToolCalls: [call()] }),
  trial({ status: 'cancelled', result: null }),
  trial({ actualToolCalls: [call()], error: 'no such text' }),
  trial({ actualToolCalls: [call({ result: { isError: true, content: [LONG] } })] }),
  trial({ actualToolCalls: [call({ error: '429 Too Many Requests' })] }),
  trial({ status: 'failed', result: null, actualToolCalls: [call({ error: '429 Too Many Requests' })] }),
  trial({ model: 'm', expectedToolCalls: [{ toolName: 'add', arguments: { a: 1 } }], actualToolCalls: [call()] }),
  trial({
    result: null,
    scores: [
      { scorerId: 'judge', status: 'error', error: 'no model' },
      { scorerId: 'x', passed: true, rationale: LONG },
    ],
  }),
  trial({ scores: [{ scorerId: 'judge', status: 'scored', passed: false, rationale: 'too short' }] }),
  trial({ status: 'failed', result: null, trialClass: 'setup_failed' }),
  trial({ status: 'failed', result: null, model: 'm' }),
  trial({ status: 'failed', result: null }),
]

test('a shortened trial keeps everything that is reported of it, in a fraction of the space', () => {
  const told = trials.map(reportedTrial)
  expect(told.map(causeOf)).toEqual(trials.map(causeOf))
  expect(new Set(trials.map(causeOf)).size).toBe(8)
  expect(countTrials(told)).toEqual(countTrials(trials))
  expect(failureLines(told)).toEqual(failureLines(trials))
  const run = { id: 'r', status: 'completed' } as EvalRun
  const xmlOf = (trials: EvalIteration[]) => junitXml([{ name: 's', run, trials, gates: [], exitCode: 1 }])
  expect(xmlOf(told)).toBe(xmlOf(trials))
  expect(JSON.stringify(told)).not.toContain('what a server returned')
  expect(JSON.stringify(told).length).toBeLessThan(3000)
})

test('a stored passed trial still shows whether anything checked it', () => {
  const scored = [{ scorerId: 'says', status: 'scored' as const, passed: true }]
  const trials = [
    trial({ title: 'Checked', result: 'passed', scores: scored }),
    trial({ title: 'Unchecked', result: 'passed', scores: [] }),
    trial({ title: 'Unchecked', result: 'passed', iterationNumber: 2, scores: [] }),
    trial({ title: 'Asserted before its call', result: 'passed', scores: scored, checksNothing: true }),
    trial({ title: 'Unknown', result: 'passed', scores: null }),
    trial({ title: 'Again', result: 'passed', scores: scored, ranAgainAfter: 'The server exited.' }),
    trial({ title: 'Red', scores: [], result: 'failed' }),
  ].map(reportedTrial)
  const run: EvalRun = { id: 'r1', suiteId: 's', status: 'completed', result: 'passed', createdAt: 0 }
  const conclusion = conclude({ kind: 'ended', run, trials }, { gates: [], gatesOnly: false, comparison: undefined })
  expect(conclusion).toMatchObject({
    verdict: 'passed',
    unchecked: ['Unchecked', 'Asserted before its call'],
    ranAgain: ['Again'],
  })
  expect(conclusionLines(conclusion, '-')).toEqual(
    expect.arrayContaining([
      'passed without any check: Unchecked, Asserted before its call',
      'run again after their server broke under several trials: Again',
    ]),
  )
  expect(junitXml([{ name: 'S', run, trials, gates: [], exitCode: 0 }])).toContain(
    '<property name="unchecked" value="Unchecked, Asserted before its call"/>',
  )
})
