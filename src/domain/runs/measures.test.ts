import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import { CAUSE_ORDER, countCauses, reasonOf, type Cause } from './causes.ts'
import { runCounts, reportedTrials } from './counts.ts'
import { distributionOf, overlaidOf, scaleOf } from './distribution.ts'
import { averageRemaining, estimateRemaining, remainingLabel, runRemaining } from './estimate.ts'
import { undecidedOf } from './outcome.ts'
import { lastChange, trendRates } from './graded.ts'

const amount = fc.oneof(
  fc.nat({ max: 1_000_000 }),
  fc.double({ min: 0, max: 1e9, noNaN: true }),
  // Latencies are spread over many orders of magnitude.
  fc.double({ min: -3, max: 8, noNaN: true }).map(exponent => 10 ** exponent),
)
const amounts = fc.array(amount, { minLength: 1, maxLength: 200 })

describe('a distribution of amounts', () => {
  test('puts each amount into one bin whose limits contain it, and needs few bins', () =>
    fc.assert(
      fc.property(amounts, all => {
        const { bins, count, least, most } = distributionOf(all)!
        expect(count).toBe(all.length)
        expect(bins.reduce((sum, bin) => sum + bin.count, 0)).toBe(all.length)
        expect(bins.length).toBeLessThanOrEqual(8)
        for (const { from, to, count: held } of bins) {
          expect(from).toBeLessThan(to)
          expect(held).toBe(all.filter(each => each >= from && each < to).length)
        }
        bins.slice(1).forEach((bin, index) => expect(bin.from).toBe(bins[index]!.to))
        expect([least, most]).toEqual([Math.min(...all), Math.max(...all)])
      }),
    ))

  test('has ascending percentiles, each of them an observed amount with its share of the amounts at or below it', () =>
    fc.assert(
      fc.property(amounts, all => {
        const { least, p50, p90, p95, most } = distributionOf(all)!
        const marks = [least, p50, p90, p95, most]
        expect(marks).toEqual(marks.toSorted((a, b) => a - b))
        for (const [share, mark] of [
          [0.5, p50],
          [0.9, p90],
          [0.95, p95],
        ] as const) {
          expect(all).toContain(mark)
          expect(all.filter(each => each <= mark).length).toBeGreaterThanOrEqual(share * all.length)
          expect(all.filter(each => each < mark).length).toBeLessThan(share * all.length)
        }
      }),
    ))

  test('is counted in the bins and on the scale that it shares with another distribution', () =>
    fc.assert(
      fc.property(amounts, amounts, (one, other) => {
        const { now, before } = overlaidOf(one, other)!
        expect(now.bins.map(({ from, to }) => [from, to])).toEqual(before.bins.map(({ from, to }) => [from, to]))
        expect(now.bins.reduce((sum, bin) => sum + bin.count, 0)).toBe(one.length)
        expect(before.bins.reduce((sum, bin) => sum + bin.count, 0)).toBe(other.length)
        const scale = scaleOf([now, before])
        const { least, p25, p50, p75, most } = before
        const places = [least, p25, p50, p75, most].map(scale)
        expect(places).toEqual(places.toSorted((a, b) => a - b))
        for (const place of [...places, scale(now.most)]) expect(place >= 0 && place <= 1).toBe(true)
      }),
    ))

  test('of no values is empty', () => expect(distributionOf([])).toBeUndefined())

  test('has round edges, even ones for similar amounts and growing ones otherwise', () => {
    const even = distributionOf([120, 180, 340, 420])!
    expect(even.bins.map(({ from }) => from)).toEqual([100, 150, 200, 250, 300, 350, 400])
    const skewed = distributionOf([100, 120, 150, 9_000])!
    expect(skewed.bins.map(({ from }) => from)).toEqual([100, 200, 500, 1000, 2000, 5000])
    const quick = distributionOf([0.2, 0.4, 3, 900])!
    expect(quick.bins.map(({ from }) => from)).toEqual([0, 1, 10, 100])
    expect(distributionOf([0.1, 0.9])!.bins).toEqual([{ from: 0, to: 1, count: 2 }])
  })
})

