import { toEpochMs } from '../../api/contract/shapes.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import { type ReportedRun, type SuiteState, suiteStateOf } from '../../domain/runs/suite-state.ts'
import { lastChange, trendRates } from '../../domain/runs/graded.ts'
import { sparkline } from '../../tui/theme/charts.ts'
import { formatCount, formatShare, UNKNOWN } from '../../tui/theme/format.ts'
import type { Symbols, Tone } from '../../tui/theme/theme.ts'
import type { Cell, Column } from '../../components/list/columns.ts'
import { COVERED, coveredText, PASSED } from './covered.ts'
import { reportLook, stateWidth, suiteLook } from '../../components/records/run-look.ts'

/** How many of the latest runs a trend shows. */
const TREND_RUNS = 8

type StateOf = (suite: EvalSuite) => SuiteState

/** Columns that states and last runs of the listed suites take, so that names get the rest. */
export type SuiteWidths = { state: number; latest: number }

/** @param judge as for {@link suiteColumns} */
export function suiteWidths(suites: readonly EvalSuite[], judge: StateOf): SuiteWidths {
  const states = suites.map(judge)
  const latest = states.map(state => (state.latest ? latestText(state.latest).length : 0))
  return {
    state: stateWidth(states.flatMap(state => suiteLook(state) ?? [])),
    latest: Math.min(COVERED, Math.max(PASSED, ...latest)),
  }
}

/**
 * Columns of the list of suites; they show a theme's marks, so they are made once per theme.
 * @param judge what is known of a suite's runs; by default what its own record says
 */
export function suiteColumns(
  symbols: Symbols,
  judge: StateOf = suite => suiteStateOf({ suite }),
  widths: SuiteWidths = { state: stateWidth([]), latest: COVERED },
): readonly Column<EvalSuite>[] {
  const states = new WeakMap<EvalSuite, SuiteState>()
  const stateOf: StateOf = suite => {
    const state = states.get(suite) ?? judge(suite)
    states.set(suite, state)
    return state
  }
  const trendOf = (suite: EvalSuite): readonly (number | undefined)[] =>
    (stateOf(suite).trend ?? trendRates(suite)).slice(-TREND_RUNS)
  return [
    {
      id: 'name',
      title: 'Suite',
      width: 'flex',
      cell: suite => suite.name ?? suite.id,
      sort: suite => suite.name ?? suite.id,
    },
    {
      id: 'state',
      title: 'State',
      width: widths.state,
      cell: suite => {
        const look = suiteLook(stateOf(suite))
        return look ? { text: `${symbols[look.symbol]} ${look.word}`, tone: look.tone } : muted(UNKNOWN)
      },
      sort: suite => suiteLook(stateOf(suite))?.word,
    },
    {
      id: 'latest',
      title: 'Last run',
      width: widths.latest,
      align: 'right',
      cell: suite => {
        const { latest } = stateOf(suite)
        return latest ? latestCell(latest) : muted(UNKNOWN)
      },
      count: suite => stateOf(suite).latest?.counts?.passed,
      sort: suite => toEpochMs(stateOf(suite).latest?.run.createdAt),
    },
    {
      id: 'trend',
      title: 'Trend',
      width: TREND_RUNS,
      align: 'right',
      from: 56,
      cell: suite => trendCell(symbols, trendOf(suite), stateOf(suite).trend ? 'plain' : 'muted'),
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

function muted(text: string): Cell {
  return { text, tone: 'muted' }
}

function latestCell(latest: ReportedRun): Cell {
  return { text: latestText(latest), tone: reportLook(latest).tone }
}

/** `3/3 of 6 cases`; of one in flight or without figures, its state. */
function latestText(latest: ReportedRun): string {
  const covered = latest.outcome === 'in-flight' ? UNKNOWN : coveredText(latest)
  if (covered === UNKNOWN) return reportLook(latest).word
  return latest.coverage.isWhole === undefined ? `${covered} of ? cases` : covered
}

function trendCell(symbols: Symbols, rates: readonly (number | undefined)[], tone: Tone): Cell {
  if (rates.every(rate => rate === undefined)) return muted(UNKNOWN)
  // A theme that draws nothing says the last rate.
  return { text: sparkline(symbols, rates) || formatShare(rates.at(-1)), tone }
}

/** The change to the run before, in percentage points. */
function changeCell(change: number | undefined): Cell {
  if (change === undefined) return muted(UNKNOWN)
  const points = Math.round(change * 100)
  if (points === 0) return { text: '=', tone: 'muted' }
  return points > 0 ? { text: `+${points}pp`, tone: 'ok' } : { text: `${points}pp`, tone: 'warn' }
}

export const suiteKey = (suite: EvalSuite): string => suite.id
