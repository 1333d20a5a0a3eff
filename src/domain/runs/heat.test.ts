import { describe, expect, test } from 'vitest'
import type { ComparedCase, EvalRunCompare } from '../../api/contract/run-comparison.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { heatMap, HEAT_RUNS, heatReads, heatRuns, heldSince, isFlaky } from './heat.ts'

const run = (runNumber: number, fields: Partial<EvalRun> = {}): EvalRun => ({
  id: `r${runNumber}`,
  suiteId: 's',
  runNumber,
  status: 'completed',
  createdAt: runNumber,
  ...fields,
})
/** Returns runs, newest first as a service lists them. */
const runsTo = (last: number): EvalRun[] => Array.from({ length: last }, (_, index) => run(last - index))

type Side = 'passed' | 'failed' | 'broken' | 'absent'
const side = (of: Side, trial: string): ComparedCase['base'] => ({
  outcome: of === 'broken' ? 'absent' : of,
  iterationIds: of === 'absent' ? [] : [trial],
  representativeIterationId: of === 'absent' ? null : trial,
  error: of === 'failed' ? 'expected goodbye' : null,
})

/** Returns comparisons of these runs, in which each case has an outcome for each run from #1 on. */
function answersFor(runs: readonly EvalRun[], cases: Record<string, readonly Side[]>): EvalRunCompare[] {
  const of = (caseKey: string, id: string) => side(cases[caseKey]![Number(id.slice(1)) - 1]!, `${caseKey} ${id}`)
  return heatReads(runs).map(({ runId, baseRunId }) => ({
    suite: { id: 's' },
    baseline: { policy: 'run', baseRunId },
    baseRun: { id: baseRunId },
    compareRun: { id: runId },
    cases: Object.keys(cases).map(caseKey => ({
      caseKey,
      title: caseKey,
      status: 'changed',
      base: of(caseKey, baseRunId),
      compare: of(caseKey, runId),
    })),
  }))
}

describe('the comparisons for a heat map', () => {
  test('cover every run, two by each comparison, and stay nearly the same when a run is added', () => {
    for (const count of [2, 3, 8, 49, 50]) {
      const reads = heatReads(runsTo(count))
      expect(new Set(reads.flatMap(({ runId, baseRunId }) => [runId, baseRunId])).size).toBe(count)
      expect(reads.length).toBeLessThanOrEqual(Math.floor(count / 2) + 1)
      const after = heatReads(runsTo(count + 1)).map(read => JSON.stringify(read))
      const known = reads.filter(read => after.includes(JSON.stringify(read)))
      expect(known.length).toBeGreaterThanOrEqual(reads.length - 1)
    }
  })

  test('never request a run in flight, more runs than the map shows, or a run compared with itself', () => {
    const runs = heatRuns([run(60, { status: 'running' }), ...runsTo(59)])
    expect(runs).toHaveLength(HEAT_RUNS)
    expect(runs[0]!.id).toBe('r59')
    expect(heatReads([run(1)])).toEqual([])
    const unnumbered = [run(1), run(2), run(3)].map(({ id }) => run(0, { id, runNumber: null }))
    expect(heatReads(unnumbered).every(({ runId, baseRunId }) => runId !== baseRunId)).toBe(true)
  })
})

describe('a heat map', () => {
  const runs = runsTo(4)

  test('has the oldest run first and the failing case on top, and an aborted case is never green', () => {
    const cases = {
      fine: ['passed', 'passed', 'absent', 'passed'],
      broke: ['passed', 'passed', 'passed', 'broken'],
      red: ['passed', 'failed', 'failed', 'failed'],
    } satisfies Record<string, Side[]>
    const map = heatMap(runs, answersFor(runs, cases))
    expect(map.runs.map(({ id }) => id)).toEqual(['r1', 'r2', 'r3', 'r4'])
    expect(map.rows.map(({ key }) => key)).toEqual(['red', 'fine', 'broke'])
    const [red, fine, broke] = map.rows
    expect(red!.cells[3]).toEqual({ outcome: 'failed', trialId: 'red r4', error: 'expected goodbye' })
    expect(heldSince(red!, 3)).toEqual({ column: 1, isExact: true })
    expect(fine!.cells[2]).toBeUndefined()
    expect(heldSince(fine!, 3)).toEqual({ column: 0, isExact: false })
    expect(broke!.cells[3]).toMatchObject({ outcome: 'ungraded' })
  })

  test('marks runs that were not read', () => {
    const answers = answersFor(runs, { red: ['passed', 'failed', 'failed', 'failed'] })
    const [row] = heatMap(runs, answers.slice(0, 1)).rows
    // Run 4 has no pair and is compared with run 3, so runs 2 and 1 are not read.
    expect(row!.cells.map(cell => (cell === 'unread' ? cell : cell?.outcome))).toEqual([
      'unread',
      'unread',
      'failed',
      'failed',
    ])
    expect(heldSince(row!, 3)).toEqual({ column: 2, isExact: false })
  })

  test('rates a case on several models by its worst one, and marks cases that alternate', () => {
    const answers = answersFor(runs, { case: ['passed', 'failed', 'passed', 'failed'] })
    const twice = answers.map(answer => ({
      ...answer,
      cases: answer.cases.flatMap(each => [each, { ...each, base: side('passed', 'x'), compare: side('passed', 'x') }]),
    }))
    const [row] = heatMap(runs, twice).rows
    expect(row!.cells.map(cell => cell !== 'unread' && cell?.outcome)).toEqual(['passed', 'failed', 'passed', 'failed'])
    expect(isFlaky(row!)).toBe(true)
  })
})
