import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EvalRun } from '../../api/contract/runs.ts'
import type { EvalSuiteDetail } from '../../api/contract/suites.ts'
import { shownIn, toRows, waitingCount } from '../../screens/now/columns.ts'
import { systemClock } from '../../lib/clock.ts'
import { localClock } from '../../lib/times.ts'
import { createNowMemory } from './memory.ts'
import { dueRhythm, mayBeScheduled, missedAt, rhythmOf } from './rhythm.ts'
import { RUNS_READ } from './proof.ts'
import { runLines, wantsRuns } from './run-lines.ts'
import { weekOf, weekSum } from './week.ts'

const [HOUR, DAY] = [3_600_000, 24 * 3_600_000]
const NOW = Date.UTC(2026, 10, 21, 12)
const project = { id: 'prj_1', name: 'Sandbox' }

function run(number: number, ago: number, fields: Partial<EvalRun> = {}): EvalRun {
  const createdAt = NOW - ago
  const passed = { result: 'passed', summary: { passed: 2, failed: 0, total: 2 } }
  return { id: `r${number}`, suiteId: 's', runNumber: number, status: 'completed', createdAt, ...passed, ...fields }
}
const FAILED = { result: 'failed', summary: { passed: 1, failed: 1, total: 2 } } as const

function linesOf(runs: EvalRun[], id = 's', asOf = NOW, schedule?: EvalSuiteDetail['schedule']) {
  const value = runs.map(each => ({ ...each, suiteId: id }))
  return runLines({
    project,
    suite: { id, name: `suite ${id}` },
    runs: { value, at: asOf },
    trialsOf: () => undefined,
    schedule,
    now: NOW,
    asOf,
  })
}
/** Returns seven nights of passing runs, the last of which started this long ago. */
const nights = (last: number) => Array.from({ length: 7 }, (_, night) => run(7 - night, last + night * DAY))

describe('a suite that runs every night', () => {
  const when = fc.record({
    last: fc.integer({ min: 0, max: 6 * DAY }),
    off: fc.array(fc.integer({ min: -40 * 60_000, max: 40 * 60_000 }), { minLength: 7, maxLength: 7 }),
    others: fc.array(fc.integer({ min: 0, max: 9 * DAY }), { maxLength: 8 }),
    asOf: fc.integer({ min: 0, max: 7 * DAY }),
  })

  test('is missed only once it is late, whatever else ran, and not if a run may have come in the meantime', () => {
    fc.assert(
      fc.property(when, ({ last, off, others, asOf }) => {
        const times = [...off.map((ms, night) => NOW - last - night * DAY + ms), ...others.map(ago => NOW - ago)]
        const rhythm = rhythmOf(times)
        expect(rhythm).toMatchObject({ isDaily: true })
        const due = missedAt(rhythm, times, NOW - asOf)
        if (due === undefined) return
        expect(NOW - asOf).toBeGreaterThan(due)
        expect(Math.max(...times)).toBeLessThan(due)
        expect(missedAt(rhythm, [...times, due + HOUR], NOW)).toBeUndefined()
        expect(missedAt(rhythm, times, due)).toBeUndefined()
      }),
    )
  })

  test('is not expected of a suite that runs on workdays only, rarely, or irregularly', () => {
    const workdays = [0, 1, 2, 3, 4, 7, 8, 9, 10, 11, 14].map(day => NOW - day * DAY)
    expect(rhythmOf(workdays)).toBeUndefined()
    expect(
      rhythmOf(
        nights(0)
          .slice(0, 6)
          .map(({ createdAt }) => Number(createdAt)),
      ),
    ).toBeUndefined()
    expect(rhythmOf([0, 3, 4, 30, 50, 51, 90].map(hours => NOW - hours * HOUR))).toBeUndefined()
    const hourly = Array.from({ length: 7 }, (_, index) => NOW - index * 2 * HOUR)
    expect(missedAt(rhythmOf(hourly), hourly, NOW + 3 * HOUR)).toBe(NOW + 2 * HOUR)
  })

  test('has a line if it did not run, even if nothing that was read before shows it', () => {
    const due = NOW - 4 * HOUR
    const [line] = linesOf(nights(28 * HOUR))
    expect(line).toMatchObject({ key: 'suite prj_1 s', urgency: 'high', isFault: true, word: 'missing', at: due })
    expect(line!.sentence).toBe(`suite s did not run, due ${localClock(due)} local time`)
    expect(linesOf(nights(28 * HOUR), 's', due)).toEqual([])
    expect(linesOf([run(8, HOUR), ...nights(28 * HOUR)])).toEqual([])
  })

  test('has one line when it also fails', () => {
    const runs = nights(28 * HOUR).map((each, index) => (index < 3 ? { ...each, ...FAILED } : each))
    const [line, ...others] = linesOf(runs)
    expect(others).toEqual([])
    expect(line!.sentence).toMatch(
      /^suite s #7 failed: 1 of 2 passed; failed since #5, 3 (days|nights); did not run, due \d\d:\d\d local time$/,
    )
    expect(line).toMatchObject({ news: 'new', at: NOW - 76 * HOUR })
  })
})

