import { Box, Text } from 'ink'
import { useRef, useState, type ReactNode } from 'react'
import { type EvalRun, shortRunName } from '../../api/contract/runs.ts'
import type { EvalRunCompare } from '../../api/contract/run-comparison.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import {
  heatMap,
  HEAT_READS,
  heatReads,
  heatRuns,
  heldSince,
  isFlaky,
  type HeatMap,
  type HeatRead,
} from '../../domain/runs/heat.ts'
import type { PointedCell } from '../../tui/terminal/pointer.ts'
import { levelAt, type Figure } from '../../domain/runs/trend.ts'
import { useMouseArea } from '../../components/mouse-areas.tsx'
import { PaneState, type PaneData } from '../../components/pane-state.tsx'
import { passedWords } from '../../components/records/run-look.ts'
import { useSize } from '../../components/size.tsx'
import { useLiveQueries } from '../../hooks/use-api-query.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { unavailable } from '../../tui/keymap/binding.ts'
import { UnavailableAction } from '../../tui/keymap/dispatcher.ts'
import { useBindings, useKeyName } from '../../tui/keymap/use-bindings.ts'
import { usePlace, useRouter } from '../../tui/router/router-context.tsx'
import { formatDuration, formatShare, plural, UNKNOWN } from '../../lib/format.ts'
import { clean, truncate, wrap } from '../../tui/theme/text.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Middle } from '../runs/route.ts'
import { heatKeys, middleKeys } from './cases-keys.ts'
import { drawHeat, HEAT_HEAD, layoutHeat, signOf, type HeatSign } from './heat-drawing.ts'
import { MiddlePane } from './middle.tsx'

type HeatRuns = PaneData & { items: readonly EvalRun[] | undefined }

/** Shows the cases of the selected suite in its last runs. */
export function HeatTab(props: {
  projectId: string
  suite: EvalSuite
  runs: HeatRuns
  focused: boolean
  onChange: (middle: Middle) => void
}): ReactNode {
  const { focused, onChange, ...shown } = props
  const runs = heatRuns(props.runs.items ?? [])
  return (
    <MiddlePane current="heat" focused={focused} onChange={onChange} count={plural(runs.length, 'run')}>
      <SuiteHeat {...shown} focused={focused} reads={HEAT_READS} />
    </MiddlePane>
  )
}

/**
 * Shows the heat map below the list of runs. Nobody has asked for it, so it compares only the latest runs if the rate
 * of requests is limited.
 */
export function HeatBelow(props: Omit<Parameters<typeof SuiteHeat>[0], 'focused' | 'reads'>): ReactNode {
  const { unlimited } = useWorkspace().budget.snapshot()
  return <SuiteHeat {...props} focused={false} reads={unlimited ? HEAT_READS : FEW_READS} />
}

/** `reads` is the number of comparisons that are read at first. */
function SuiteHeat(props: { projectId: string; suite: EvalSuite; runs: HeatRuns; focused: boolean; reads: number }) {
  const { projectId, suite, focused } = props
  const key = useKeyName()
  const runs = heatRuns(props.runs.items ?? [])
  const reads = useHeatReads(projectId, runs, props.reads)
  const map = useHeatMap(runs, reads.answers)
  const isFew = runs.length < 2
  const empty = {
    why: 'Fewer than two runs of this suite have ended.',
    next: `A heat map compares ended runs. Press ${key(middleKeys, 'next')} to go to the list of runs.`,
  }
  return (
    <PaneState
      data={isFew ? props.runs : reads.data}
      loading="Comparing the runs of the suite…"
      empty={isFew ? empty : undefined}
    >
      <Heat key={suite.id} map={map} reads={reads} focused={focused} />
    </PaneState>
  )
}

/** Number of comparisons for a map that was not requested. */
const FEW_READS = 2
/** A comparison of ended runs never changes. */
const FINAL = { staleTime: Infinity, refetchOnMount: false } as const

/** Computed again only if a run or an answer changes: cursor moves draw the same map. */
function useHeatMap(runs: readonly EvalRun[], answers: readonly EvalRunCompare[]): HeatMap {
  const made = useRef<{ of: readonly unknown[]; map: HeatMap }>(undefined)
  const of = [...runs, ...answers]
  const isSame = made.current?.of.length === of.length && of.every((part, index) => part === made.current?.of[index])
  if (!made.current || !isSame) made.current = { of, map: heatMap(runs, answers) }
  return made.current.map
}

type HeatReads = ReturnType<typeof useHeatReads>

