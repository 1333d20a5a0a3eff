import { describe, expect, test } from 'vitest'
import { outcomeLook } from '../../components/conversations/session-row.ts'
import { stopRuns } from './actions.ts'
import { launchedToday, launchSize, sessionsIn } from './launch-size.ts'
import { gradesText, ungradedSessions, waveProgress, wavesOf, waveStates, type RunInWave } from './waves.ts'

const run = (runId: string, more: object = {}) => ({
  runId,
  waveId: 'w',
  journeyName: runId,
  status: 'running',
  ...more,
})
const known = (id: string, state: RunInWave['state']): RunInWave => ({
  id,
  waveId: 'w',
  journeyId: 'j',
  journeyName: id,
  name: id,
  state,
  total: 2,
  ended: 0,
  failed: undefined,
  at: 1,
})

test('stopped, stale and failed runs differ, and the most severe is listed first', () => {
  const failed = { status: 'failed', canceled: false, stale: false }
  const runs = [
    run('a', { ...failed, canceled: true }),
    run('b', { ...failed, stale: true }),
    run('c', failed),
    run('d', { status: 'failed' }),
    run('e'),
  ]
  const [wave] = wavesOf(runs, {})
  expect(waveStates(wave!)).toEqual([
    ['running', 1],
    ['failed', 1],
    ['stale', 1],
    ['failed_or_canceled', 1],
    ['canceled', 1],
  ])
})

test('a run seen in flight stays until there is an answer, and then follows it', () => {
  const seen = { a: known('a', 'running') }
  expect(wavesOf([], seen)).toMatchObject([{ id: 'w', runs: [{ id: 'a', state: 'running' }] }])
  expect(wavesOf([run('a', { status: 'completed' })], seen)[0]!.runs).toMatchObject([{ state: 'completed' }])
})

test('a finished run is not a success if graded sessions missed their goal, or only some are graded', () => {
  const graded = (runId: string, gradedCount: number, passedCount: number, succeeded = gradedCount) =>
    run(runId, {
      status: 'completed',
      summary: { total: succeeded, succeeded },
      goalCompletion: { gradedCount, passedCount },
    })
  const runs = [graded('a', 3, 3), graded('b', 2, 0), graded('d', 1, 1, 2), run('c', { status: 'completed' })]
  expect(waveStates(wavesOf(runs, {})[0]!)).toEqual([
    ['missed', 1],
    ['ungraded', 1],
    ['completed', 2],
  ])
  expect(outcomeLook('missed').tone).toBe('warn')
  expect(outcomeLook('ungraded').tone).toBe('warn')
})

test('a finished run without any grade is no success: grading may be still to come', () => {
  const summary = { total: 2, succeeded: 2 }
  const runs = [undefined, { gradedCount: 0, passedCount: 0 }].map((goalCompletion, index) =>
    run(String(index), { status: 'completed', summary, ...(goalCompletion && { goalCompletion }) }),
  )
  expect(waveStates(wavesOf(runs, {})[0]!)).toEqual([['unjudged', 2]])
  expect(outcomeLook('unjudged').tone).not.toBe('ok')
})

test('a run stopped here counts as stopped, unless an answer says that it had ended', () => {
  const stopped = { a: known('a', 'canceled') }
  for (const answer of [{ status: 'running' }, { status: 'failed' }])
    expect(wavesOf([run('a', answer)], stopped)[0]!.runs).toMatchObject([{ state: 'canceled' }])
  expect(wavesOf([run('a', { status: 'completed' })], stopped)[0]!.runs).toMatchObject([{ state: 'completed' }])
})

test('runs of one wave are grouped, latest wave first; a run without a wave is its own group', () => {
  const summary = { total: 2, succeeded: 1, failed: 1, rateLimited: 0 }
  const runs = [
    run('a', { createdAt: 1, summary }),
    run('b', { createdAt: 2, summary }),
    run('c', { waveId: null, createdAt: 3 }),
  ]
  const waves = wavesOf(runs, {})
  expect(waves.map(({ id, name }) => [id, name])).toEqual([
    ['c', 'c'],
    ['w', 'a, b'],
  ])
  expect(waves.map(waveProgress)).toEqual([undefined, { ended: 4, total: 4 }])
})

test('the size of a launch is targets × sessions, and unknown if the targets are', () => {
  const journey = { id: 'j', name: 'J', environmentIds: ['a', 'b'], sessionsPerTarget: 3, maxTurns: 4 }
  expect(sessionsIn(launchSize(journey, []))).toBe(6)
  expect(sessionsIn(launchSize(journey, ['c']))).toBe(3)
  expect(sessionsIn(launchSize({ ...journey, environmentIds: null }, []))).toBeUndefined()
})

test('the launches of the day are those since midnight UTC', () => {
  const day = 24 * 60 * 60_000
  const runs = [run('a', { createdAt: day - 1 }), run('b', { createdAt: day }), run('c', { createdAt: day + 5 })]
  expect(launchedToday({ runs }, day + 10)).toBe(2)
})

describe('the grades of a wave', () => {
  test('report a broken grader beside the graded trials, and leave unknown grades out', () => {
    expect(gradesText({})).toBeUndefined()
    expect(gradesText({ sessionsGraded: 2, failCount: 1, failedGradingCount: 0 })).toBe(
      '2 graded, 1 missed goal or criteria',
    )
    expect(gradesText({ sessionsGraded: 2, failCount: 1, failedGradingCount: 3 })).toContain('3 could not be graded')
  })

  test('count finished sessions without a grade over all runs', () => {
    const run = (succeeded: number, gradedCount?: number) => ({
      summary: { total: 9, succeeded },
      ...(gradedCount !== undefined && { goalCompletion: { gradedCount } }),
    })
    const runs = [run(3, 2), run(2), run(1, 4)] as unknown as Parameters<typeof ungradedSessions>[0]
    expect(ungradedSessions(runs)).toBe(3)
    expect(ungradedSessions(null)).toBe(0)
  })
})

test('a stop of runs that had all ended before is no success', () => {
  const done = (stopped: number, ended: number) => stopRuns.done({ stopped, ended }, { name: 'Flock', flying: 2 })
  expect(done(2, 0)).toBe('Flock is stopped.')
  expect(done(1, 1)).toBe('Flock: 1 run stopped, 1 run had already ended.')
  expect(done(0, 2)).toEqual({ tone: 'warn', text: 'Nothing was stopped: 2 runs of Flock had already ended.' })
})
