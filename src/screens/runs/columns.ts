import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import { formatAge, formatCount, formatDuration, UNKNOWN } from '../../app/theme/format.ts'
import type { Symbols } from '../../app/theme/theme.ts'
import type { Column } from '../../components/list/columns.ts'
import { runLook, trialLook } from './status.ts'

/** Columns of the three lists; they show a theme's marks, so they are made once per theme. */
export function suiteColumns(symbols: Symbols): readonly Column<EvalSuite>[] {
  return [
    {
      id: 'name',
      title: 'Suite',
      width: 'flex',
      cell: suite => suite.name ?? suite.id,
      sort: suite => suite.name ?? suite.id,
    },
    {
      id: 'latest',
      title: 'Last run',
      width: 11,
      cell: suite => {
        const run = suite.latestRun
        if (!run?.status) return { text: UNKNOWN, tone: 'muted' }
        const result = run.status !== 'completed' ? null : run.failed ? 'failed' : 'passed'
        const look = runLook({ status: run.status, result })
        return { text: `${symbols[look.symbol]} ${look.word}`, tone: look.tone }
      },
      sort: suite => toEpochMs(suite.latestRun?.createdAt),
    },
    {
      id: 'passed',
      title: 'Passed',
      width: 7,
      align: 'right',
      cell: suite => {
        const { passed, failed } = suite.latestRun ?? {}
        return passed == null || failed == null ? UNKNOWN : `${passed}/${passed + failed}`
      },
      count: suite => suite.latestRun?.passed,
      sort: suite => suite.latestRun?.passed ?? undefined,
    },
    {
      id: 'runs',
      title: 'Runs',
      width: 5,
      align: 'right',
      from: 52,
      cell: suite => formatCount(suite.totals?.runs),
      count: suite => suite.totals?.runs,
      sort: suite => suite.totals?.runs ?? undefined,
    },
  ]
}

export function runColumns(symbols: Symbols): readonly Column<EvalRun>[] {
  return [
    {
      id: 'number',
      title: 'Run',
      width: 6,
      cell: run => (run.runNumber == null ? run.id.slice(-5) : `#${run.runNumber}`),
      sort: run => run.runNumber ?? undefined,
    },
    {
      id: 'state',
      title: 'State',
      width: 11,
      cell: run => {
        const look = runLook(run)
        return { text: `${symbols[look.symbol]} ${look.word}`, tone: look.tone }
      },
      sort: run => runLook(run).word,
    },
    {
      id: 'passed',
      title: 'Passed',
      width: 8,
      align: 'right',
      cell: run =>
        run.summary?.total == null ? UNKNOWN : `${run.summary.passed ?? UNKNOWN}/${run.summary.total}`,
      count: run => run.summary?.passed,
      sort: run => run.summary?.passed ?? undefined,
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
    {
      id: 'age',
      title: 'Age',
      width: 5,
      align: 'right',
      cell: run => ({ text: formatAge(toEpochMs(run.createdAt), Date.now()), tone: 'muted' }),
      sort: run => toEpochMs(run.createdAt),
    },
    {
      id: 'notes',
      title: 'Notes',
      width: 'flex',
      from: 60,
      cell: run => ({ text: run.notes ?? '', tone: 'muted' }),
    },
  ]
}

function tookMs(run: EvalRun): number | undefined {
  const from = toEpochMs(run.createdAt)
  const to = toEpochMs(run.completedAt)
  return from === undefined || to === undefined ? undefined : to - from
}

export function trialColumns(symbols: Symbols): readonly Column<EvalIteration>[] {
  return [
    {
      id: 'state',
      title: 'State',
      width: 11,
      cell: trial => {
        const look = trialLook(trial)
        return { text: `${symbols[look.symbol]} ${look.word}`, tone: look.tone }
      },
      sort: trial => trialLook(trial).word,
    },
    {
      id: 'case',
      title: 'Case',
      width: 'flex',
      cell: trial => trial.title ?? UNKNOWN,
      sort: trial => trial.title ?? undefined,
    },
    {
      id: 'iteration',
      title: 'Trial',
      width: 5,
      align: 'right',
      cell: trial => ({ text: String(trial.iterationNumber), tone: 'muted' }),
      sort: trial => trial.iterationNumber,
    },
    {
      id: 'took',
      title: 'Took',
      width: 8,
      align: 'right',
      cell: trial => ({ text: formatDuration(trial.durationMs), tone: 'muted' }),
      sort: trial => trial.durationMs ?? undefined,
    },
  ]
}

export const suiteKey = (suite: EvalSuite): string => suite.id
export const runKey = (run: EvalRun): string => run.id
export const trialKey = (trial: EvalIteration): string => trial.id
