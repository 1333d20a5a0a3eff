import { type EvalRun, shortRunName } from '../../api/contract/runs.ts'
import { runCounts } from '../../domain/runs/counts.ts'
import { partLabels, reportRun } from '../../domain/runs/suite-state.ts'
import { tookMs } from '../../domain/runs/trend.ts'
import { passRate } from '../../domain/runs/trials.ts'
import {
  ageColumn,
  countColumn,
  lookColumn,
  measureColumn,
  noteColumn,
} from '../../components/collection/plain-parts.ts'
import { formatDuration } from '../../lib/format.ts'
import type { Symbols } from '../../tui/theme/theme.ts'
import type { Column } from '../../components/list/columns.ts'
import { COVERED, coveredText, PASSED } from './covered.ts'
import { runLook, stateWidth } from '../../components/records/run-look.ts'

const NONE: ReadonlySet<string> = new Set()

/** What the columns of the list of runs depend on: whether some ran a part of their suite, and the longest state. */
export type RunWidths = { hasParts: boolean; state: number }

export function runWidths(runs: readonly EvalRun[]): RunWidths {
  return { hasParts: runs.some(run => partLabels(reportRun(run)).length > 0), state: stateWidth(runs.map(runLook)) }
}

/** Returns the columns of a suite's runs; `followed` contains the ids of followed runs. */
export function runColumns(
  symbols: Symbols,
  followed: ReadonlySet<string> = NONE,
  { hasParts, state }: RunWidths = { hasParts: true, state: stateWidth([]) },
): readonly Column<EvalRun>[] {
  return [
    {
      id: 'number',
      title: 'Run',
      width: 7,
      cell: run => `${shortRunName(run)}${followed.has(run.id) ? ` ${symbols.followed}` : ''}`,
      sort: run => run.runNumber ?? undefined,
    },
    lookColumn(symbols, runLook, { width: state, sort: run => runLook(run).word }),
    countColumn('Passed', hasParts ? COVERED : PASSED, shareOfGraded, {
      cell: run => coveredText(reportRun(run)),
      count: run => runCounts(run)?.passed,
    }),
    measureColumn('Took', 8, tookMs, formatDuration, { from: 46 }),
    ageColumn('Age', run => run.createdAt, { from: hasParts ? 43 : 0 }),
    noteColumn('From', 5, run => run.source, { id: 'source', from: 56 }),
    noteColumn('Runs in', 'flex', targetOf, { id: 'target', from: 64 }),
    noteColumn('Model', 14, run => run.client?.modelId, { from: 100 }),
    noteColumn('Group', 6, run => groupOf(run)?.slice(-6) ?? '', { from: 88 }),
    noteColumn('Notes', 'flex', run => run.notes ?? '', { from: 76 }),
  ]
}

function shareOfGraded(run: EvalRun): number | undefined {
  const counts = runCounts(run)
  return counts && passRate(counts)
}

/** Returns the environment and client of a run, as far as known. */
function targetOf({ environment, client }: EvalRun): string | undefined {
  const parts = [environment && (environment.name ?? environment.id), client?.name]
  return parts.filter(Boolean).join(' / ') || undefined
}

/**
 * Returns the group that a run was launched in; the contract returns it at the launch, and some services also with each
 * run.
 */
function groupOf(run: EvalRun): string | undefined {
  const group = run['runGroupId']
  return typeof group === 'string' ? group : undefined
}

export const runKey = (run: EvalRun): string => run.id
