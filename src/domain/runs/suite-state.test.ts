import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import { isPlainlyPassed, reportRun, runReportLabel, suiteStateOf, type ListedRun } from './suite-state.ts'

type Made = {
  at: number
  result?: 'passed' | 'failed' | null
  status?: string
  cases?: [selected: number, total: number]
  /** Numbers of passed, failed and all trials. */
  trials?: [passed: number, failed: number, total: number]
  rerunOf?: string
}

function made({ at, result = null, status = 'completed', cases, trials, rerunOf }: Made): ListedRun {
  const [passed, failed, total] = trials ?? [1, 0, 1]
  const counts = { passed, failed, total, undecided: total - passed - failed }
  return {
    id: `r${at}`,
    status,
    result,
    createdAt: at,
    summary: { passed, failed, total },
    decisionSummary: {
      measurementUnit: 'trials',
      decision: result,
      counts: { ...counts, trials: { total, passed, failed, timed_out: counts.undecided } },
    },
    ...(cases && { selectedCaseCount: cases[0], totalCaseCount: cases[1] }),
    ...(rerunOf !== undefined && { rerunOf }),
  }
}

const whole = (at: number, result: 'passed' | 'failed'): ListedRun =>
  made({ at, result, cases: [6, 6], trials: result === 'passed' ? [6, 0, 6] : [3, 3, 6] })

function stateOf(...runs: ListedRun[]) {
  return suiteStateOf({ suite: {}, runs })
}

describe('the state of a suite', () => {
  test('is judged by its last run over everything, whatever a partial rerun says', () => {
    const rerun = made({ at: 2, result: 'passed', cases: [3, 6], trials: [3, 0, 3], rerunOf: 'r1' })
    const state = stateOf(rerun, whole(1, 'failed'))
    expect(state).toMatchObject({ outcome: 'failed', isPlainlyPassed: false })
    expect(state.judgedBy?.run.id).toBe('r1')
    expect(state.latest?.coverage).toMatchObject({ cases: { selected: 3, total: 6 }, isRerun: true, isWhole: false })
    expect(state.trend).toEqual([0.5, undefined])
  })

  test('is plainly passed only after a run over everything', () => {
    expect(stateOf(whole(1, 'passed')).isPlainlyPassed).toBe(true)
    const part = stateOf(made({ at: 1, result: 'passed', cases: [3, 6], trials: [3, 0, 3] }))
    expect(part).toMatchObject({ outcome: 'passed', isPlainlyPassed: false })
    const undecided = stateOf(made({ at: 1, result: 'passed', cases: [1, 1], trials: [1, 0, 12] }))
    expect(undecided).toMatchObject({ outcome: 'passed', isPlainlyPassed: false })
    expect(undecided.latest?.coverage.graded).toEqual({ count: 1, passed: 1, total: 12, unit: 'trials' })
  })

  test('is not judged by a mostly undecided run if an earlier one covered everything', () => {
    const mostly = made({ at: 2, result: 'passed', cases: [1, 1], trials: [1, 0, 12] })
    const earlier = made({ at: 1, result: 'failed', cases: [1, 1], trials: [9, 3, 12] })
    expect(stateOf(mostly, earlier)).toMatchObject({ outcome: 'failed', judgedBy: { run: { id: 'r1' } } })
  })

  test('has no full bar in its trend for a run in which all graded trials passed but some were not graded', () => {
    const most = made({ at: 1, result: 'passed', cases: [1, 1], trials: [9, 0, 12] })
    expect(stateOf(most).trend).toEqual([0.75])
  })

  test.each(['failed', null] as const)('is not green if a part of it did not pass (%s)', result => {
    const part = made({ at: 2, result, cases: [1, 6], trials: [0, result ? 1 : 0, 1] })
    const state = stateOf(part, whole(1, 'passed'))
    expect(state).toMatchObject({ outcome: result ?? 'undecided', isPlainlyPassed: false })
    expect(state.judgedBy?.run.id).toBe('r2')
  })

  test('keeps its state while a run is in flight, and after a cancelled run', () => {
    const running = made({ at: 3, status: 'running', cases: [6, 6], trials: [2, 0, 6] })
    const cancelled = made({ at: 2, status: 'cancelled', cases: [6, 6], trials: [1, 0, 6] })
    const state = stateOf(running, cancelled, whole(1, 'failed'))
    expect(state).toMatchObject({ outcome: 'failed', latest: { outcome: 'in-flight' } })
    expect(runReportLabel(state.latest!)).toBe('running')
    // A cancelled run grades no further trials, so the ungraded ones are reported.
    expect(runReportLabel(reportRun(cancelled))).toBe('cancelled, 1 of 6 trials graded')
  })

  test('has no known verdict if its service gives only counts of the last run', () => {
    const latestRun = { id: 'r', status: 'completed', passed: 5, failed: 0, createdAt: 1 }
    const state = suiteStateOf({ suite: { latestRun } })
    expect(state).toMatchObject({ outcome: 'unknown', isPlainlyPassed: false, trend: undefined })
    expect(state.latest).toMatchObject({ counts: { passed: 5, failed: 0 }, coverage: { isWhole: undefined } })
  })

  test('is never-run if there was no run', () => {
    expect(suiteStateOf({ suite: { latestRun: null } })).toMatchObject({ outcome: 'never-run', isPlainlyPassed: false })
  })

  test('is not covered by its last run if it has gained cases since', () => {
    const suite = { latestRun: null, caseCount: 7 }
    const state = suiteStateOf({ suite, runs: [whole(1, 'passed')] })
    expect(state).toMatchObject({ outcome: 'passed', isPlainlyPassed: false })
    expect(state.latest?.coverage.cases).toEqual({ selected: 6, total: 7 })
  })

  test('uses the finished one of two answers for a run, and leaves out other records', () => {
    const record = { ...whole(1, 'passed'), suiteId: 's' }
    const suite = {
      latestRun: null,
      recentRuns: [record, { id: 4 }, null, { ...record, id: 'x', decisionSummary: 'x' }],
    }
    const state = suiteStateOf({ suite, runs: [{ ...record, status: 'running' }] })
    expect(state).toMatchObject({ outcome: 'passed', isPlainlyPassed: true, trend: [1] })
  })
})

