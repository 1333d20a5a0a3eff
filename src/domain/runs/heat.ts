import type { ComparedCase, EvalRunCompare } from '../../api/contract/run-comparison.ts'
import { isTerminalRunStatus, type EvalRun } from '../../api/contract/runs.ts'
import { runTrend, type RunTrend } from './trend.ts'

/** Maximum number of ended runs in a heat map. */
export const HEAT_RUNS = 50
/** Maximum number of comparisons that are read at once. Each returns the cases of two runs. */
export const HEAT_READS = 12
/** Number of changes between passed and failed from which a case counts as flaky. */
const FLAKY_CHANGES = 3

/** The outcome of a case in a run. `ungraded` means that it ended without a verdict. */
export type HeatOutcome = 'failed' | 'ungraded' | 'passed'
/** A case in a run that was read; undefined if the case was not run. */
export type HeatCell = { outcome: HeatOutcome; trialId: string | undefined; error: string | undefined } | undefined
export type HeatRow = { key: string; title: string; cells: readonly (HeatCell | 'unread')[]; changes: number }
/** Runs, oldest first, and the cases read for them: failing ones first, then flaky ones. */
export type HeatMap = { runs: readonly EvalRun[]; rows: readonly HeatRow[]; trend: RunTrend }
/** A comparison to read. */
export type HeatRead = { runId: string; baseRunId: string }

/** Returns the ended runs of a list, newest first. */
export function heatRuns(runs: readonly EvalRun[]): EvalRun[] {
  return runs.filter(({ status }) => isTerminalRunStatus(status)).slice(0, HEAT_RUNS)
}

/**
 * Returns comparisons that cover each of these runs. Pairs follow from the run numbers, so that a new run changes none.
 */
export function heatReads(runs: readonly EvalRun[]): HeatRead[] {
  if (runs.length < 2) return []
  const places = runs.map((run, index) => ({ run, neighbour: runs[index + 1] ?? runs[index - 1]! }))
  const pairs = Map.groupBy(places, ({ run }) => Math.floor((run.runNumber ?? runs.indexOf(run)) / 2))
  return [...pairs.values()].flatMap(pair =>
    pair.flatMap(({ run, neighbour }, index) =>
      index % 2 === 0 ? [{ runId: run.id, baseRunId: (pair[index + 1]?.run ?? neighbour).id }] : [],
    ),
  )
}

/**
 * Builds a heat map from comparisons.
 * @param runs newest first
 */
export function heatMap(runs: readonly EvalRun[], answers: readonly EvalRunCompare[]): HeatMap {
  const columns = runs.toReversed()
  const at = new Map(columns.map(({ id }, index) => [id, index]))
  const read = new Set(answers.flatMap(({ baseRun, compareRun }) => [baseRun.id, compareRun.id]))
  const rows = new Map<string, { key: string; title: string; cells: (HeatCell | 'unread')[] }>()
  const blank = columns.map(({ id }) => (read.has(id) ? undefined : 'unread'))
  for (const { baseRun, compareRun, cases } of answers) {
    const sides = [
      [at.get(baseRun.id), sidesByCase(cases, 'base')],
      [at.get(compareRun.id), sidesByCase(cases, 'compare')],
    ] as const
    for (const { caseKey, title } of cases)
      if (!rows.has(caseKey)) rows.set(caseKey, { key: caseKey, title, cells: [...blank] })
    for (const [column, byCase] of sides)
      if (column !== undefined) for (const [key, cell] of byCase) rows.get(key)!.cells[column] = cell
  }
  const counted = [...rows.values()].map((row): HeatRow => ({ ...row, changes: changesOf(row.cells) }))
  const sorted = counted.toSorted((a, b) => urgencyOf(a) - urgencyOf(b))
  return { runs: columns, rows: sorted, trend: runTrend(columns) }
}

const URGENCY: readonly (HeatOutcome | undefined)[] = ['failed', 'ungraded', 'passed', undefined]

/** Returns the cells of one side. A case on several models has its worst outcome. */
function sidesByCase(cases: readonly ComparedCase[], side: 'base' | 'compare'): Map<string, HeatCell> {
  const cells = new Map<string, HeatCell>()
  for (const compared of cases) {
    const cell = cellOf(compared[side])
    const known = cells.get(compared.caseKey)
    if (URGENCY.indexOf(cell?.outcome) <= URGENCY.indexOf(known?.outcome)) cells.set(compared.caseKey, cell)
  }
  return cells
}

const VERDICTS: readonly HeatOutcome[] = ['passed', 'failed']

/** Returns the cell of a case. An unknown outcome counts as no verdict. A case without trials was not run. */
function cellOf({ outcome, iterationIds, representativeIterationId, error }: ComparedCase['base']): HeatCell {
  const trialId = representativeIterationId ?? iterationIds?.[0]
  const verdict = VERDICTS.find(each => each === outcome)
  if (!verdict && trialId === undefined) return undefined
  return { outcome: verdict ?? 'ungraded', trialId, error: error ?? undefined }
}

function isVerdict(cell: HeatCell | 'unread'): cell is NonNullable<HeatCell> {
  return cell !== undefined && cell !== 'unread' && cell.outcome !== 'ungraded'
}

function changesOf(cells: HeatRow['cells']): number {
  const verdicts = cells.filter(isVerdict)
  return verdicts.filter(({ outcome }, index) => index > 0 && outcome !== verdicts[index - 1]!.outcome).length
}

/** Whether a case alternates between passed and failed. */
export function isFlaky({ changes }: HeatRow): boolean {
  return changes >= FLAKY_CHANGES
}

function urgencyOf(row: HeatRow): number {
  const last = row.cells.findLast(cell => cell !== undefined && cell !== 'unread')
  return last?.outcome === 'failed' ? 0 : isFlaky(row) ? 1 : 2
}

/**
 * Returns the column since which a case has had its outcome in this column. Runs without the case do not count.
 * `isExact` is false if earlier runs were not read, or do not exist.
 */
export function heldSince({ cells }: HeatRow, column: number): { column: number; isExact: boolean } {
  const cell = cells[column]
  if (cell === undefined || cell === 'unread') return { column, isExact: false }
  let first = column
  for (let index = column - 1; index >= 0; index -= 1) {
    const before = cells[index]
    if (before === 'unread') break
    if (before && before.outcome !== cell.outcome) return { column: first, isExact: true }
    if (before) first = index
  }
  return { column: first, isExact: false }
}
