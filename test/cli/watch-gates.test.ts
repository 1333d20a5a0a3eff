import { expect, test } from 'vitest'
import type { Ending } from '../service/harness.ts'
import { trial } from './runs-double.ts'
import { openStage } from './stage.ts'

/** A passed run with every kind of trial. */
async function openGraded(ending: Ending) {
  const stage = await openStage(ending)
  stage.service.trials = [
    trial('a'),
    trial('b'),
    trial('c', { result: null, status: 'failed' }),
    trial('d', { result: 'failed' }),
  ]
  stage.service.put('r1', { status: 'completed', result: 'passed', completedAt: Date.now() })
  return stage
}

test.concurrent('the pass rate divides by the graded trials, and an unknown rate ends with 3', async ending => {
  const { service, conclusionOf } = await openGraded(ending)
  const enough = ['--min-graded', '75%']
  expect(await conclusionOf('r1', '--min-pass-rate', '66%', ...enough)).toMatchObject({
    code: 0,
    end: {
      part: '3 of 4 trials graded',
      gates: [
        { gate: 'min-graded', wanted: 0.75, actual: 0.75, passed: true },
        { gate: 'min-pass-rate', wanted: 0.66, actual: 2 / 3, passed: true },
      ],
    },
  })
  expect(await conclusionOf('r1', '--min-pass-rate', '67%', ...enough)).toMatchObject({
    code: 1,
    end: { because: 'gate', verdict: 'passed', gates: [{}, { passed: false }] },
  })
  expect(await conclusionOf('r1', '--min-pass-rate', '66%')).toMatchObject({
    code: 3,
    end: { because: 'unknown_gate', gates: [{ wanted: 1, passed: null }, { passed: null }] },
  })
  service.trials = [trial('c', { result: null, status: 'failed' })]
  expect(await conclusionOf('r1', '--min-pass-rate', '1%')).toMatchObject({
    code: 3,
    end: { because: 'unknown_gate', passRate: null, gates: [{ actual: 0 }, { actual: null, passed: null }] },
  })
})

test.concurrent('with --gates-only, gates do not pass if only one of twelve trials was graded', async ending => {
  const { service, watch, conclusionOf } = await openStage(ending)
  const broken = (_none: unknown, index: number) => trial(`t${index}`, { result: null, status: 'failed' })
  service.trials = [trial('a'), ...Array.from({ length: 11 }, broken)]
  service.put('r1', { status: 'completed', result: null, completedAt: Date.now() })
  const gates = ['--gates-only', '--min-pass-rate', '95%']
  expect(await conclusionOf('r1', ...gates)).toMatchObject({
    code: 3,
    end: { because: 'unknown_gate', verdict: null, passRate: 1, gates: [{ actual: 1 / 12 }, { actual: 1 }] },
  })
  const { code, stdout } = await watch('r1', ...gates)
  expect(code).toBe(3)
  expect(stdout).toContain('gate min-graded: not known, 1 of 12 trials graded, at least 100% must be')
  expect(await watch('r1', ...gates, '--min-graded', '8%')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('The gates passed, and they decide; the run itself has no verdict.'),
  })
  expect(await watch('r1', '--gates-only', '--min-graded', '8%')).toMatchObject({ code: 2 })
})

test.concurrent('broken or hung trials fail a run without a verdict only if a gate limits them', async ending => {
  const { service, watch, conclusionOf } = await openStage(ending)
  const ended = (trialClass: string) => trial(trialClass, { result: null, status: 'failed', startedAt: 1, trialClass })
  service.trials = [trial('a'), ended('execution_failed'), ended('timed_out'), ended('setup_failed')]
  service.put('r1', { status: 'completed', result: null, completedAt: Date.now() })
  expect(await conclusionOf('r1')).toMatchObject({ code: 3 })
  expect(await conclusionOf('r1', '--max-broken', '0')).toMatchObject({
    code: 1,
    end: { because: 'gate', verdict: null, gates: [{}, { gate: 'max-broken', actual: 2, passed: false }] },
  })
  expect((await watch('r1', '--max-broken', '1', '--gates-only')).stdout).toContain(
    'gate max-broken: FAILED, 1 trial broke off and 1 timed out, at most 1 allowed',
  )
  expect(await conclusionOf('r1', '--max-broken', '2')).toMatchObject({ code: 3 })
  service.put('r1', { status: 'cancelled' })
  expect(await conclusionOf('r1', '--max-broken', '0')).toMatchObject({ code: 3 })
})

test.concurrent('a withheld verdict is distinguished from one that was never established', async ending => {
  const { service, watch, conclusionOf } = await openStage(ending)
  service.put('r1', { status: 'completed', decisionSummary: { decision: 'inconclusive' } })
  expect(await conclusionOf('r1')).toMatchObject({ code: 3, end: { because: 'inconclusive', verdict: null } })
  expect((await watch('r1')).stdout).toMatch(/^Inconclusive, the verdict was withheld/m)
  const undecided = { reason: 'undecidable', message: 'Two cases have no verdict.' }
  service.put('r1', { decisionSummary: { decision: null, verdict: 'notEstablished', undecided } })
  expect(await conclusionOf('r1')).toMatchObject({ code: 3, end: { because: 'undecided', verdict: null } })
  expect((await watch('r1')).stdout).toContain('Undecided: Two cases have no verdict.')
})

