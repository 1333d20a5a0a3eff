import { describe, expect, test } from 'vitest'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { EvalRunCompare } from '../../api/contract/run-comparison.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { causeOf, isMeasuredFailure } from './causes.ts'
import { changedCases, countChanges } from './changes.ts'
import { judgeGates, type Gate, type GateFacts } from './gates.ts'
import { launchObstacle } from './launch-rules.ts'
import { outcomeOfRun, whyUndecided } from './outcome.ts'
import { countTrials, passRate } from './trials.ts'

const run = (fields: Partial<EvalRun>): EvalRun => ({
  id: 'r',
  suiteId: 's',
  status: 'completed',
  createdAt: 1_000,
  ...fields,
})
const trial = (fields: Partial<EvalIteration>): EvalIteration => ({
  id: 't',
  iterationNumber: 1,
  status: 'completed',
  result: null,
  ...fields,
})

const judgeGate = (gate: Gate, facts: GateFacts) => judgeGates([gate], facts)[0]

describe('the outcome of a run', () => {
  test.each<[Partial<EvalRun>, string]>([
    [{ status: 'pending' }, 'in-flight'],
    [{ status: 'grading', result: 'passed' }, 'in-flight'],
    [{ status: 'completed', result: 'passed' }, 'passed'],
    [{ status: 'completed', result: null }, 'undecided'],
    [{ status: 'failed', result: 'failed' }, 'failed'],
    [{ status: 'failed', result: null }, 'broken'],
    [{ status: 'cancelled', result: 'passed' }, 'cancelled'],
    [{ result: 'passed', decisionSummary: { decision: 'failed' } }, 'failed'],
    [{ result: 'passed', decisionSummary: { decision: 'inconclusive' } }, 'inconclusive'],
    [{ decisionSummary: { decision: 'inconclusive', verdict: 'notEstablished' } }, 'undecided'],
    [{ decisionSummary: { decision: 'inconclusive', verdict: { kind: 'notEstablished' } } }, 'undecided'],
    [{ decisionSummary: { decision: null, verdict: 'notEstablished' } }, 'undecided'],
    [{ result: 'passed', decisionSummary: { decision: 'a newer word' } }, 'passed'],
  ])('with %j is %s', (fields, outcome) => expect(outcomeOfRun(run(fields))).toBe(outcome))

  test('has a reason, which is found beside or inside the verdict', () => {
    expect(
      whyUndecided(run({ decisionSummary: { undecided: { reason: 'stopped', message: 'It was stopped.' } } })),
    ).toBe('It was stopped.')
    expect(whyUndecided(run({ decisionSummary: { verdict: { undecided: { reason: 'unfinished' } } } }))).toBe(
      'unfinished',
    )
    expect(whyUndecided(run({}))).toBeUndefined()
  })
})

describe('the trials of a run', () => {
  test('do not count as failures if they are ungraded, and rates divide by graded trials', () => {
    const counts = countTrials([
      trial({ result: 'passed' }),
      trial({ result: 'failed' }),
      trial({ status: 'failed' }),
      trial({ status: 'cancelled' }),
      trial({ status: 'running' }),
      trial({ status: 'pending' }),
    ])
    expect(counts).toEqual({
      total: 6,
      passed: 1,
      failed: 1,
      ungraded: 1,
      cancelled: 1,
      running: 1,
      pending: 1,
      ended: 4,
    })
    expect(passRate(counts)).toBe(0.5)
    expect(passRate({ passed: 0, failed: 0 })).toBeUndefined()
  })
})