test("what a run's record does not say is taken from its trials", () => {
  const run: ListedRun = { id: 'r', status: 'completed', result: 'passed', summary: { passed: 2, failed: 0 } }
  const trial = (id: string, result: 'passed' | null): EvalIteration => ({
    id,
    iterationNumber: 1,
    status: 'completed',
    testCaseId: id,
    result,
  })
  const trials = [trial('a', 'passed'), trial('b', 'passed')]
  expect(reportRun(run).coverage.isWhole).toBeUndefined()
  expect(reportRun(run, { trials, caseCount: 2 }).coverage.isWhole).toBe(true)
  expect(reportRun(run, { trials, caseCount: 3 }).coverage).toMatchObject({
    cases: { selected: 2, total: 3 },
    isWhole: false,
  })
  expect(reportRun(run, { isRerun: true }).coverage.isWhole).toBe(false)
  expect(reportRun(run, { trials: [...trials, trial('c', null)], caseCount: 3 }).coverage).toMatchObject({
    graded: { count: 2, total: 3, unit: 'trials' },
    isWhole: false,
  })
})

const count = fc.nat({ max: 12 })
const anyRun = fc
  .record({
    at: count,
    result: fc.constantFrom('passed', 'failed', null),
    status: fc.constantFrom('completed', 'failed', 'cancelled', 'running', 'weird'),
    cases: fc.option(fc.tuple(count, count), { nil: undefined }),
    counts: fc.tuple(count, count, count),
  })
  .map(({ at, result, status, cases, counts: [passed, failed, rest] }) =>
    made({ at, result, status, trials: [passed, failed, passed + failed + rest], ...(cases && { cases }) }),
  )

test('a suite is plainly green only if a run over all its cases passed fully graded, and no later one failed', () => {
  fc.assert(
    fc.property(fc.uniqueArray(anyRun, { selector: ({ id }) => id }), runs => {
      const state = suiteStateOf({ suite: {}, runs })
      if (!state.isPlainlyPassed || !state.judgedBy) return
      const judge = state.judgedBy.run as ListedRun & { selectedCaseCount: number; totalCaseCount: number }
      expect(judge.result).toBe('passed')
      expect(judge.selectedCaseCount).toBeGreaterThanOrEqual(judge.totalCaseCount)
      const { trials } = judge.decisionSummary!.counts as { trials: Record<string, number> }
      expect(trials['passed']! + trials['failed']!).toBe(trials['total'])
      expect(trials['total']).toBeGreaterThan(0)
      const later = runs.filter(run => Number(run.createdAt) > Number(judge.createdAt)).map(run => reportRun(run))
      for (const { outcome } of later) expect(['passed', 'in-flight', 'cancelled']).toContain(outcome)
      expect(isPlainlyPassed(state.judgedBy)).toBe(true)
    }),
  )
})