function pairOf({ runId, baseRunId }: HeatRead): string {
  return `${runId} ${baseRunId}`
}

/** Reads the first comparisons of the newest runs, and more with every call of `more`. */
function useHeatReads(projectId: string, runs: readonly EvalRun[], first: number) {
  const { queries } = useWorkspace()
  const [rounds, setRounds] = useState(0)
  const all = heatReads(runs)
  const wanted = first + rounds * HEAT_READS
  const { reads: results } = useLiveQueries(all.slice(0, wanted), {
    nameOf: pairOf,
    options: input => ({ ...queries.runs.compare.options({ projectId, ...input }), ...FINAL }),
    isLive: () => false,
  })
  const answers = results.flatMap(({ data }) => data ?? [])
  const problem = results.find(each => each.problem)?.problem
  return {
    answers,
    problem,
    data: {
      pending: answers.length === 0 && !problem,
      hasData: answers.length > 0,
      problem: answers.length > 0 ? undefined : problem,
      updatedAt: undefined,
    },
    isReading: results.some(each => !each.data && !each.problem),
    left: Math.max(0, all.length - wanted),
    more: () => setRounds(rounds + 1),
  }
}

/** Lines below the cases for the selected cell; a tall pane has as many for its run. */
const CELL_ROWS = 2
const TALL = 20
const LEGEND: readonly (readonly [HeatSign, string])[] = [
  ['passed', 'passed'],
  ['failed', 'failed'],
  ['ungraded', 'no verdict'],
  ['absent', 'not run'],
  ['unread', 'not read'],
]

type At = { row: number; column: number }
type Chosen = { key: string | undefined; runId: string | undefined }

const NO_ROW = { key: undefined, cells: [] }

function Heat({ map, reads, focused }: { map: HeatMap; reads: HeatReads; focused: boolean }): ReactNode {
  const { width, height } = useSize()
  const theme = useTheme()
  const { params } = usePlace()
  // Keys that arrive before the next render continue from the position of the last one.
  const chosen = useRef<Chosen>({ key: params['cell'], runId: params.runId })
  const [, draw] = useState(0)
  const [hovered, setHovered] = useState<At>()
  const place = (): At => ({
    row: Math.max(
      0,
      map.rows.findIndex(({ key }) => key === chosen.current.key),
    ),
    column: indexOr(
      map.runs.findIndex(({ id }) => id === chosen.current.runId),
      map.runs.length - 1,
    ),
  })
  const at = place()
  const runRows = height >= TALL ? 2 : 1
  const footRows = CELL_ROWS + runRows + 1
  const size = { width, height: Math.max(HEAT_HEAD + 1, height - footRows) }
  const layout = layoutHeat(map, at, size, theme)
  const go = (row: number, column: number): void => {
    chosen.current = {
      key: map.rows[Math.max(0, Math.min(map.rows.length - 1, row))]?.key,
      runId: map.runs[Math.max(0, Math.min(map.runs.length - 1, column))]?.id,
    }
    setHovered(undefined)
    draw(count => count + 1)
  }
  useHeatKeys({ map, reads, focused, place, go, page: layout.rows })
  const cellAt = ({ row, column }: PointedCell): At | undefined => {
    const cell = Math.floor((column - layout.left) / layout.step)
    if (row >= layout.head + layout.rows || cell < 0 || cell >= layout.columns) return undefined
    const mapRow = row < layout.head ? place().row : layout.first.row + row - layout.head
    return { row: mapRow, column: layout.first.column + cell }
  }
  useMouseArea({
    press: pressed => {
      const cell = cellAt(pressed)
      if (cell) go(cell.row, cell.column)
    },
    hover: over => {
      const cell = over && cellAt(over)
      if (cell?.row !== hovered?.row || cell?.column !== hovered?.column) setHovered(cell)
    },
  })
  const said = hovered ?? at
  const lines = drawHeat(map, at, layout, theme, width)
  const key = useKeyName()
  const unread = reads.isReading ? 'reading…' : `${key(heatKeys, 'more')} reads more`
  const signs = new Set(map.rows.flatMap(({ cells }) => cells.map(signOf)))
  const legend = LEGEND.filter(([sign]) => signs.has(sign)).map(([sign, word]) => `${theme.symbols.heat[sign]} ${word}`)
  const flaky = map.rows.some(isFlaky) ? [`${theme.symbols.flaky} flaky`] : []
  const notes = [...(reads.isReading || reads.left > 0 ? [unread] : []), ...legend, ...flaky]
  const room = Math.max(1, width - 2)
  const rowsOf = (text: string, rows: number): string[] => {
    const words = wrap(text, room, { most: rows + 1 })
    if (words.length > rows) words[rows - 1] = truncate(`${words[rows - 1]} …`, room)
    return Array.from({ length: rows }, (_, row) => words[row] ?? '')
  }
  const foot = [
    ...rowsOf(cellWords(map, said, reads), CELL_ROWS),
    ...rowsOf(runWords(map, said.column), runRows),
    ...rowsOf(notes.join('  '), 1),
  ]
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Box flexDirection="column" height={Math.max(0, height - footRows)}>
        {lines.map((line, index) => (
          <Text key={index} wrap="truncate">
            {line || ' '}
          </Text>
        ))}
      </Box>
      {foot.map((text, index) => (
        <Text key={index} wrap="truncate">
          {` ${theme.paint(index === footRows - 1 ? 'muted' : 'plain', text)}`}
        </Text>
      ))}
    </Box>
  )
}

