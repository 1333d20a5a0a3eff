import type { EvalRun } from '../../api/contract/runs.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import { runCounts } from '../../api/runs/counts.ts'
import { lastChange, trendRates } from '../../api/runs/trend.ts'
import { passRate } from '../../api/runs/trials.ts'
import { serviceNow } from '../../api/service-time.ts'
import { sparkline } from '../../app/theme/charts.ts'
import { formatAge, formatCount, formatDuration, formatShare, UNKNOWN } from '../../app/theme/format.ts'
import type { Symbols } from '../../app/theme/theme.ts'
import type { Cell, Column } from '../../components/list/columns.ts'
import { runLook } from './status.ts'

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
        // Where nothing was graded, nothing passed either.
        const result = run.failed ? 'failed' : run.passed ? 'passed' : null
        const look = runLook({ status: run.status, result: run.status === 'completed' ? result : null })
        return { text: `${symbols[look.symbol]} ${look.word}`, tone: look.tone }
      },
      sort: suite => toEpochMs(suite.latestRun?.createdAt),
    },
    {
      id: 'passed',
      title: 'Passed',
      width: PASSED,
      align: 'right',
      cell: suite => {
        const { passed, failed } = suite.latestRun ?? {}
        return passed == null || failed == null ? UNKNOWN : partOfGraded(passed, failed)
      },
      count: suite => suite.latestRun?.passed,
      sort: suite => suite.latestRun?.passed ?? undefined,
    },
    {
      id: 'trend',
      title: 'Trend',
      width: TREND_RUNS,
      align: 'right',
      from: 56,
      cell: suite => trendCell(symbols, trendOf(suite)),
      sort: suite => trendOf(suite).at(-1),
    },
    {
      id: 'rate',
      title: 'Rate',
      width: 4,
      align: 'right',
      from: 88,
      cell: suite => formatShare(trendOf(suite).at(-1)),
      sort: suite => trendOf(suite).at(-1),
    },
    {
      id: 'change',
      title: 'Change',
      width: 6,
      align: 'right',
      from: 74,
      cell: suite => changeCell(lastChange(trendOf(suite))),
      sort: suite => lastChange(trendOf(suite)),
    },
    {
      id: 'runs',
      title: 'Runs',
      width: 5,
      align: 'right',
      from: 82,
      cell: suite => formatCount(suite.totals?.runs),
      count: suite => suite.totals?.runs,
      sort: suite => suite.totals?.runs ?? undefined,
    },
  ]
}

const NONE: ReadonlySet<string> = new Set()

/** Columns of `980/1,000`. */
const PASSED = 9

/** How many of the latest runs a trend shows. */
const TREND_RUNS = 8

function trendOf(suite: EvalSuite): (number | undefined)[] {
  return trendRates(suite).slice(-TREND_RUNS)
}

function trendCell(symbols: Symbols, rates: readonly (number | undefined)[]): Cell {
  if (rates.length === 0) return { text: UNKNOWN, tone: 'muted' }
  // A theme that draws nothing says the last rate.
  return sparkline(symbols, rates) || formatShare(rates.at(-1))
}

/** The change to the run before, in percentage points. */
function changeCell(change: number | undefined): Cell {
  if (change === undefined) return { text: UNKNOWN, tone: 'muted' }
  const points = Math.round(change * 100)
  if (points === 0) return { text: '=', tone: 'muted' }
  return points > 0 ? { text: `+${points}pp`, tone: 'ok' } : { text: `${points}pp`, tone: 'warn' }
}

/** Columns of a suite's runs; `followed` holds the ids of those that the person follows. */
export function runColumns(
  symbols: Symbols,
  followed: ReadonlySet<string> = NONE,
): readonly Column<EvalRun>[] {
  return [
    {
      id: 'number',
      title: 'Run',
      width: 7,
      cell: run => {
        const name = run.runNumber == null ? run.id.slice(-5) : `#${run.runNumber}`
        return followed.has(run.id) ? `${name} ${symbols.followed}` : name
      },
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
      width: PASSED,
      align: 'right',
      cell: run => passedOfGraded(run),
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
    {
      id: 'age',
      title: 'Age',
      width: 5,
      align: 'right',
      cell: run => ({ text: formatAge(toEpochMs(run.createdAt), serviceNow()), tone: 'muted' }),
      sort: run => toEpochMs(run.createdAt),
    },
    {
      id: 'source',
      title: 'From',
      width: 5,
      from: 56,
      cell: run => ({ text: run.source ?? UNKNOWN, tone: 'muted' }),
    },
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
    {
      id: 'notes',
      title: 'Notes',
      width: 'flex',
      from: 76,
      cell: run => ({ text: run.notes ?? '', tone: 'muted' }),
    },
  ]
}

/** `3/5`: passed of what was graded, in the run's own unit; unknown before anything was. */
export function passedOfGraded(run: EvalRun): string {
  const { passed = 0, failed = 0 } = runCounts(run) ?? {}
  return partOfGraded(passed, failed)
}

function partOfGraded(passed: number, failed: number): string {
  return passed + failed > 0 ? partOf(passed, passed + failed) : UNKNOWN
}

/** `980/1,000`, and `9.8k/10k` where that has no room: rounded down, so that what is short of all never seems to be all. */
function partOf(part: number, whole: number): string {
  const text = `${formatCount(part)}/${formatCount(whole)}`
  if (text.length <= PASSED) return text
  const thousands = (count: number): string =>
    count < 1000 ? String(count) : `${Math.floor(count / 100) / 10}k`
  return `${thousands(part)}/${thousands(whole)}`
}

/** `980 of 1,000 case executions passed`: what a run counted, in its own unit; empty where it counted nothing. */
export function passedWords(run: EvalRun): string {
  const { passed, total, unit } = runCounts(run) ?? {}
  if (total === undefined) return ''
  return [`${formatCount(passed)} of ${formatCount(total)}`, unit, 'passed'].filter(Boolean).join(' ')
}

function shareOfGraded(run: EvalRun): number | undefined {
  const counts = runCounts(run)
  return counts && passRate(counts)
}

/** Environment and client of a run, as far as they are told. */
function targetOf({ environment, client }: EvalRun): string | undefined {
  const parts = [environment && (environment.name ?? environment.id), client?.name]
  return parts.filter(Boolean).join(' / ') || undefined
}

/** The group that a run was launched in; the contract tells it at the launch, and some services with each run. */
function groupOf(run: EvalRun): string | undefined {
  const group = run['runGroupId']
  return typeof group === 'string' ? group : undefined
}

function tookMs(run: EvalRun): number | undefined {
  const from = toEpochMs(run.createdAt)
  const to = toEpochMs(run.completedAt)
  return from === undefined || to === undefined ? undefined : to - from
}

export const suiteKey = (suite: EvalSuite): string => suite.id
export const runKey = (run: EvalRun): string => run.id