describe('the remaining time of a run', () => {
  const ended = (startedAt: number, durationMs: number) => ({ status: 'completed', startedAt, durationMs })

  test.each([
    ['nothing where nothing is open', [], 0, 0, 0],
    ['unknown before two ends', [ended(0, 100)], 5, 200, undefined],
    ['as fast as until now', [ended(0, 1000), ended(1000, 1000)], 3, 2000, 3000],
    ['less by what has passed since', [ended(0, 1000), ended(1000, 1000)], 3, 2500, 2500],
    ['more where it hangs', [ended(0, 1000), ended(1000, 1000)], 2, 12_000, 10_000],
  ])('is %s', (_, trials, open, now, remaining) => {
    expect(estimateRemaining(trials, open, now)).toBe(remaining)
  })

  test('follows the latest trials, not the first', () => {
    const slow = Array.from({ length: 50 }, (_, index) => ended(index * 10_000, 10_000))
    const fast = Array.from({ length: 30 }, (_, index) => ended(500_000 + index * 100, 100))
    expect(estimateRemaining([...slow, ...fast], 10, 503_000)).toBeCloseTo(1000)
  })

  test('uses the average since the start if only counts are known', () => {
    expect(averageRemaining({ ended: 2, total: 6 }, 1_000, 5_000)).toBe(8_000)
    expect(averageRemaining({ ended: 0, total: 6 }, 1_000, 5_000)).toBeUndefined()
    const run = { createdAt: 1_000 }
    expect(runRemaining(run, { ended: 2, total: 6 }, 5_000)).toBe(8_000)
    expect(runRemaining(run, { ended: 2, total: 6 }, 35_000)).toBe(8_000)
    expect(runRemaining({ ...run }, { ended: 3, total: 6 }, 35_000)).toBe(34_000)
    expect(runRemaining(run, { ended: 2, total: 6 }, 65_000)).toBe(128_000)
    expect(averageRemaining({ ended: 2, total: 6 }, 9_000, 5_000)).toBeUndefined()
  })

  test('does not reach minutes just because the trials of a fast run were read a second ago', () => {
    const quick = Array.from({ length: 4000 }, (_, index) => ended(index * 2, 2))
    expect(estimateRemaining(quick, 6000, 8_000 + 1_000)!).toBeLessThan(20_000)
  })

  test('is never negative, and grows with open trials and with silence', () =>
    fc.assert(
      fc.property(
        fc.array(fc.record({ start: fc.nat(100_000), took: fc.nat(50_000) }), { minLength: 2, maxLength: 60 }),
        fc.integer({ min: 1, max: 1000 }),
        fc.nat(1_000_000),
        (spans, open, silence) => {
          const trials = spans.map(({ start, took }) => ended(start, took))
          const last = Math.max(...spans.map(({ start, took }) => start + took))
          const now = estimateRemaining(trials, open, last + silence)!
          expect(now).toBeGreaterThanOrEqual(0)
          expect(estimateRemaining(trials, open + 1, last + silence)!).toBeGreaterThanOrEqual(now)
          const hanging = estimateRemaining(trials, open, last + 1e9)!
          expect(hanging).toBeGreaterThanOrEqual((1e9 / 20) * open - 1)
        },
      ),
    ))

  test.each([
    [undefined, 'time left unknown'],
    [0, 'a few seconds left'],
    [5_001, 'about 10 s left'],
    [55_000, 'about 55 s left'],
    [56_000, 'about 1 min left'],
    [61_000, 'about 2 min left'],
    [3_600_000, 'about 1 h left'],
    [5_000_000, 'about 1 h 24 min left'],
  ])('of %s ms is shown as %s', (remaining, words) => expect(remainingLabel(remaining)).toBe(words))
})

describe('the pass rates of a suite', () => {
  const rates = (passRateTrend: number[], latestRun: EvalSuite['latestRun'] = null) =>
    trendRates({ passRateTrend, latestRun })

  test('become fractions, whether the service sends fractions or percent, if values or counts tell which', () => {
    expect(rates([0.5, 1])).toEqual([0.5, 1])
    expect(rates([50, 100, 0])).toEqual([0.5, 1, 0])
    expect(rates([1, 1], { passed: 1, failed: 99, passRate: 1 })).toEqual([0.01, 0.01])
    expect(rates([1, 1], { passed: 4, failed: 0, passRate: 1 })).toEqual([1, 1])
    expect(rates([0.67], { passed: 2, failed: 1 })).toEqual([0.67])
  })

  test('are unknown for values that are not rates', () => {
    expect(rates([120, -1, 40])).toEqual([undefined, undefined, 0.4])
    expect(rates([])).toEqual([])
  })

  test('stay the same if the service changes from fractions to percent', () =>
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1 }), fractions => {
        fc.pre(fractions.some(each => each > 0.01))
        const percent = rates(fractions.map(each => each * 100))
        fractions.forEach((each, index) => expect(percent[index]).toBeCloseTo(each))
      }),
    ))

  test('change between the last two runs if both rates are known', () => {
    expect(lastChange([0.1, 0.5, 0.75])).toBe(0.25)
    expect(lastChange([0.5])).toBeUndefined()
    expect(lastChange([undefined, 0.5])).toBeUndefined()
  })
})