test('a suite with a schedule is missed after its interval if it ran three times by it, whatever else ran', () => {
  const when = fc.record({
    minutes: fc.integer({ min: 5, max: 7 * 24 * 60 }),
    others: fc.array(fc.double({ min: 0.1, max: 1.9, noNaN: true }), { maxLength: 2 }),
  })
  fc.assert(
    fc.property(when, ({ minutes, others }) => {
      const interval = minutes * 60_000
      const scheduled = (made: number[]) => dueRhythm(made, undefined, { enabled: true, intervalMinutes: minutes })
      const last = NOW - 3 * interval
      const times = [0, 1, 2, ...others].map(step => last - step * interval)
      expect(mayBeScheduled(times)).toBe(true)
      const due = last + interval
      expect(missedAt(scheduled(times), times, NOW)).toBe(due)
      expect(missedAt(scheduled(times), times, due)).toBeUndefined()
      expect(missedAt(scheduled([...times, due]), [...times, due], due + interval)).toBeUndefined()
    }),
  )
  expect(mayBeScheduled([NOW, NOW - HOUR, NOW - 5 * HOUR])).toBe(false)
  expect(mayBeScheduled([])).toBe(false)
  expect(dueRhythm([NOW], undefined, { enabled: true, intervalMinutes: 60 })).toBeUndefined()
})

test('a suite whose schedule was switched off is not missed, unless something else also runs it regularly', () => {
  const hourly = Array.from({ length: 7 }, (_, index) => NOW - index * 2 * HOUR)
  const rhythm = rhythmOf(hourly)
  const off = { enabled: false }
  expect(dueRhythm(hourly, rhythm, { ...off, intervalMinutes: 120 })).toBeUndefined()
  expect(dueRhythm(hourly, rhythm, { ...off, intervalMinutes: 60 })).toBe(rhythm)
  expect(dueRhythm(hourly, rhythm, { ...off, intervalMinutes: null })).toBe(rhythm)
  expect(dueRhythm(hourly, rhythm, { enabled: true, intervalMinutes: 120 })).toMatchObject({ dueAt: rhythm!.dueAt })
  const night = nights(28 * HOUR)
  expect(linesOf(night)).toHaveLength(1)
  expect(linesOf(night, 's', NOW, { ...off, intervalMinutes: 24 * 60 })).toEqual([])
})