test.concurrent('how much of a run was graded is shown beside the verdict', async ending => {
  const { service, watch } = await openStage(ending)
  const counts = { total: 1, passed: 1, failed: 0, undecided: 0 }
  service.trials = [trial('a'), trial('b', { testCaseId: 'a', result: null, status: 'failed' })]
  const decisionSummary = { measurementUnit: 'case_executions', decision: 'passed', counts }
  service.put('r1', { status: 'completed', result: 'passed', decisionSummary })
  const { code, stdout } = await watch('r1')
  expect(code).toBe(0)
  expect(stdout).toContain('Passed, 1 of 2 trials graded.')
  expect(stdout).toContain('1 case execution, 1 passed, 0 failed (100% of the graded passed)')
})

test.concurrent('with --gates-only the gates alone decide, and the failed ones are named', async ending => {
  const { service, watch, conclusionOf } = await openGraded(ending)
  service.put('r1', { result: 'failed' })
  expect(await conclusionOf('r1', '--min-pass-rate', '50%')).toMatchObject({ code: 1, end: { because: 'failed' } })
  const graded = ['--min-graded', '75%']
  expect(await conclusionOf('r1', '--min-pass-rate', '50%', '--gates-only', ...graded)).toMatchObject({
    code: 0,
    end: { because: 'gates_passed', verdict: 'failed' },
  })
  const { code, stdout } = await watch('r1', '--max-duration', '1s', '--gates-only', ...graded)
  expect(code).toBe(1)
  expect(stdout).toMatch(/^gate max-duration: FAILED, took \d+(?:\.\d)?s, at most 1s allowed$/m)
  service.put('r1', { status: 'cancelled' })
  expect(await conclusionOf('r1', '--min-pass-rate', '50%', '--gates-only')).toMatchObject({ code: 3 })
})

test.concurrent('--no-new-failures-against compares the run with an existing one', async ending => {
  const { service, watch, conclusionOf } = await openGraded(ending)
  service.trials = [trial('a'), trial('d', { result: 'failed' })]
  const side = (outcome: string, id: string) => ({ outcome, iterationIds: [id] })
  const compared = (cases: object[]) => ({
    suite: { id: 's1' },
    baseline: { policy: 'run', baseRunId: 'r0' },
    baseRun: { id: 'r0' },
    compareRun: { id: 'r1' },
    cases,
  })
  let cases: object[] = []
  service.answers['GET /projects/p1/eval-runs/r1/compare'] = () => ({ body: compared(cases) })
  service.put('r0', { suiteId: 's1', status: 'completed', result: 'failed', createdAt: 1 })
  cases = [
    {
      caseKey: 'd',
      title: 'Case d',
      status: 'unchanged_failed',
      base: side('failed', 'x'),
      compare: side('failed', 'd'),
    },
  ]
  expect(await conclusionOf('r1', '--no-new-failures-against', 'last-passed')).toMatchObject({
    code: 3,
    end: { gates: [{}, { passed: null, says: 'the suite has no earlier run that passed' }], comparison: null },
  })
  const says = '1 case failed in run r0 too, which did not pass; name it as the base to accept that'
  expect(await conclusionOf('r1', '--no-new-failures-against', 'last')).toMatchObject({
    code: 3,
    end: { because: 'unknown_gate', gates: [{}, { passed: null, says }], comparison: { base: { passed: false } } },
  })
  expect(await conclusionOf('r1', '--no-new-failures-against', 'r0')).toMatchObject({
    code: 0,
    end: {
      gates: [{ passed: true }, { actual: 0, passed: true }],
      comparison: { baseRunId: 'r0', counts: { 'still-failing': 1 } },
    },
  })
  cases = [
    { caseKey: 'd', title: 'Case d', status: 'regressed', base: side('passed', 'x'), compare: side('failed', 'd') },
  ]
  expect(await conclusionOf('r1', '--no-new-failures-against', 'last')).toMatchObject({
    code: 1,
    end: { because: 'gate', gates: [{}, { actual: 1, passed: false, says: '1 new failure: Case d' }] },
  })
  service.answers['GET /projects/p1/eval-runs/r1/compare'] = () => ({
    status: 404,
    body: { code: 'NOT_FOUND', message: 'none', details: { reason: 'BASELINE_NOT_FOUND' } },
  })
  expect(await conclusionOf('r1', '--no-new-failures-against', 'baseline')).toMatchObject({
    code: 3,
    end: { because: 'unknown_gate', comparison: null },
  })
  expect(await watch('r1', '--no-new-failures-against', 'nowhere')).toMatchObject({ code: 2, stdout: '' })
  const elsewhere = 'https://api.example/api/v1/projects/p2/eval-runs/r0'
  const refused = await watch('r1', '--no-new-failures-against', elsewhere)
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toContain('Run r0 is of project p2')
})
