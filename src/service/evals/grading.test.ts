import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { DecisionSummary, EvalRun } from '../../api/contract/runs.ts'
import { ServiceError } from '../core/errors.ts'
import { openDatabase } from '../../lib/sqlite.ts'
import { migrate } from '../core/database/migrations/migrations.ts'
import { createTrialRows } from '../runs/trial-rows.ts'
import type { GradedTrials } from './types.ts'
import { gradeRun, passThreshold, type GradingInput } from './grading.ts'
import { TRIAL_CLASSES, type TrialClass } from '../../domain/runs/trial-classes.ts'

const database = openDatabase(':memory:')
migrate(database)
// Rows of other tables are not needed, since grading reads only trials.
database.exec('PRAGMA foreign_keys = OFF')
afterAll(database.close)
const rows = createTrialRows(database)

/** Stores a new run with trials of these classes, one list for each case. */
function stored(cases: readonly (readonly TrialClass[])[]): GradedTrials {
  database.run('DELETE FROM trial')
  const trials = cases.flatMap((ofCase, c) => ofCase.map((kind, t) => ({ c, t, kind })))
  rows.insert(
    trials.map(({ c, t, kind }, position) => ({
      id: `it-${c}-${t}`,
      runId: 'r',
      position,
      casePosition: c,
      caseId: `case-${c}`,
      title: `Case ${c}`,
      iterationNumber: t + 1,
      status: 'completed',
      class: kind,
      result: null,
      error: kind === 'passed' ? null : `because ${kind}`,
      startedAt: null,
      durationMs: null,
      tokensUsed: null,
    })),
  )
  return rows.graded('r')
}

const input = (cases: TrialClass[][], rest: Partial<GradingInput> = {}): GradingInput => ({
  trials: stored(cases),
  phase: 'ended',
  threshold: null,
  runPath: '/projects/p/eval-runs/r',
  ...rest,
})

const graded = (cases: TrialClass[][], rest: Partial<GradingInput> = {}) => {
  const { status, result, summary, decisionSummary } = gradeRun(input(cases, rest))
  const { decision, verdict, undecided } = decisionSummary
  return { status, result, decision, verdict, reason: undecided?.reason, passRate: summary.passRate }
}

const passed = { status: 'completed', result: 'passed', decision: 'passed', verdict: 'passed', reason: undefined }
const failed = { status: 'completed', result: 'failed', decision: 'failed', verdict: 'failed', reason: undefined }
const open = { result: null, verdict: 'notEstablished' }
const undecided = { ...open, status: 'completed', decision: null, reason: 'undecidable' }

describe('a verdict with grading by case', () => {
  test.each([
    [[['passed', 'passed'], ['passed']], { ...passed, passRate: 1 }],
    [[['passed', 'failed'], ['passed']], { ...failed, passRate: 0.5 }],
    [[['passed', 'evaluator_error'], ['passed']], { ...passed, passRate: 1 }],
    [[['failed', 'evaluator_error']], { ...failed, passRate: 0 }],
    [[['evaluator_error'], ['passed']], { ...undecided, passRate: 1 }],
    [[['evaluator_error'], ['failed']], { ...failed, passRate: 0 }],
    [[['timed_out'], ['execution_failed']], { ...undecided, passRate: null }],
    [[['setup_failed'], ['passed']], { ...undecided, passRate: 1 }],
    [[['setup_failed', 'setup_failed'], ['setup_failed']], { ...undecided, status: 'failed', passRate: null }],
    [[], { ...undecided, status: 'failed', passRate: null }],
  ] as [TrialClass[][], object][])('is computed from the trials %j', (cases, expected) => {
    expect(graded(cases)).toEqual(expected)
  })
})

describe('a verdict with a threshold for the suite', () => {
  test.each([
    [
      [
        ['passed', 'failed'],
        ['passed', 'passed'],
      ],
      0.75,
      { ...passed, passRate: 0.75 },
    ],
    [
      [
        ['passed', 'failed'],
        ['passed', 'passed'],
      ],
      0.76,
      { ...failed, passRate: 0.75 },
    ],
    [
      [
        ['passed', 'evaluator_error'],
        ['failed', 'passed'],
      ],
      2 / 3,
      { ...passed, passRate: 2 / 3 },
    ],
    [[['failed']], 0, { ...passed, passRate: 0 }],
    [[['passed'], ['timed_out']], 0.5, { ...undecided, passRate: 1 }],
    [[['evaluator_error']], 0, { ...undecided, passRate: null }],
  ] as [TrialClass[][], number, object][])('is computed from the trials %j at %s', (cases, threshold, expected) => {
    expect(graded(cases, { threshold })).toEqual(expected)
  })

  test('counts trials, not cases, even of cases that no trial graded', () => {
    const cases: TrialClass[][] = [
      ['passed', 'failed'],
      ['passed', 'evaluator_error'],
    ]
    const trials = { total: 4, passed: 2, failed: 1, evaluator_error: 1 }
    expect(gradeRun(input(cases, { threshold: 0.5 })).decisionSummary).toMatchObject({
      measurementUnit: 'trials',
      counts: { total: 4, passed: 2, failed: 1, undecided: 1, trials },
    })
    expect(gradeRun(input(cases)).decisionSummary).toMatchObject({
      measurementUnit: 'case_executions',
      counts: { total: 2, passed: 1, failed: 1, undecided: 0, trials },
    })
  })
})