function indexOr(index: number, otherwise: number): number {
  return index === -1 ? otherwise : index
}

const WORDS: Record<HeatSign, string> = {
  passed: 'passed',
  failed: 'failed',
  ungraded: 'ended without a verdict',
  absent: 'not run',
  unread: 'not read',
}

/** Returns `hears something else in #12: failed since #9: expected …`. */
function cellWords({ runs, rows }: HeatMap, at: { row: number; column: number }, { problem }: HeatReads): string {
  const [row, run] = [rows[at.row], runs[at.column]]
  if (!row || !run) return ''
  const cell = row.cells[at.column]
  const sign = signOf(cell)
  const name = `${clean(row.title)} in ${shortRunName(run)}`
  if (cell === undefined || cell === 'unread')
    return `${name}: ${WORDS[sign]}${cell === 'unread' && problem ? `: ${clean(problem.title)}` : ''}`
  const { column, isExact } = heldSince(row, at.column)
  const since =
    column < at.column
      ? ` since ${shortRunName(runs[column]!)}${isExact || runs[column]!.runNumber === 1 ? '' : ' or before'}`
      : ''
  const flaky = isFlaky(row) ? ` (flaky: ${row.changes} changes)` : ''
  return `${name}: ${WORDS[sign]}${since}${flaky}${cell.error ? `: ${clean(cell.error)}` : ''}`
}

/** Returns `#12: 10 of 12 case executions passed, took 4.2s; pass rate 83% since #10, was 98%`. */
function runWords({ runs, trend: { rate, took } }: HeatMap, column: number): string {
  const run = runs[column]
  if (!run) return ''
  const changeOf = (figure: Figure, words: (mean: number) => string): string => {
    const { level, before } = levelAt(figure, column) ?? {}
    return level && before
      ? `; ${words(level.mean)} since ${shortRunName(runs[level.from]!)}, was ${words(before.mean)}`
      : ''
  }
  return clean(
    `${shortRunName(run)}: ${passedWords(run) || `${UNKNOWN} passed`}, took ${formatDuration(took.values[column])}` +
      changeOf(rate, mean => `pass rate ${formatShare(mean)}`) +
      changeOf(took, formatDuration),
  )
}

function useHeatKeys(options: {
  map: HeatMap
  reads: HeatReads
  focused: boolean
  place: () => At
  go: (row: number, column: number) => void
  page: number
}): void {
  const { map, reads, focused, place, go, page } = options
  const router = useRouter()
  const by = (rows: number, columns: number) => (): void => go(place().row + rows, place().column + columns)
  const open = (): void => {
    const { row, column } = place()
    const [{ key, cells } = NO_ROW, run] = [map.rows[row], map.runs[column]]
    const cell = cells[column]
    if (cell === 'unread') throw new UnavailableAction('That run is not read yet.')
    if (!run || cell?.trialId === undefined) throw new UnavailableAction('No trial of the case is known in that run.')
    const trial = { pane: 'run', tab: 'trial', iterationId: cell.trialId }
    router.replace({ runId: run.id, cell: key, base: undefined, ...trial })
  }
  useBindings(
    heatKeys,
    {
      open,
      down: by(1, 0),
      up: by(-1, 0),
      newer: by(0, 1),
      older: by(0, -1),
      pageDown: by(page, 0),
      pageUp: by(-page, 0),
      top: () => go(0, place().column),
      bottom: () => go(map.rows.length - 1, place().column),
      oldest: () => go(place().row, 0),
      newest: () => go(place().row, map.runs.length - 1),
      more: reads.left > 0 ? reads.more : unavailable('All runs of the map are read.'),
    },
    { active: focused },
  )
}
