import { expect, test } from 'vitest'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { causeOf } from '../../domain/runs/causes.ts'
import { countTrials } from '../../domain/runs/trials.ts'
import { junitXml } from './junit.ts'
import { reportedTrial } from './reported-trial.ts'
import { failureLines } from './labels.ts'

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

test('a trial that is cut down says all that it said before, in a fraction of the room', () => {
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
