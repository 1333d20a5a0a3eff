import { expect, test } from 'vitest'
import { EvalIteration, EvalStepVerdict, EvalTrace } from '../../api/contract/iterations.ts'
import { ServiceError } from '../core/errors.ts'
import { digest } from '../core/ids.ts'
import { toIteration, toStepRows, type TrialRow } from './iteration.ts'
import { toTrace } from './trace.ts'
import { runTrial } from './trial.ts'
import type { CaseSnapshot, TrialServers } from './types.ts'

const withArgs = (toolName: string, args: object) => ({ type: 'toolCalledWith', toolName, args: { args } })

const snapshot: CaseSnapshot = {
  caseId: 'case_1',
  caseKey: 'forecast',
  title: 'Forecast',
  steps: [
    { id: 'ask', kind: 'toolCall', toolName: 'forecast', arguments: { city: 'Oslo', days: 2 } },
    { id: 'more', kind: 'toolCall', toolName: 'missing', arguments: {} },
    { id: 'asked', kind: 'assert', assertion: withArgs('forecast', { city: 'Oslo' }) },
    { id: 'other', kind: 'assert', assertion: withArgs('map', {}) },
    { id: 'days', kind: 'assert', assertion: withArgs('forecast', { days: 3 }) },
  ],
  iterations: 1,
  isNegative: false,
  model: 'm1',
  checks: [{ type: 'responseContains', needle: 'sun' }],
}

const servers: TrialServers = {
  names: ['weather'],
  listTools: () => Promise.resolve([]),
  callTool(_serverName, toolName) {
    const refused = new ServiceError('VALIDATION_ERROR', 'Unknown tool', {
      details: { protocolError: { code: -32602 } },
    })
    if (toolName === 'missing') return Promise.reject(refused)
    return Promise.resolve({ result: { content: [{ type: 'text', text: 'Sunny' }] }, durationMs: 4 })
  },
}

async function settled(
  signal = new AbortController().signal,
): Promise<TrialRow & { outcome: NonNullable<TrialRow['outcome']> }> {
  let clock = 1000
  const outcome = await runTrial({ case: snapshot, servers, signal, now: () => (clock += 10) })
  return { id: 'it_1', iterationNumber: 1, case: snapshot, status: 'running', outcome }
}

const waiting: TrialRow = { id: 'it_2', iterationNumber: 2, case: snapshot, status: 'pending' }

test('the trace compares expected and actual calls', async () => {
  const trace = toTrace(await settled())
  expect(EvalTrace().parse(trace)).toMatchObject({
    version: 1,
    iterationId: 'it_1',
    class: 'failed',
    finalText: 'Sunny',
  })
  const { toolCalls } = trace
  expect(toolCalls.matched).toMatchObject([
    { expected: { toolName: 'forecast' }, actual: { arguments: { city: 'Oslo' } } },
  ])
  expect(toolCalls.missing.map(call => [call.toolName, call.arguments])).toEqual([
    ['map', {}],
    ['forecast', { days: 3 }],
  ])
  expect(toolCalls.extra).toMatchObject([{ toolName: 'missing', error: 'Unknown tool' }])
  expect(trace.messages).toHaveLength(2)
})

test('the trace names arguments that differ from the expected ones, with both values', async () => {
  const row = await settled()
  const differing = {
    ...row,
    outcome: { ...row.outcome, expectedToolCalls: [{ toolName: 'forecast', arguments: { days: 3 } }] },
  }
  expect(toTrace(differing).toolCalls.argumentDifferences).toMatchObject([
    { keys: ['days'], expected: { arguments: { days: 3 } }, actual: { arguments: { days: 2 } } },
  ])
})

test('the spans of steps and calls use the trial’s own clock', async () => {
  const row = await settled()
  const { spans, startedAt, durationMs } = toTrace(row)
  expect(spans.filter(span => span.kind === 'step').map(span => [span.stepId, span.status])).toEqual([
    ['ask', 'ok'],
    ['more', 'error'],
    ['asked', 'ok'],
    ['other', 'error'],
    ['days', 'error'],
  ])
  expect(spans.filter(span => span.kind === 'toolCall').map(span => span.name)).toEqual([
    'weather/forecast',
    'weather/missing',
  ])
  for (const span of spans) {
    expect(span.startedAt).toBeGreaterThanOrEqual(startedAt)
    expect(span.startedAt + span.durationMs).toBeLessThanOrEqual(startedAt + durationMs)
  }
})

test('a finished trial is an iteration with one score for each scorer, with its definition', async () => {
  const row = await settled()
  const iteration = EvalIteration().parse(toIteration(row))
  expect(iteration).toMatchObject({
    id: 'it_1',
    testCaseId: 'case_1',
    title: 'Forecast',
    status: 'completed',
    result: 'failed',
    trialClass: 'failed',
    model: null,
    provider: null,
    tokensUsed: null,
    error: 'Unknown tool',
    expectedToolCalls: row.outcome.expectedToolCalls,
  })
  expect(iteration.actualToolCalls).toHaveLength(2)
  expect(iteration.scores?.map(score => [score.scorerId, score.status, score.value, score.passed])).toEqual([
    ['forecast/asked', 'scored', 1, true],
    ['forecast/other', 'scored', 0, false],
    ['forecast/days', 'scored', 0, false],
    ['check-1-responseContains', 'scored', 1, true],
  ])
  const { definitions } = iteration.evaluationConfig as { definitions: Record<string, unknown>[] }
  const hashes = definitions.map(({ label: _label, ...semantic }) => digest(semantic))
  expect(iteration.scores?.map(score => score['definitionHash'])).toEqual(hashes)
})

test('the scores of a trial that ended early are skipped and have no value', async () => {
  const { scores } = toIteration(await settled(AbortSignal.abort()))
  expect(scores?.every(score => score.status === 'skipped' && !('value' in score) && !('passed' in score))).toBe(true)
})

test('a trial without an outcome is a pending iteration', () => {
  expect(EvalIteration().parse(toIteration(waiting))).toMatchObject({
    status: 'pending',
    result: null,
    trialClass: 'pending',
    durationMs: null,
    scores: null,
    evaluationConfig: null,
    actualToolCalls: [],
  })
  expect(toStepRows(waiting).map(({ status }) => status)).toEqual(Array(5).fill('pending'))
  expect(toStepRows({ ...waiting, status: 'cancelled' }).map(({ status }) => status)).toEqual(Array(5).fill('skipped'))
})

test('the trace has one row for each step of the case, in order', async () => {
  const rows = toStepRows(await settled()).map(entry => EvalStepVerdict().parse(entry))
  expect(rows.map(({ stepId, stepIndex, status }) => [stepId, stepIndex, status])).toEqual([
    ['ask', 0, 'ok'],
    ['more', 1, 'fail'],
    ['asked', 2, 'ok'],
    ['other', 3, 'fail'],
    ['days', 4, 'fail'],
  ])
  expect(rows[3]?.reason).toBe('expected at least 1 call of map with {} (partial); actual: 0 matching of 0 calls')
})
