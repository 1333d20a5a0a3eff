import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EvalRunCompare } from '../../api/contract/run-comparison.ts'
import { type ComparedRun, type ComparedTrial, numericDiff, caseConfigHash, compareRuns } from './comparison.ts'
import type { CaseSnapshot } from './types.ts'
import type { TrialClass } from '../../domain/runs/trial-classes.ts'
const contains = (needle: string) => ({
  id: 'says',
  kind: 'assert' as const,
  assertion: { type: 'responseContains', needle },
})

const snapshot = (caseKey: string, rest: Partial<CaseSnapshot> = {}): CaseSnapshot => ({
  caseId: `id-${caseKey}`,
  caseKey,
  title: caseKey.toUpperCase(),
  steps: [contains('sun')],
  iterations: 1,
  isNegative: false,
  checks: [{ type: 'noToolErrors' }],
  ...rest,
})

const trial = (caseKey: string, variant: number, index: number, kind: TrialClass): ComparedTrial => ({
  iterationId: `${caseKey}-${index}`,
  variant,
  class: kind,
  ...(kind !== 'passed' && { error: `${kind} ${index}` }),
  steps:
    kind === 'passed' || kind === 'failed'
      ? [{ stepId: 'says', stepIndex: 0, kind: 'assert', status: kind === 'passed' ? 'ok' : 'fail', reason: 'why' }]
      : [
          {
            stepId: 'says',
            stepIndex: 0,
            kind: 'assert',
            status: 'skipped',
            ...(kind === 'evaluator_error' && { evaluatorError: 'x' }),
          },
        ],
  checks: [{ id: 'check-1-noToolErrors', source: 'check', type: 'noToolErrors', status: 'ok' }],
  usage: { totalTokens: 10 },
})

type Cases = Record<string, TrialClass[]>

const runOf = (id: string, cases: Cases, rest: Partial<ComparedRun> = {}): ComparedRun => ({
  id,
  runNumber: 1,
  result: 'passed',
  createdAt: 1000,
  completedAt: 3000,
  summary: { total: 4, passed: 2, failed: 2, passRate: 0.5 },
  cases: Object.keys(cases).map(key => snapshot(key)),
  trials: Object.entries(cases).flatMap(([key, kinds], variant) =>
    kinds.map((kind, index) => trial(key, variant, index, kind)),
  ),
  ...rest,
})

const compare = (base: ComparedRun, after: ComparedRun) =>
  compareRuns({ suite: { id: 's', name: 'Suite' }, policy: 'run', base, compare: after })

const statusOf = (base: Cases, after: Cases, cases?: CaseSnapshot[]) =>
  compare(runOf('a', base), runOf('b', after, cases ? { cases } : {})).cases.map(entry => entry.status)

const edited = [snapshot('x', { steps: [contains('rain')] })]

test.each<[Cases, Cases, CaseSnapshot[] | undefined, string]>([
  [{ x: ['passed'] }, { x: ['passed'] }, undefined, 'unchanged_passed'],
  [{ x: ['failed'] }, { x: ['failed'] }, undefined, 'unchanged_failed'],
  [{ x: ['passed'] }, { x: ['passed', 'failed'] }, undefined, 'regressed'],
  [{ x: ['failed'] }, { x: ['passed', 'evaluator_error'] }, undefined, 'fixed'],
  [{}, { x: ['passed'] }, undefined, 'new_case'],
  [{ x: ['passed'] }, {}, undefined, 'removed_case'],
  [{ x: ['passed'] }, { x: ['timed_out'] }, undefined, 'changed'],
  [{ x: ['passed'] }, { x: ['failed'] }, edited, 'changed'],
  [{ x: ['passed'] }, { x: ['passed'] }, edited, 'unchanged_passed'],
])('a case with the trials %j and then %j (edited: %j) is %s', (base, after, cases, status) => {
  expect(statusOf(base, after, cases)).toEqual([status])
})

