import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BudgetSnapshot } from '../src/api/client/budget/budget.ts'
import type { EvalIteration } from '../src/api/contract/iterations.ts'
import type { EvalRun } from '../src/api/contract/runs.ts'
import { toEpochMs } from '../src/api/contract/shapes.ts'
import { decisionCounts, runCounts, reportedTrials } from '../src/domain/runs/counts.ts'
import { distributionOf } from '../src/domain/runs/distribution.ts'
import { averageRemaining, estimateRemaining, remainingLabel } from '../src/domain/runs/estimate.ts'
import { passRate } from '../src/domain/runs/trials.ts'
import { lastChange, trendRates } from '../src/domain/runs/graded.ts'
import { taskParts } from '../src/app/shell/footer.tsx'
import { gauge } from '../src/app/shell/header.tsx'
import { bar, sparkline } from '../src/tui/theme/charts.ts'
import { formatAge, formatCount, formatDuration, formatRate, formatShare, plural } from '../src/lib/format.ts'
import { widthOf } from '../src/tui/theme/text.ts'
import { createTheme } from '../src/tui/theme/theme.ts'
import { plainText } from '../src/components/viewer/source.ts'
import { traceOf } from '../src/components/transcript/trace-document.ts'
import { traceNodes } from '../src/components/transcript/trace-nodes.ts'
import { shortFigures } from '../src/domain/runs/figures.ts'
import { allFigures } from '../src/screens/runs/compare/figures.ts'
import { chipOf } from '../src/screens/runs/follow/chips.ts'
import { distributionLines } from '../src/screens/runs/run/distribution-lines.ts'
import { factsOf } from '../src/screens/runs/run/facts.ts'
import { historyLines } from '../src/screens/runs/run/history-lines.ts'
import { verdictFields } from '../src/screens/runs/run/verdict-lines.ts'

const theme = createTheme({ level: 0, ascii: false })
const { symbols } = theme

/** Any number, including those that JSON cannot hold and that result from arithmetic. */
const number = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.nat({ max: 1_000_000 }),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(Number),
  fc.constantFrom(0, -0, -1, 2 ** 53, 2 ** 53 + 2, Number.MAX_VALUE, Number.MIN_VALUE, Infinity, -Infinity, NaN),
)
const maybe = fc.option(number, { nil: undefined })

/** Finite numbers, for checked answers, where others are refused. */
const finite = number.filter(Number.isFinite)
const maybeFinite = fc.option(finite, { nil: undefined })

const BUDGET: BudgetSnapshot = {
  tokens: 0,
  capacity: 0,
  unlimited: false,
  waiting: 0,
  inFlight: 0,
  pausedUntil: undefined,
  pollers: 0,
  refillPerSecond: 1,
  slowed: false,
}

