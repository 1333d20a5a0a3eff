import { greatest } from '../../lib/extremes.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import { type ReportedRun, type SuiteState, suiteStateOf } from '../../domain/runs/suite-state.ts'
import { lastChange, trendRates } from '../../domain/runs/graded.ts'
import { sparkline } from '../../tui/theme/charts.ts'
import { formatShare, UNKNOWN } from '../../lib/format.ts'
import type { Symbols } from '../../tui/theme/theme.ts'
import { countColumn, lookCell, nameColumn } from '../../components/collection/plain-parts.ts'
import type { Cell, Column } from '../../components/list/columns.ts'
import { COVERED, coveredText, fitting, PASSED } from './covered.ts'
import { reportLook, stateWidth, suiteLook } from '../../components/records/run-look.ts'

/** Number of latest runs in a trend. */
const TREND_RUNS = 8

type StateOf = (suite: EvalSuite) => SuiteState

/** Columns that states and last runs need in the list of suites, so that names get the rest. */
export type SuiteWidths = { state: number; latest: number }

/** @param judge as for {@link suiteColumns} */
export function suiteWidths(suites: readonly EvalSuite[], judge: StateOf): SuiteWidths {
  const states = suites.map(judge)
  const latest = states.map(state => (state.latest ? latestText(state.latest).length : 0))
  return {
    state: stateWidth(states.flatMap(state => suiteLook(state) ?? [])),
    latest: Math.min(COVERED, Math.max(PASSED, greatest(latest))),
  }
}

/**
 * Returns the columns of the list of suites.
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
    nameColumn('Suite', suite => suite.name ?? suite.id),
    {
      id: 'state',
      title: 'State',
      width: widths.state,
      cell: suite => {
        const look = suiteLook(stateOf(suite))
        return look ? lookCell(symbols, look) : muted(UNKNOWN)
      },
      sort: suite => suiteLook(stateOf(suite))?.word,
    },
    countColumn('Last run', widths.latest, suite => toEpochMs(stateOf(suite).latest?.run.createdAt), {
      id: 'latest',
      cell: suite => {
        const { latest } = stateOf(suite)
        return latest ? latestCell(latest) : muted(UNKNOWN)
      },
      count: suite => stateOf(suite).latest?.counts?.passed,
    }),
    countColumn('Trend', TREND_RUNS, suite => trendOf(suite).at(-1), {
      from: 56,
      cell: suite => trendCell(symbols, trendOf(suite)),
    }),
    countColumn('Rate', 4, suite => trendOf(suite).at(-1), {
      from: 88,
      cell: suite => formatShare(trendOf(suite).at(-1)),
    }),
    countColumn('Change', 6, suite => lastChange(trendOf(suite)), {
      from: 74,
      cell: suite => changeCell(lastChange(trendOf(suite))),
    }),
    countColumn('Runs', 5, suite => suite.totals?.runs, { from: 82, count: suite => suite.totals?.runs }),
  ]
}

function muted(text: string): Cell {
  return { text, tone: 'muted' }
}

function latestCell(latest: ReportedRun): Cell {
  return { text: latestText(latest), tone: reportLook(latest).tone }
}

/** Returns `3/3 of 6 cases`; unknown for a run in flight or without figures. */
function latestText(latest: ReportedRun): string {
  const covered = latest.outcome === 'in-flight' ? UNKNOWN : coveredText(latest)
  // The outcome of the run is in the column of states.
  if (covered === UNKNOWN) return UNKNOWN
  return latest.coverage.isWhole === undefined ? fitting(`${covered} of ? cases`, `${covered} of ?`) : covered
}

function trendCell(symbols: Symbols, rates: readonly (number | undefined)[]): Cell {
  if (rates.every(rate => rate === undefined)) return muted(UNKNOWN)
  // Without drawing, the last rate is shown.
  return muted(sparkline(symbols, rates) || formatShare(rates.at(-1)))
}

/** Returns the change since the previous run, in percentage points. */
function changeCell(change: number | undefined): Cell {
  if (change === undefined) return muted(UNKNOWN)
  const points = Math.round(change * 100)
  if (points === 0) return { text: '=', tone: 'muted' }
  return points > 0 ? { text: `+${points}pp`, tone: 'ok' } : { text: `${points}pp`, tone: 'warn' }
}

export const suiteKey = (suite: EvalSuite): string => suite.id