describe('the counts of a run', () => {
  const summary = { total: 5, passed: 2, failed: 1 }
  test('are taken from its decision with its unit, or from its summary without a unit', () => {
    const counts = { total: 4, passed: 3, failed: 0, undecided: 1 }
    expect(runCounts({ summary, decisionSummary: { measurementUnit: 'case_executions', counts } })).toEqual({
      ...counts,
      unit: 'case executions',
    })
    expect(runCounts({ summary })).toEqual({ ...summary, undecided: undefined, unit: undefined })
    expect(runCounts({ summary: { passed: 1 } })).toBeUndefined()
  })

  test('include trials by class, if these add up', () => {
    const trials = { total: 6, passed: 1, failed: 1, timed_out: 1, cancelled: 1, pending: 2 }
    expect(reportedTrials({ decisionSummary: { counts: { trials } } })).toEqual({
      total: 6,
      passed: 1,
      failed: 1,
      ungraded: 1,
      cancelled: 1,
      pending: 2,
      running: 0,
      ended: 4,
    })
    expect(reportedTrials({ decisionSummary: { counts: { trials: { ...trials, total: 7 } } } })).toBeUndefined()
    expect(reportedTrials({ decisionSummary: { counts: { trials: 6 } } })).toBeUndefined()
    expect(reportedTrials({})).toBeUndefined()
  })
})

describe('the trials of a run by cause', () => {
  const trial = (fields: object): EvalIteration => ({ id: 't', iterationNumber: 1, status: 'completed', ...fields })
  const broken = { scorerId: 's', status: 'error', error: 'the judge said nothing' } as const

  test('name a grading error, which does not count as a failure', () => {
    const found = countCauses([
      trial({ id: 'a', result: 'failed', error: 'got 5' }),
      trial({ id: 'b', status: 'failed', error: '429 Too Many Requests' }),
      trial({ id: 'c', trialClass: 'evaluator_error', scores: [broken] }),
      trial({ id: 'd', result: 'failed', actualToolCalls: [{ toolName: 'x', error: 'gone' }] }),
      trial({ id: 'e', trialClass: 'setup_failed', status: 'failed', error: 'no server' }),
      trial({ id: 'f', result: 'passed' }),
    ])
    expect(found.map(({ cause, count, failed, reason }) => [cause, count, failed, reason])).toEqual([
      ['server', 1, 1, 'gone'],
      ['case', 1, 1, 'got 5'],
      ['environment', 1, 0, 'no server'],
      ['throttling', 1, 0, '429 Too Many Requests'],
      ['grader', 1, 0, 'the judge said nothing'],
    ])
  })

  test('take the reason of a cause from the first trial that gives one', () => {
    const [found] = countCauses([
      trial({ id: 'silent', result: 'failed' }),
      trial({ id: 'telling', result: 'failed', error: 'got 5' }),
    ])
    expect([found?.count, found?.first.id, found?.reason]).toEqual([2, 'telling', 'got 5'])
    expect(reasonOf(trial({ result: 'failed' }))).toBeUndefined()
  })

  test('have a place in the order for every cause', () => {
    const all: Record<Cause, true> = {
      case: true,
      server: true,
      model: true,
      environment: true,
      throttling: true,
      grader: true,
      unknown: true,
    }
    expect(CAUSE_ORDER.toSorted()).toEqual((Object.keys(all) as Cause[]).toSorted())
  })
})

test('the reason for a missing verdict is found beside or inside the verdict', () => {
  const undecided = { reason: 'unfinished', message: 'It continues.' }
  expect(undecidedOf({ decisionSummary: { undecided } })).toEqual(undecided)
  expect(undecidedOf({ decisionSummary: { verdict: { kind: 'notEstablished', undecided } } })).toEqual(undecided)
  expect(undecidedOf({ decisionSummary: { verdict: 'passed' } })).toEqual({})
})
