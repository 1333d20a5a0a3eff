import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SwarmOverview } from '../../api/contract/journey-runs.ts'
import { overviewOf, type ConsideredRun } from './handlers.ts'

const DAY = 24 * 60 * 60 * 1000
const NOON = Date.UTC(2026, 0, 15, 12)

type Sessions = { graded?: number; passed?: number; pending?: number; broken?: number }

let made = 0

/** Creates a run with these graded sessions. `failed` is the number of sessions that failed each criterion. */
function run(
  { graded = 0, passed = 0, pending = 0, broken = 0 }: Sessions,
  failed: Record<string, number> = {},
  more: Partial<ConsideredRun> = {},
): ConsideredRun {
  made += 1
  const total = graded + pending + broken
  return {
    runId: `run-${made}`,
    journeyId: 'journey',
    journeyName: 'Sums',
    journeyArchived: false,
    personaName: 'Ada',
    status: 'completed',
    canceled: false,
    stale: false,
    waveId: 'wave',
    summary: { total, succeeded: total, failed: 0, rateLimited: 0 },
    tally: {
      sessionsGraded: graded,
      pendingCount: pending,
      failedGradingCount: broken,
      failCount: graded - passed,
      goal: { passedCount: passed, avgScore: graded > 0 ? passed / graded : null },
      criteria: Object.entries(failed).map(([id, failCount]) => ({
        id,
        label: id.toUpperCase(),
        kind: 'check',
        passCount: graded - failCount,
        failCount,
        pendingCount: pending,
        failedGradingCount: broken,
      })),
    },
    targets: [{ hostName: 'Client', modelId: 'a/b' }],
    createdAt: NOON,
    ...more,
  }
}

test('without graded sessions there is no rate instead of a rate of zero', () => {
  const nothing = { gradedCount: 0, passedCount: 0, passRate: null, runsWithGrades: 0, trend: [] }
  expect(overviewOf([])).toEqual({ runs: [], runsConsidered: 0, goalCompletion: nothing })
  const overview = overviewOf([run({ pending: 2, broken: 1 }, { a: 0 })])
  expect(overview).toMatchObject({ runsConsidered: 1, goalCompletion: nothing })
  expect(overview.runs).toMatchObject([{ goalCompletion: null, findings: [], summary: { total: 3 } }])
})

test('a run shows its goals and failed criteria from graded sessions only', () => {
  const [shown] = overviewOf([run({ graded: 4, passed: 1, pending: 30, broken: 6 }, { a: 3, b: 0 })]).runs ?? []
  expect(shown).toMatchObject({
    journeyName: 'Sums',
    personaName: 'Ada',
    waveId: 'wave',
    goalCompletion: { gradedCount: 4, passedCount: 1, avgScore: 0.25, pendingCount: 30, failedCount: 6 },
    findings: [
      {
        criterionId: 'a',
        label: 'A',
        kind: 'check',
        failCount: 3,
        pendingCount: 30,
        failedGradingCount: 6,
        sessionsGraded: 4,
        runStreak: 1,
      },
    ],
    targets: [{ hostName: 'Client', modelId: 'a/b' }],
  })
  expect(shown).not.toHaveProperty('tally')
})

test('a streak counts consecutive failing runs of the same journey, and skips ungraded ones', () => {
  const failing = { graded: 2, passed: 2 }
  const runs = [
    run(failing, { a: 1, b: 1 }),
    run({ pending: 2 }, { a: 0, b: 0 }),
    run(failing, { a: 0 }, { journeyId: 'other' }),
    run(failing, { a: 2, b: 0 }),
    run(failing, { a: 1, b: 1 }),
    run(failing, { a: 0, b: 1 }),
    run(failing, { a: 1, b: 1 }),
  ]
  const streaks = overviewOf(runs).runs?.map(({ findings }) =>
    findings?.map(({ criterionId, runStreak }) => `${criterionId}${runStreak}`).join(' '),
  )
  expect(streaks).toEqual(['a3 b1', '', '', 'a2', 'a1 b3', 'b2', 'a1 b1'])
})

test('the trend is by UTC day on which runs began, oldest first, without days that have no grades', () => {
  const midnight = NOON - DAY / 2
  const { goalCompletion } = overviewOf([
    run({ pending: 1 }, {}, { createdAt: midnight + DAY }),
    run({ graded: 1, passed: 1 }, {}, { createdAt: midnight }),
    run({ graded: 3, passed: 0 }, {}, { createdAt: midnight - 1 }),
    run({ graded: 1, passed: 1 }, {}, { createdAt: midnight - DAY }),
  ])
  expect(goalCompletion).toEqual({
    gradedCount: 5,
    passedCount: 2,
    passRate: 0.4,
    runsWithGrades: 3,
    trend: [
      { dayStartMs: midnight - DAY, gradedCount: 4, passedCount: 1, passRate: 0.25 },
      { dayStartMs: midnight, gradedCount: 1, passedCount: 1, passRate: 1 },
    ],
  })
})

test('the totals of an overview are consistent for any runs', () => {
  const sessions = fc
    .record({ graded: fc.nat(5), pending: fc.nat(3), broken: fc.nat(3) })
    .chain(counts => fc.record({ counts: fc.constant(counts), passed: fc.nat(counts.graded) }))
  const any = fc
    .record({ sessions, journeyId: fc.constantFrom('a', 'b'), day: fc.nat(3) })
    .map(({ sessions: { counts, passed }, journeyId, day }) =>
      run({ ...counts, passed }, { x: counts.graded - passed }, { journeyId, createdAt: NOON + day * DAY }),
    )
  fc.assert(
    fc.property(fc.array(any, { maxLength: 12 }), runs => {
      const overview = SwarmOverview().parse(overviewOf(runs))
      const goals = overview.goalCompletion!
      const shown = overview.runs ?? []
      const total = (values: (number | null | undefined)[]) =>
        values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
      expect(shown).toHaveLength(runs.length)
      expect(goals.gradedCount).toBe(total(shown.map(({ goalCompletion }) => goalCompletion?.gradedCount)))
      expect(goals.passedCount).toBe(total(goals.trend!.map(({ passedCount }) => passedCount)))
      expect(goals.runsWithGrades).toBe(shown.filter(({ goalCompletion }) => goalCompletion !== null).length)
      if (goals.passRate === null) expect(goals.gradedCount).toBe(0)
      else expect(goals.passRate).toBe(goals.passedCount! / goals.gradedCount!)
      for (const { findings, goalCompletion } of shown)
        expect(findings).toHaveLength(
          goalCompletion && goalCompletion.passedCount! < goalCompletion.gradedCount! ? 1 : 0,
        )
    }),
  )
})