describe('the history of a suite', () => {
  test('gives its failures for each day of the week, except for days not read completely', () => {
    const ends = [0, 0, 1, 6, 9].map((day, index) => ({ at: NOW - day * DAY, failed: index % 2 === 0 }))
    const week = weekOf(ends, NOW, undefined)
    expect(week.map(day => day!.ended)).toEqual([1, 0, 0, 0, 0, 1, 2])
    expect(weekSum(week)).toEqual({ ended: 4, failed: 2, days: 7 })
    expect(weekOf(ends, NOW, NOW - 2 * DAY).filter(day => day === undefined)).toHaveLength(5)
    const many = Array.from({ length: RUNS_READ }, (_, index) => run(200 - index, index * 60_000, index ? {} : FAILED))
    expect(linesOf(many)[0]!.week!.slice(0, 6)).toEqual(Array.from({ length: 6 }))
  })

  test('marks a failure as new or regressed for a day', () => {
    const newsOf = (runs: EvalRun[]) => linesOf(runs)[0]!.news
    expect(newsOf([run(1, HOUR, FAILED)])).toBe('new')
    expect(newsOf([run(2, HOUR, FAILED), run(1, 2 * HOUR)])).toBe('regressed')
    expect(newsOf([run(2, HOUR, FAILED), run(1, 30 * HOUR, FAILED)])).toBeUndefined()
  })

  test('is read if the suite may still fail because of its last run, however old that is', () => {
    const latestRun = { id: 'r2', status: 'completed', passed: 1, failed: 0, createdAt: NOW - 9 * DAY }
    const part = run(2, 9 * DAY, { selectedCaseCount: 1, totalCaseCount: 2 })
    const red = run(1, 10 * DAY, { ...FAILED, selectedCaseCount: 2, totalCaseCount: 2 })
    expect(wantsRuns({ latestRun }, NOW, [part, red])).toBe(true)
    expect(wantsRuns({ latestRun }, NOW, [run(2, 9 * DAY), run(1, 10 * DAY)])).toBe(false)
    const inList = (more: object) => wantsRuns({ latestRun, ...more }, NOW)
    expect(inList({ recentRuns: [part, red] })).toBe(true)
    expect(inList({ recentRuns: [part], passRateTrend: [1, 1] })).toBe(true)
    const whole = run(2, 9 * DAY, { selectedCaseCount: 2, totalCaseCount: 2 })
    expect(inList({ recentRuns: [whole, red] })).toBe(false)
    // A cancelled run says nothing about the runs before it, which may have failed.
    const cancelled = { latestRun: { ...latestRun, status: 'cancelled', passed: 0 }, totals: { runs: 5, failed: 2 } }
    for (const recentRuns of [[], [run(2, 9 * DAY, { status: 'cancelled' })]])
      expect(inList({ ...cancelled, recentRuns })).toBe(true)
    // Counts without a verdict do not make a suite passed.
    expect(inList({ passRateTrend: [1, 1], totals: { passed: 2, failed: 0 } })).toBe(true)
    expect(inList({})).toBe(true)
  })
})

describe('suites with the same cause', () => {
  const REASON = 'The server "dead" could not be reached: the connection was refused.'
  const down = (reason = REASON, trialClass = 'setup_failed', complete = true) => ({
    status: 'failed' as const,
    result: null,
    decisionSummary: {
      diagnostics: {
        complete,
        failures: [
          { class: trialClass, reason },
          { class: trialClass, reason },
        ],
      },
    },
  })
  const suite = (id: string, fields: Partial<EvalRun> = down(), number = 1) => linesOf([run(number, HOUR, fields)], id)
  const memory = createNowMemory({ clock: systemClock })
  const rowsOf = (...lines: ReturnType<typeof linesOf>[]) => toRows(lines.flat(), memory.kept())

  test('are grouped below one line, which counts once', () => {
    const rows = rowsOf(suite('a'), suite('b', FAILED), suite('c'))
    expect(rows.map(({ under, sentence }) => [under !== undefined, sentence])).toEqual([
      [false, `Not set up: ${REASON}`],
      [true, 'suite a #1 ended as failed without having executed'],
      [true, 'suite c #1 ended as failed without having executed'],
      [false, 'suite b #1 failed: 1 of 2 passed'],
    ])
    expect(rows[0]).toMatchObject({ kind: 'cause', word: '2 suites', urgency: 'high', at: NOW - HOUR })
    expect(waitingCount(rows)).toBe(2)
  })

  test('are not grouped if the reasons differ, apply only to a part of a run, or are not about the setup', () => {
    for (const other of [down('Other.'), down(REASON, 'execution_failed'), down(REASON, 'setup_failed', false), FAILED])
      expect(rowsOf(suite('a'), suite('b', other)).every(({ kind }) => kind === 'run')).toBe(true)
  })

  test('are acknowledged together, even when they fail again, and return when another suite joins them', () => {
    memory.acknowledge(rowsOf(suite('a'), suite('c'))[0]!.members)
    expect(waitingCount(rowsOf(suite('a'), suite('c')))).toBe(0)
    expect(waitingCount(rowsOf(suite('a', down(), 2), suite('c')))).toBe(0)
    const joined = rowsOf(suite('a'), suite('b'), suite('c'))
    expect(joined.map(({ acknowledged }) => acknowledged)).toEqual([false, true, false, true])
    expect(waitingCount(rowsOf(suite('a', FAILED), suite('c'), suite('b')))).toBe(2)
  })
})

test('an unknown filter of a place shows everything', () => {
  expect(['yes', 'new', 'old'].map(faults => shownIn({ faults }))).toEqual(['yes', 'new', undefined])
})