describe('the cause of a failed trial', () => {
  const call = (fields: object) => ({ actualToolCalls: [{ toolName: 'a', ...fields }] })
  test.each<[string, Partial<EvalIteration>, string | undefined, boolean]>([
    ['an expectation', { result: 'failed' }, 'case', true],
    ['a tool that answered an error', { result: 'failed', ...call({ result: { isError: true } }) }, 'server', true],
    [
      'a call that was left out',
      { result: 'failed', model: 'm', expectedToolCalls: [{ toolName: 'b' }] },
      'model',
      true,
    ],
    ['a broken grader', { status: 'failed', scores: [{ scorerId: 'x', status: 'error' }] }, 'grader', false],
    ['its class', { status: 'failed', trialClass: 'evaluator_error' }, 'grader', false],
    [
      'a set-up that failed',
      { status: 'failed', trialClass: 'setup_failed', error: 'no server' },
      'environment',
      false,
    ],
    ['throttling', { status: 'failed', model: 'm', error: 'HTTP 429' }, 'throttling', false],
    ['a failed assertion that quotes 429', { result: 'failed', error: 'got "invoice 429"' }, 'case', true],
    ['a failed assertion that quotes a limit', { result: 'failed', error: 'got "our rate limit"' }, 'case', true],
    ['a judged call that says 429', { result: 'failed', ...call({ error: 'row 429 is missing' }) }, 'server', true],
    [
      'an ended trial with a refused call before that says 429',
      { status: 'failed', error: 'no answer in 5 s', ...call({ error: 'row 429 is missing' }) },
      'server',
      false,
    ],
    [
      'a program that printed of limits as it died',
      { status: 'failed', error: 'The server "x" exited with code 1: no table "rate_limits"' },
      'server',
      false,
    ],
    [
      'a call that was throttled, with no other word',
      { status: 'failed', ...call({ error: 'HTTP 429' }) },
      'throttling',
      false,
    ],
    ['a model', { status: 'failed', model: 'm', error: 'no answer' }, 'model', false],
    [
      'the process that executed it, gone',
      { status: 'failed', error: 'The process that ran it (7 on host) ended before the trial did.' },
      'environment',
      false,
    ],
    ['nothing', { result: 'passed' }, undefined, false],
    ['a stop', { status: 'cancelled' }, undefined, false],
  ])('is %s', (_, fields, cause, isMeasured) => {
    expect(causeOf(trial(fields))).toBe(cause)
    expect(isMeasuredFailure(trial(fields))).toBe(isMeasured)
  })
})

const compared = (...cases: [status: string, before: string, after: string, ids?: string[]][]): EvalRunCompare => ({
  suite: { id: 's' },
  baseline: { policy: 'run', baseRunId: 'b' },
  baseRun: { id: 'b' },
  compareRun: { id: 'r' },
  cases: cases.map(([status, before, after, iterationIds = []], index) => ({
    caseKey: String(index),
    title: `Case ${index}`,
    status,
    base: { outcome: before },
    compare: { outcome: after, iterationIds },
  })),
})

describe('the changes of cases', () => {
  test('follow from the outcomes of both runs', () => {
    const trials = [trial({ id: 'x', result: 'passed' }), trial({ id: 'y', result: 'failed' })]
    const cases = changedCases(
      compared(
        ['regressed', 'passed', 'failed', ['x', 'y']],
        ['new_case', 'absent', 'failed'],
        ['changed', 'absent', 'failed'],
        ['unchanged_failed', 'failed', 'failed', ['y']],
        ['fixed', 'failed', 'passed'],
        ['changed', 'failed', 'passed'],
        ['removed_case', 'passed', 'absent'],
        ['changed', 'passed', 'absent'],
      ),
      trials,
    )
    expect(cases.map(({ change }) => change)).toEqual([
      'new-failure',
      'new-failure',
      'unknown',
      'still-failing',
      'fixed',
      'passing',
      'removed',
      'unknown',
    ])
    expect(countChanges(cases)).toMatchObject({ 'new-failure': 2, unknown: 2, flaky: 1, fixed: 1 })
  })
})

