import { describe, expect, test } from 'vitest'
import type { EvalRun } from '../../api/contract/runs.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import { createTheme } from '../../tui/theme/theme.ts'
import { cellText } from '../../components/list/columns.ts'
import { runColumns } from './columns.ts'
import { suiteColumns } from './suite-columns.ts'

const [unicode, ascii, plain] = [
  createTheme({ level: 0, ascii: false }).symbols,
  createTheme({ level: 0, ascii: true }).symbols,
  createTheme({ level: 0, ascii: false, plain: true }).symbols,
]

describe('the row of a suite', () => {
  const suite = (fields: Partial<EvalSuite>): EvalSuite => ({ id: 's', totals: {}, passRateTrend: [], ...fields })
  const shown = (fields: Partial<EvalSuite>, id: string, symbols = unicode) =>
    cellText(
      suite(fields),
      suiteColumns(symbols).find(column => column.id === id)!,
    )

  test('shows its trend with the last rate, with the signs that the terminal supports', () => {
    expect(shown({ passRateTrend: [0, 0.5, 1] }, 'trend')).toBe('▁▄▇')
    expect(shown({ passRateTrend: [0, 0.5, 1] }, 'rate')).toBe('100%')
    expect(shown({ passRateTrend: [0, 50, 75] }, 'trend', ascii)).toBe('_-=')
    expect(shown({ passRateTrend: [0.5, 0.25] }, 'trend', plain).trim()).toBe('25%')
    expect(shown({}, 'trend')).toBe('—')
  })

  test('counts in whole numbers if they fit, and never rounds up to all', () => {
    const latestRun = (passed: number, failed: number) => ({
      latestRun: { id: 'r', status: 'completed', passed, failed },
    })
    expect(shown(latestRun(980, 20), 'latest')).toBe('980/1,000 of ?')
    expect(shown(latestRun(9_999, 1), 'latest')).toBe('9.9k/10k of ?')
    expect(shown(latestRun(3, 20_000), 'latest')).toBe('3/20,003 of ?')
  })

  test('is not shown as passed if its service reports only counts of its last run', () => {
    const latest = (passed: number, failed: number) => ({ latestRun: { id: 'r', status: 'completed', passed, failed } })
    expect([latest(0, 0), latest(3, 0), latest(3, 1)].map(each => shown(each, 'state'))).toEqual([
      '! undecided',
      '! completed',
      '✗ 1 failed',
    ])
    expect(shown(latest(0, 0), 'latest')).toBe('—')
  })

  test('is judged by its last run of all cases, and shows what its last run covered', () => {
    const run = (id: string, createdAt: number, passed: number, failed: number): EvalRun => ({
      id,
      suiteId: 's',
      createdAt,
      status: 'completed',
      result: failed > 0 ? 'failed' : 'passed',
      summary: { passed, failed, total: passed + failed },
      selectedCaseCount: passed + failed,
      totalCaseCount: 6,
    })
    const [part, whole] = [run('part', 2, 3, 0), run('whole', 1, 3, 3)]
    const texts = (...recentRuns: EvalRun[]) =>
      ['state', 'latest', 'trend', 'rate'].map(id => shown({ recentRuns }, id))
    expect(texts(part, whole)).toEqual(['✗ failed', '3/3 of 6 cases', '▄ ', '—'])
    expect(texts(part)).toEqual(['! passed', '3/3 of 6 cases', '—', '—'])
    expect(texts(run('green', 3, 6, 0), part)).toEqual(['✓ passed', '6/6', ' ▇', '100%'])
    const undecided = { ...run('u', 1, 1, 0), summary: { passed: 1, failed: 0, total: 12 }, totalCaseCount: 1 }
    expect(texts(undecided)).toEqual(['! passed', '1/1 of 12', '—', '—'])
  })

  test('shows the change to the run before in points, not percent of it', () => {
    expect(shown({ passRateTrend: [0.5, 0.75] }, 'change')).toBe('+25pp')
    expect(shown({ passRateTrend: [100, 40] }, 'change')).toBe('-60pp')
    expect(shown({ passRateTrend: [0.5, 0.5] }, 'change')).toBe('=')
    expect(shown({ passRateTrend: [0.5] }, 'change')).toBe('—')
  })
})

describe('the row of a run', () => {
  const run = (fields: Partial<EvalRun>): EvalRun => ({
    id: 'run_abcdef',
    suiteId: 's',
    status: 'completed',
    createdAt: 1,
    ...fields,
  })
  const shown = (fields: Partial<EvalRun>, id: string) =>
    cellText(
      run(fields),
      runColumns(unicode).find(column => column.id === id)!,
    )

  test('has a mark while the person follows it', () => {
    const [number] = runColumns(unicode, new Set(['run_abcdef']))
    expect(cellText(run({ runNumber: 7 }), number!)).toBe('#7 ◎')
    expect(cellText(run({ id: 'other', runNumber: 8 }), number!)).toBe('#8')
  })

  test('shows how many of the graded trials passed', () => {
    expect(shown({ summary: { total: 4, passed: 3, failed: 1 } }, 'passed')).toBe('3/4')
    expect(shown({ summary: { total: 10, passed: 3, failed: 1 } }, 'passed')).toBe('3/4 of 10')
    expect(shown({ summary: { total: 10, passed: 3 } }, 'passed')).toBe('—')
    const part = { selectedCaseCount: 3, totalCaseCount: 6 }
    expect(shown({ summary: { total: 3, passed: 3, failed: 0 }, ...part }, 'passed')).toBe('3/3 of 6 cases')
    const twoModels = { summary: { total: 6, passed: 5, failed: 1 }, ...part }
    expect(shown(twoModels, 'passed')).toBe('5/6 of a part')
    const rerun = { summary: { total: 3, passed: 3, failed: 0 }, rerunOf: 'r' }
    expect(shown(rerun, 'passed')).toBe('3/3 rerun')
  })

  test('shows where it ran, with which model, and in which group', () => {
    const client = { name: 'claude', modelId: 'opus' }
    const fields = { client, environment: { id: 'env', name: 'prod', revision: 3 }, runGroupId: 'grp_0123456789' }
    expect(['target', 'model', 'group'].map(id => shown(fields, id))).toEqual(['prod / claude', 'opus', '456789'])
    expect(shown({}, 'target')).toBe('—')
  })
})
