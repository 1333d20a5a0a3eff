import { heatMap, heatReads, HEAT_READS, type HeatMap } from '../../src/domain/runs/heat.ts'
import type { EvalRunCompare } from '../../src/api/contract/run-comparison.ts'
import type { EvalRun } from '../../src/api/contract/runs.ts'
import { drawHeat, layoutHeat } from '../../src/screens/suites/heat-drawing.ts'
import { createTheme } from '../../src/tui/theme/theme.ts'
import { number, table } from './report.ts'
import { median, quantile } from './statistics.ts'

const CASES = 200
const RUNS = 50
/** A screen on which the whole map is visible. */
const SIZE = { width: 200, height: 250 }
/** Maximum milliseconds of a drawing. */
const MOST = 10
const DRAWINGS = 500

/** Returns comparisons of runs in which each case fails by its own rule. */
function answersOf(runs: readonly EvalRun[]): EvalRunCompare[] {
  const sideOf = (id: string, index: number) => {
    const outcome = (Number(id.slice(1)) * index) % 7 === 3 ? 'failed' : 'passed'
    return { outcome, iterationIds: [`${id}/${index}`], error: outcome === 'failed' ? 'expected text' : null }
  }
  return heatReads(runs).map(({ runId, baseRunId }) => ({
    suite: { id: 'suite' },
    baseline: { policy: 'run', baseRunId },
    baseRun: { id: baseRunId },
    compareRun: { id: runId },
    cases: Array.from({ length: CASES }, (_, index) => ({
      caseKey: `case-${index}`,
      title: `answers question ${index} with its source`,
      status: 'changed',
      base: sideOf(baseRunId, index),
      compare: sideOf(runId, index),
    })),
  }))
}

/** Measures computing and drawing the map of a suite, with the cursor on another cell each time. */
export function heatTable(): string {
  const runs = Array.from({ length: RUNS }, (_, index): EvalRun => {
    const [runNumber, createdAt] = [RUNS - index, (RUNS - index) * 60_000]
    const summary = { total: CASES, passed: CASES - (runNumber % 9), failed: runNumber % 9 }
    return {
      id: `r${runNumber}`,
      suiteId: 'suite',
      runNumber,
      status: 'completed',
      createdAt,
      completedAt: createdAt + 9000,
      summary,
    }
  })
  const answers = answersOf(runs)
  const theme = createTheme({ level: 3, ascii: false })
  const made = timesOf(() => heatMap(runs, answers))
  const map: HeatMap = heatMap(runs, answers)
  const drawn = timesOf(index => {
    const at = { row: (index * 37) % CASES, column: (index * 11) % RUNS }
    return drawHeat(map, at, layoutHeat(map, at, SIZE, theme), theme, SIZE.width)
  })
  const isMet = quantile(drawn, 0.95) < MOST
  const figure = (times: readonly number[]): string => `${number(median(times))} / ${number(quantile(times, 0.95))} ms`
  return table(
    ['', 'put together, p50 / p95', 'drawn, p50 / p95', `under ${MOST} ms`, 'requests at once'],
    [[`${CASES} cases × ${RUNS} runs`, figure(made), figure(drawn), isMet ? 'yes' : '**no**', String(HEAT_READS)]],
  )
}

/** Returns processor time of this thread in milliseconds, which other programs on the machine do not affect. */
function timesOf(work: (index: number) => unknown): number[] {
  return Array.from({ length: DRAWINGS }, (_, index) => {
    const start = process.threadCpuUsage()
    work(index)
    const { user, system } = process.threadCpuUsage(start)
    return (user + system) / 1000
  })
}