describe('the gates of a run', () => {
  const facts = (fields: Partial<EvalRun>, trials: EvalIteration[] = []) => ({ run: run(fields), trials, changes: [] })

  test('use the rate of the run, in its own unit, and never round it up', () => {
    const summary = { measurementUnit: 'case_executions', counts: { passed: 9_496, failed: 504 } }
    expect(judgeGate({ gate: 'min-pass-rate', wanted: 0.95 }, facts({ decisionSummary: summary }))).toMatchObject({
      passed: false,
      says: '94.9% of 10000 graded case executions passed, at least 95% must',
    })
  })

  describe('are satisfied only if enough was graded', () => {
    const ungraded = trial({ status: 'failed' })
    const passed = trial({ result: 'passed' })
    const failed = trial({ result: 'failed' })
    const floor = (wanted: number): Gate => ({ gate: 'min-graded', wanted })
    const rate: Gate = { gate: 'min-pass-rate', wanted: 0.75 }
    const judged = (least: number, trials: EvalIteration[], fields: Partial<EvalRun> = {}) =>
      judgeGates([floor(least), rate], facts(fields, trials)).map(result => result.passed)

    test('a reached rate of too few trials is unknown, and a rate that can no longer be reached is missed', () => {
      expect(judged(1, [passed, ungraded])).toEqual([null, null])
      expect(judged(0.5, [passed, ungraded])).toEqual([true, true])
      expect(judged(1, [failed, failed, passed, ungraded])).toEqual([null, false])
      expect(judged(1, [failed, passed, passed, passed, ungraded])).toEqual([null, null])
      expect(judged(1, [passed, passed, passed, failed])).toEqual([true, true])
      expect(judged(0, [])).toEqual([null, null])
    })

    test('counted in trials or in the unit of the run, whichever was graded less', () => {
      const counts = { total: 4, passed: 3, failed: 0, undecided: 1, trials: { total: 2, passed: 2 } }
      const decisionSummary = { measurementUnit: 'case_executions', counts }
      const [result] = judgeGates([floor(0.8)], facts({ decisionSummary }, [passed]))
      expect(result).toMatchObject({
        actual: 0.75,
        passed: null,
        says: '3 of 4 case executions graded, at least 80% must be',
      })
    })
  })

  test('have an unknown result for tokens if one model does not report them', () => {
    const gate = { gate: 'max-tokens', wanted: 10 } as const
    const told = trial({ model: 'm', tokensUsed: 4, startedAt: 1 })
    expect(judgeGate(gate, facts({}, [told, trial({})]))).toMatchObject({ actual: 4, passed: true })
    expect(judgeGate(gate, facts({}, [told, trial({ model: 'm', startedAt: 1 })]))).toMatchObject({ passed: null })
    expect(judgeGate({ gate: 'max-duration', wanted: 10 }, facts({}))).toMatchObject({ actual: null, passed: null })
  })

  test('have an unknown result if there is nothing that they could judge', () => {
    const gate = { gate: 'no-new-failures-against', wanted: 'last' } as const
    for (const changes of [[], changedCases(compared(['removed_case', 'passed', 'absent']), [])])
      expect(judgeGate(gate, { ...facts({}), changes })).toMatchObject({ passed: null, says: 'no case was compared' })
    expect(judgeGate({ gate: 'max-broken', wanted: 0 }, facts({}))).toMatchObject({ passed: null })
    expect(judgeGate({ gate: 'max-tokens', wanted: 1 }, facts({}))).toMatchObject({ passed: null })
  })

  test('have an unknown result for new failures if the cases could not be compared', () => {
    const gate = { gate: 'no-new-failures-against', wanted: 'last' } as const
    const changes = changedCases(compared(['changed', 'absent', 'failed']), [])
    expect(judgeGate(gate, { ...facts({}), changes })).toMatchObject({ passed: null })
    expect(judgeGate(gate, { ...facts({}), changes: 'no baseline' })).toMatchObject({
      passed: null,
      says: 'no baseline',
    })
  })
})

describe('the launch rules of a run', () => {
  const suite = { environment: { servers: ['a'] }, environmentIds: ['e1', 'e2'], hosts: [{ id: 'c1', name: 'C' }] }
  const choice = { environmentIds: [], clientIds: [], serverIds: [] }
  test.each([
    [suite, { ...choice }, 'ENVIRONMENT_REQUIRED'],
    [suite, { ...choice, environmentIds: ['e3'] }, 'ENVIRONMENT_NOT_ATTACHED'],
    [suite, { ...choice, environmentIds: ['e1'], serverIds: ['x'] }, 'ENVIRONMENT_SERVERS_NOT_OVERRIDABLE'],
    [suite, { ...choice, environmentIds: ['e1'], clientIds: ['c1'] }, 'HETEROGENEOUS_TARGETS'],
    [suite, { ...choice, clientIds: ['c2'] }, 'VALIDATION_ERROR'],
    [suite, { ...choice, environmentIds: ['e1', 'e2'] }, undefined],
    [{ ...suite, environmentIds: ['e1'] }, choice, undefined],
    [{}, choice, 'NO_SAVED_SERVER_SELECTION'],
    [{}, { ...choice, serverIds: ['x'] }, undefined],
    [{ environmentIds: null, environment: { servers: ['a'] } }, choice, undefined],
  ])('for %j with %j say %s', (given, chosen, reason) => expect(launchObstacle(given, chosen)?.reason).toBe(reason))
})