test('each side of a case names its trials, a representative trial and its error', () => {
  const { cases } = compare(runOf('a', { x: ['passed', 'failed'] }), runOf('b', { x: ['timed_out'], y: ['passed'] }))
  expect(cases[0]).toMatchObject({
    caseKey: 'x',
    title: 'X',
    base: { outcome: 'failed', iterationIds: ['x-0', 'x-1'], representativeIterationId: 'x-1', error: 'failed 1' },
    compare: { outcome: 'absent', iterationIds: ['x-0'], representativeIterationId: 'x-0', error: 'timed_out 0' },
  })
  expect(cases[1]).toMatchObject({
    status: 'new_case',
    base: { outcome: 'absent', iterationIds: [], representativeIterationId: null, error: null },
  })
})

test('changes of a case’s definition and of its grading are reported separately', () => {
  const base = runOf('a', { x: ['passed'] })
  const after = (change: Partial<CaseSnapshot>) => {
    const [entry] = compare(base, runOf('b', { x: ['passed'] }, { cases: [snapshot('x', change)] })).cases
    return [entry?.configChanged, entry?.evaluationConfigChanged]
  }
  expect(after({ title: 'Renamed', iterations: 5 })).toEqual([false, false])
  expect(after({ expectedOutput: 'Sunny' })).toEqual([true, false])
  expect(after({ checks: [] })).toEqual([false, true])
  expect(after({ matchOptions: { toolCallOrder: 'strict' } })).toEqual([false, true])
  expect(after({ steps: [contains('rain')] })).toEqual([true, true])
})

test('a change of the model counts only for cases that prompt a model, and other cases use no tokens', () => {
  const hashes = (steps: CaseSnapshot['steps']) =>
    ['small', 'large'].map(model => caseConfigHash(snapshot('x', { steps, model })))
  const [called, calledAgain] = hashes([{ id: '1', kind: 'toolCall', toolName: 'echo' }])
  const [asked, askedAgain] = hashes([{ id: '1', kind: 'prompt', prompt: 'Hello' }])
  expect(calledAgain).toBe(called)
  expect(askedAgain).not.toBe(asked)
  const [one, two] = ['a', 'b'].map(id => {
    const run = runOf(id, { x: ['passed'] })
    return { ...run, trials: run.trials.map(({ usage: _usage, ...rest }) => rest) }
  })
  expect(compare(one!, two!).metrics?.totalTokens).toMatchObject({ base: 0, compare: 0 })
})

test('the tokens of a run are unknown if a trial that prompts a model reports none', () => {
  const tokensOf = (kind: 'prompt' | 'toolCall') => {
    const steps = [{ id: '1', kind, prompt: 'Hello', toolName: 'echo' }]
    const run = runOf('a', { x: ['passed', 'timed_out'] }, { cases: [snapshot('x', { steps })] })
    const { usage: _usage, ...unknown } = run.trials[1]!
    return compare({ ...run, trials: [run.trials[0]!, unknown] }, run).metrics?.totalTokens
  }
  expect(tokensOf('prompt')).toMatchObject({ base: null, compare: 20, delta: null })
  expect(tokensOf('toolCall')).toMatchObject({ base: 10, compare: 20 })
})

test('the hash of a definition does not depend on the order of fields or the ids of steps', () => {
  const call = { kind: 'toolCall' as const, toolName: 'echo' }
  const one = snapshot('x', { steps: [{ id: '1', ...call, arguments: { a: 1, b: [2] } }] })
  const two = snapshot('x', { steps: [{ ...call, arguments: { b: [2], a: 1 }, id: '2' }] })
  expect(caseConfigHash(one)).toBe(caseConfigHash(two))
})