/** Texts that must never be shown to a person. */
const NONSENSE = /NaN|undefined|Infinity|∞|Invalid Date|\[object/

function expectSense(text: string): void {
  expect(text).not.toMatch(NONSENSE)
}

const trial = fc
  .record({ durationMs: maybe, tokensUsed: maybe, startedAt: maybe, iterationNumber: number })
  .map((fields): EvalIteration => ({ id: 't', status: 'completed', result: null, model: 'm', ...fields }))

const run = fc
  .record({
    createdAt: finite,
    completedAt: maybeFinite,
    runNumber: maybeFinite,
    passed: maybeFinite,
    failed: maybeFinite,
    total: maybeFinite,
  })
  .map(({ passed, failed, total, ...fields }): EvalRun => ({
    id: 'r',
    suiteId: 's',
    status: 'completed',
    ...fields,
    summary: { passed, failed, total },
    decisionSummary: {
      measurementUnit: 'trials',
      counts: { passed, failed, total, trials: { total, passed, failed } },
    },
  }))

describe('with any number as input', () => {
  test('every formatted number is free of nonsense such as NaN', () =>
    fc.assert(
      fc.property(number, number, maybe, (one, other, share) => {
        expectSense(formatDuration(one))
        expectSense(formatAge(one, other))
        expectSense(formatAge(toEpochMs(one), other))
        expectSense(formatCount(one))
        expectSense(formatRate(one, other))
        expectSense(formatShare(share))
        expectSense(plural(one, 'case'))
        expectSense(remainingLabel(share))
        expect(formatShare(share)).toMatch(/^(?:—|\d{1,2}%|100%)$/)
        expect(formatDuration(one).length).toBeLessThan(15)
      }),
    ))

  test('a formatted time is a valid time, or unknown', () =>
    fc.assert(
      fc.property(number, value => {
        const time = toEpochMs(value)
        if (time !== undefined) expect(new Date(time).toISOString()).toBeTypeOf('string')
      }),
    ))

  test('bars, gauges and lines of values keep their width', () =>
    fc.assert(
      fc.property(number, number, fc.nat({ max: 60 }), fc.array(maybe), (one, other, columns, shares) => {
        expect(widthOf(bar(symbols, one, columns))).toBe(columns)
        expect(widthOf(sparkline(symbols, shares))).toBe(shares.length)
        const progress = { done: one, total: other, share: one / other }
        const reading = { id: 1, text: 'Reading', progress, stop: undefined, writes: false, isStopping: false }
        const task = taskParts(theme, [reading], 'Ctrl+X')
        expect(task.length).toBeGreaterThan(0)
        const budget = { ...BUDGET, tokens: one, capacity: other }
        expect(widthOf(gauge(theme, budget, 0)!.text)).toBeGreaterThan(10)
      }),
    ))

  test('the gauge of the rate limit does not change while most of the burst is free', () => {
    const drawn = (tokens: number) => gauge(theme, { ...BUDGET, tokens, capacity: 10 }, 0)
    expect(drawn(10)).toEqual(drawn(4))
    expect(drawn(4)?.text).toContain('4+/10')
    expect(drawn(3)?.text).toContain(' 3/10')
  })

  test('a distribution is finite, contains valid amounts, and is described in words', () =>
    fc.assert(
      fc.property(fc.array(number, { maxLength: 50 }), all => {
        const found = distributionOf(all)
        const amounts = all.filter(each => each >= 0 && each <= 1e15)
        expect(found?.count ?? 0).toBe(amounts.length)
        if (!found) return
        expect(found.bins.length).toBeLessThanOrEqual(8)
        expect(found.bins.reduce((sum, bin) => sum + bin.count, 0)).toBe(amounts.length)
        for (const words of [formatDuration, formatCount])
          for (const line of distributionLines(found, { symbols, width: 80, words })) expectSense(plainText(line))
      }),
    ))

  test('durations of trials are summed and estimated without invalid numbers', () =>
    fc.assert(
      fc.property(fc.array(trial), number, number, (trials, open, now) => {
        const { latency, tokens, tokensUsed } = factsOf(trials)
        for (const each of [latency?.most, tokens?.most, tokensUsed]) expectSense(formatCount(each))
        expectSense(remainingLabel(estimateRemaining(trials, open, now)))
        expectSense(remainingLabel(averageRemaining({ ended: open, total: now }, open, now)))
      }),
    ))

  test('a run, its counts and its history are described in words', () =>
    fc.assert(
      fc.property(run, fc.array(run, { maxLength: 4 }), fc.array(number), (own, earlier, rates) => {
        const runs = earlier.map((each, index) => ({ ...each, id: `e${index}` }))
        for (const line of historyLines(own, runs, { symbols, width: 80 })) expectSense(plainText(line))
        for (const [, value] of verdictFields(own, symbols)) expectSense(value ?? '')
        const counts = [runCounts(own), decisionCounts(own), reportedTrials(own)]
        for (const each of counts) if (each) expectSense(formatShare(passRate(each)))
        const told = reportedTrials(own)
        const pin = { projectId: 'p', runId: own.id }
        if (told)
          expectSense(chipOf({ pin, run: { ...own, status: 'running' }, counts: told, isGone: false }, symbols).text)
        const trend = trendRates({ passRateTrend: rates })
        for (const rate of trend) expectSense(formatShare(rate))
        expectSense(formatShare(lastChange(trend)))
      }),
    ))

  test('a comparison and a trace are described in words', () => {
    const diff = fc.record({ base: maybeFinite, compare: maybeFinite, delta: maybeFinite, percentDelta: maybeFinite })
    const span = fc.record({ startedAt: maybe, endedAt: maybe, durationMs: maybe })
    fc.assert(
      fc.property(diff, fc.array(span, { maxLength: 5 }), (figure, spans) => {
        const comparison = {
          passSummary: { passed: figure, total: figure, failed: figure, passRatePercent: figure },
          metrics: { wallDurationMs: figure, totalTokens: figure, estimatedCostUsd: figure },
        } as Parameters<typeof allFigures>[0]
        for (const line of allFigures(comparison)) expectSense(plainText(line))
        for (const text of shortFigures(comparison, false)) expectSense(text)
        for (const node of traceNodes(traceOf({ spans }, []), { symbols, rendered: true })) {
          if (typeof node.head === 'object' && 'block' in node.head)
            for (const line of node.head.block(80, { theme, width: 80, wraps: true })) expectSense(plainText(line))
        }
      }),
    )
  })
})
