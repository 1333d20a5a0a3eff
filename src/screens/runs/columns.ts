import { type EvalRun, shortRunName } from '../../api/contract/runs.ts'
import { runCounts } from '../../domain/runs/counts.ts'
import { partLabels, reportRun } from '../../domain/runs/suite-state.ts'
import { tookMs } from '../../domain/runs/trend.ts'
import { passRate } from '../../domain/runs/trials.ts'
import { ageColumn } from '../../components/collection/plain-parts.ts'
import { formatCount, formatDuration, UNKNOWN } from '../../tui/theme/format.ts'
import type { Symbols } from '../../tui/theme/theme.ts'
import type { Column } from '../../components/list/columns.ts'
import { COVERED, coveredText, PASSED } from './covered.ts'
import { runLook, stateWidth } from '../../components/records/run-look.ts'

const NONE: ReadonlySet<string> = new Set()

/** What of the listed runs needs room: parts of suites, and states with long words. */
export type RunWidths = { hasParts: boolean; state: number }

export function runWidths(runs: readonly EvalRun[]): RunWidths {
  return { hasParts: runs.some(run => partLabels(reportRun(run)).length > 0), state: stateWidth(runs.map(runLook)) }
}

/** Columns of a suite's runs; `followed` holds the ids of those that the person follows. */
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
      cell: run => {
        const name = shortRunName(run)
        return followed.has(run.id) ? `${name} ${symbols.followed}` : name
      },
      sort: run => run.runNumber ?? undefined,
    },
    {
      id: 'state',
      title: 'State',
      width: state,
      cell: run => {
        const look = runLook(run)
        return { text: `${symbols[look.symbol]} ${look.word}`, tone: look.tone }
      },
      sort: run => runLook(run).word,
    },
    {
      id: 'passed',
      title: 'Passed',
      width: hasParts ? COVERED : PASSED,
      align: 'right',
      cell: run => coveredText(reportRun(run)),
      count: run => runCounts(run)?.passed,
      sort: run => shareOfGraded(run),
    },
    {
      id: 'took',
      title: 'Took',
      width: 8,
      align: 'right',
      from: 46,
      cell: run => ({ text: formatDuration(tookMs(run)), tone: 'muted' }),
      sort: tookMs,
    },
    { ...ageColumn('Age', run => run.createdAt), from: hasParts ? 43 : 0 },
    { id: 'source', title: 'From', width: 5, from: 56, cell: run => ({ text: run.source ?? UNKNOWN, tone: 'muted' }) },
    {
      id: 'target',
      title: 'Runs in',
      width: 'flex',
      from: 64,
      cell: run => ({ text: targetOf(run) ?? UNKNOWN, tone: 'muted' }),
    },
    {
      id: 'model',
      title: 'Model',
      width: 14,
      from: 100,
      cell: run => ({ text: run.client?.modelId ?? UNKNOWN, tone: 'muted' }),
    },
    {
      id: 'group',
      title: 'Group',
      width: 6,
      from: 88,
      cell: run => ({ text: groupOf(run)?.slice(-6) ?? '', tone: 'muted' }),
    },
    { id: 'notes', title: 'Notes', width: 'flex', from: 76, cell: run => ({ text: run.notes ?? '', tone: 'muted' }) },
  ]
}

/** `980 of 1,000 case executions passed`: what a run counted, in its own unit; empty where it counted nothing. */
export function passedWords(run: EvalRun): string {
  const { passed, total, unit } = runCounts(run) ?? {}
  if (total === undefined) return ''
  const words = [`${formatCount(passed)} of ${formatCount(total)}`, unit, 'passed'].filter(Boolean).join(' ')
  return [words, ...partLabels(reportRun(run))].join(', ')
}

function shareOfGraded(run: EvalRun): number | undefined {
  const counts = runCounts(run)
  return counts && passRate(counts)
}

/** Environment and client of a run, as far as they are known. */
function targetOf({ environment, client }: EvalRun): string | undefined {
  const parts = [environment && (environment.name ?? environment.id), client?.name]
  return parts.filter(Boolean).join(' / ') || undefined
}

/** The group that a run was launched in; the contract returns it at the launch, and some services with each run. */
function groupOf(run: EvalRun): string | undefined {
  const group = run['runGroupId']
  return typeof group === 'string' ? group : undefined
}

export const runKey = (run: EvalRun): string => run.id