test('cancelled and unfinished runs have no verdict, whatever their trials measured', () => {
  const cases: TrialClass[][] = [['failed'], ['cancelled']]
  const stopped = { ...open, status: 'cancelled', decision: null, reason: 'stopped_early', passRate: 0 }
  expect(graded(cases, { phase: 'cancelled' })).toEqual(stopped)
  const unfinished = { ...open, status: 'running', decision: null, reason: 'unfinished', passRate: 1 }
  expect(graded([['passed'], ['pending']], { phase: 'running' })).toEqual(unfinished)
})

test('the evidence is the trace of the first failed trial, and absent if no trial failed', () => {
  const { decisionSummary } = gradeRun(input([['timed_out'], ['passed', 'failed'], ['failed']]))
  expect(decisionSummary.evidence).toEqual({ tracePath: '/projects/p/eval-runs/r/iterations/it-1-1/trace' })
  expect(gradeRun(input([['timed_out']])).decisionSummary.evidence).toBeNull()
})

test('a run without a verdict says why', () => {
  const { undecided } = gradeRun(input([['passed'], ['setup_failed']])).decisionSummary
  expect(undecided).toEqual({ reason: 'undecidable', message: 'because setup_failed' })
})

describe('the diagnostics of a run', () => {
  const cases = Array.from({ length: 50 }, (): TrialClass[] => ['passed', 'failed'])
  const page = (cursor?: string, limit?: number) =>
    gradeRun(input(cases, { page: { ...(cursor && { cursor }), ...(limit && { limit }) } })).decisionSummary.diagnostics

  test('have pages of twenty by default, and a page after a cursor is never complete', () => {
    const first = page()
    expect(first).toMatchObject({ complete: false, scannedIterations: 40, nextCursor: 'it-19-1' })
    expect(first.failures).toHaveLength(20)
    expect(first.failures[0]).toEqual({
      iterationId: 'it-0-1',
      caseId: 'case-0',
      title: 'Case 0',
      iterationNumber: 2,
      class: 'failed',
      reason: 'because failed',
    })
    const second = page(first.nextCursor ?? '')
    const third = page(second.nextCursor ?? '')
    expect(third).toMatchObject({ complete: false, scannedIterations: 20, nextCursor: null })
    const ids = [first, second, third].flatMap(({ failures }) => failures.map(failure => failure.iterationId))
    expect(ids).toEqual(cases.map((_trials, index) => `it-${index}-1`))
    expect(page(undefined, 50)).toMatchObject({ complete: true, scannedIterations: 100, nextCursor: null })
  })

  test('refuse a cursor of another run', () => {
    expect(() => page('it-99-9')).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', details: { field: 'cursor' } }),
    )
  })

  test('leave out trials that have not ended, and are not complete for an unfinished run', () => {
    const { diagnostics } = gradeRun(
      input([['pending', 'evaluator_error'], ['cancelled']], { phase: 'running' }),
    ).decisionSummary
    expect(diagnostics.failures.map(failure => failure.class)).toEqual(['evaluator_error'])
    expect(diagnostics.complete).toBe(false)
  })
})

test.each([
  [{}, null],
  [{ minimumAccuracy: 80 }, 0.8],
  [{ minimumAccuracy: 1 }, 0.01],
  [{ minimumPassRate: 0.5, minimumAccuracy: 80 }, 0.5],
  [{ minimumPassRate: 1 }, 1],
  [{ minimumPassRate: 80 }, 0.8],
  [{ minimumPassRate: null, minimumAccuracy: null }, null],
])('the settings %j give the threshold %s', (settings, fraction) => {
  expect(passThreshold(settings)).toBe(fraction)
})

test.each([{ minimumPassRate: 101 }, { minimumPassRate: -0.1 }, { minimumAccuracy: 100.5 }, { minimumPassRate: NaN }])(
  'the threshold %j is refused',
  settings => {
    expect(() => passThreshold(settings)).toThrow(ServiceError)
  },
)

test('7 of 100 trials reach the threshold 0.07, given as a fraction or as a percentage', () => {
  const cases = [Array.from({ length: 100 }, (_none, index): TrialClass => (index < 7 ? 'passed' : 'failed'))]
  for (const threshold of [passThreshold({ minimumPassRate: 0.07 }), passThreshold({ minimumAccuracy: 7 })])
    expect(graded(cases, { threshold }).decision).toBe('passed')
})

test('counts add up, errors never count as failures, and the answer matches the contract', () => {
  const cases = fc.array(fc.array(fc.constantFrom(...TRIAL_CLASSES), { minLength: 1, maxLength: 5 }), { maxLength: 8 })
  const threshold = fc.option(fc.double({ min: 0, max: 1, noNaN: true }))
  fc.assert(
    fc.property(
      cases,
      threshold,
      fc.constantFrom('ended' as const, 'running' as const, 'cancelled' as const),
      (trials, minimum, phase) => {
        const grade = gradeRun(input(trials, { threshold: minimum, phase }))
        const { counts, decision, verdict } = DecisionSummary().parse(
          grade.decisionSummary,
        ) as typeof grade.decisionSummary
        expect(counts.passed + counts.failed + counts.undecided).toBe(counts.total)
        expect(counts.total).toBe(minimum === null ? trials.length : trials.flat().length)
        const { total, ...classes } = counts.trials
        expect(Object.values(classes).reduce((sum, count) => sum + count, 0)).toBe(total)
        expect(grade.summary).toMatchObject({ total: counts.total, passed: counts.passed, failed: counts.failed })
        if (!trials.flat().includes('failed')) expect(decision).not.toBe('failed')
        expect(grade.result).toBe(decision)
        expect(verdict).toBe(grade.result ?? 'notEstablished')
        EvalRun().parse({ id: 'r', suiteId: 's', createdAt: 0, ...grade })
      },
    ),
  )
})