test('the comparison has the figures of both runs with their units, and the scorers', () => {
  const after = runOf(
    'b',
    { x: ['failed', 'passed'] },
    { completedAt: 6000, summary: { total: 2, passed: 2, failed: 0, passRate: 1 } },
  )
  const answer = compare(runOf('a', { x: ['passed', 'evaluator_error'] }), after)
  expect(answer.passSummary?.passRatePercent).toEqual({ base: 50, compare: 100, delta: 50, percentDelta: 100 })
  expect(answer.metrics).toEqual({
    wallDurationMs: { base: 2000, compare: 5000, delta: 3000, percentDelta: 150 },
    totalTokens: { base: 20, compare: 20, delta: 0, percentDelta: 0 },
    estimatedCostUsd: { base: null, compare: null, delta: null, percentDelta: null },
  })
  expect(answer.scoreContract).toMatchObject({
    base: { scoreIntegrity: 'valid', scoredIterations: 2, quarantinedIterations: 0 },
    evaluationConfigChanged: false,
    scorers: [
      {
        scorerId: 'x/says',
        gating: true,
        deterministic: true,
        definitionChanged: false,
        passRate: { base: 1, compare: 0.5, delta: -0.5, percentDelta: -50 },
        errorCount: { base: 1, compare: 0 },
      },
      { scorerId: 'check-1-noToolErrors', passRate: { base: 1, compare: 1 } },
    ],
  })
  expect(answer.cases[0]?.scoreDeltas?.[0]).toMatchObject({
    scorerId: 'x/says',
    base: { status: 'scored', value: 1, passed: true },
    compare: { status: 'scored', value: 0.5, passed: false },
  })
})

test('a lower score is no regression if the scorer’s definition changed', () => {
  const answer = compare(runOf('a', { x: ['passed'] }), runOf('b', { x: ['failed'] }, { cases: edited }))
  expect(answer.scoreContract).toMatchObject({ evaluationConfigChanged: true })
  expect(answer.cases[0]?.scoreDeltas?.map(delta => [delta['scorerId'], delta['definitionChanged']])).toEqual([
    ['x/says', true],
    ['check-1-noToolErrors', false],
  ])
})

test('a scorer counts as changed if its id has one more definition than before', () => {
  const other = snapshot('y', { checks: [{ type: 'noToolErrors', unknown: true }] })
  const after = runOf('b', { x: ['passed'], y: ['passed'] }, { cases: [snapshot('x'), other] })
  const { scorers } = compare(runOf('a', { x: ['passed'] }), after).scoreContract as { scorers: unknown }
  expect(scorers).toMatchObject([
    { scorerId: 'x/says', definitionChanged: false },
    { scorerId: 'check-1-noToolErrors', definitionChanged: true },
    { scorerId: 'y/says', definitionChanged: false },
  ])
})

test('a run that has not ended has no figures', () => {
  const open = runOf('b', {}, { result: null, completedAt: null, summary: null })
  const answer = compare(runOf('a', { x: ['passed'] }), open)
  expect(answer.metrics?.wallDurationMs).toMatchObject({ compare: null, delta: null, percentDelta: null })
  expect(answer.metrics?.totalTokens).toMatchObject({ compare: null })
  expect(answer.passSummary?.total).toMatchObject({ base: 4, compare: null })
})

test.each([
  [0, 5, 5, null],
  [10, 5, -5, -50],
  [-10, -5, 5, 50],
  [null, 5, null, null],
])('the change from %s to %s is %s, %s %%', (base, after, delta, percentDelta) => {
  expect(numericDiff(base, after)).toEqual({ base, compare: after, delta, percentDelta })
})

test('every case of either side appears once, and the answer matches the contract', () => {
  const kinds = fc.constantFrom<TrialClass>('passed', 'failed', 'evaluator_error', 'timed_out', 'cancelled', 'pending')
  const cases = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.array(kinds, { maxLength: 3 }))
  fc.assert(
    fc.property(cases, cases, (base, after) => {
      const answer = EvalRunCompare().parse(compare(runOf('a', base), runOf('b', after)))
      const keys = [...new Set([...Object.keys(base), ...Object.keys(after)])]
      expect(answer.cases.map(entry => entry.caseKey).toSorted()).toEqual(keys.toSorted())
      const mirrored = compare(runOf('b', after), runOf('a', base))
      const count = (of: typeof answer, status: string) => of.cases.filter(entry => entry.status === status).length
      expect(count(mirrored, 'fixed')).toBe(count(answer, 'regressed'))
      expect(count(mirrored, 'new_case')).toBe(count(answer, 'removed_case'))
    }),
  )
})
