import { Box, Text } from 'ink'
import { useEffect, useMemo, useState } from 'react'
import type { EvalIteration } from '../../../api/contract/iterations.ts'
import { byCase } from '../../../domain/runs/variants.ts'
import { unavailable } from '../../../tui/keymap/binding.ts'
import { useBindings } from '../../../tui/keymap/use-bindings.ts'
import { usePlace, useRouter } from '../../../tui/router/router-context.tsx'
import { UNKNOWN } from '../../../lib/format.ts'
import { clean, truncate, wrap } from '../../../tui/theme/text.ts'
import { useTheme } from '../../../tui/theme/theme-context.tsx'
import type { PointedCell } from '../../../tui/terminal/pointer.ts'
import type { Tone } from '../../../tui/theme/theme.ts'
import { List } from '../../../components/list/list.tsx'
import { BelowCut } from '../../../components/list/read-on.tsx'
import { useList } from '../../../components/list/use-list.ts'
import { PaneState } from '../../../components/pane-state.tsx'
import { SizeProvider, useSize } from '../../../components/size.tsx'
import { useMouseArea } from '../../../components/mouse-areas.tsx'
import { paintSpans } from '../../../components/viewer/spans.ts'
import { plannedTrials } from '../run/facts.ts'
import { passedInLabel } from '../run/summary-nodes.ts'
import { wallOf, wallRows, type Wall } from '../run/wall.ts'
import type { RunData } from '../use-runs-data.ts'
import { caseColumns, caseKey } from './columns.ts'
import { trialLook, whyOf } from '../../../components/records/trial-look.ts'
import { trialsKeys } from './trial-keys.ts'
import type { Trials } from './use-trials.ts'
import { isOpenTrial } from '../../../domain/runs/trials.ts'
import { classOfTrial, CLASS_LABELS, isFailing, TRIAL_CLASSES } from '../../../domain/runs/trial-class.ts'

const EMPTY = { why: 'The run has no trials yet.', next: 'They appear as soon as the service has planned them.' }

/** Lists the run's trials, failing first, or a row for each case. */
export function TrialsTab(props: { data: RunData; trials: Trials; focused: boolean }) {
  const { data, trials, focused } = props
  const { list, isByCase } = trials
  const router = useRouter()
  const all = useMemo(() => presets(data.trials), [data.trials])
  useBindings(
    trialsKeys,
    {
      show:
        isByCase || all.length === 1
          ? unavailable(isByCase ? 'Cases are shown, not trials.' : whyNoPreset(data.trials, !data.trialsQuery.hasMore))
          : () => list.setFilter(nextPreset(all, list.filter)),
      byCase: () => router.replace({ rows: isByCase ? undefined : 'cases' }),
    },
    { active: focused },
  )
  return (
    <PaneState
      data={data.trialsQuery}
      loading="Reading the trials…"
      empty={list.total === 0 && !data.trialsQuery.hasMore ? EMPTY : undefined}
    >
      <BelowCut pages={data.trialsQuery} count={data.trials.length} noun="trial" focused={focused}>
        {isByCase ? (
          <Cases data={data} trials={trials} focused={focused} />
        ) : (
          <TrialList data={data} trials={trials} focused={focused} />
        )}
      </BelowCut>
    </PaneState>
  )
}

/** Number of rows below the list for the selected trial: its case and its reason. */
const FOOT_ROWS = 4
/** A pane with fewer rows gives all of them to the list. */
const LEAST_ROWS = 12

/** Rows of the wall above the list, the pane height from which it is shown, and the gap below it. */
const WALL = { rows: 3, from: 26, gap: 1 }

function TrialList(props: { data: RunData; trials: Trials; focused: boolean }) {
  const { list, chosen } = props.trials
  const { width, height } = useSize()
  const theme = useTheme()
  const wall = useWall(props.data, { width, height })
  const above = wall ? Math.ceil(wall.cells.length / wall.columns) + WALL.gap : 0
  const hasFoot = height >= LEAST_ROWS
  const [hovered, setHovered] = useState<EvalIteration>()
  const shown = hovered ?? chosen
  const rows = hasFoot && shown ? footRows(shown, width - 2) : []
  return (
    <Box flexDirection="column" width={width} height={height}>
      {wall && (
        <SizeProvider width={width} height={above}>
          <TrialWall {...props} wall={wall} onHover={setHovered} />
        </SizeProvider>
      )}
      <SizeProvider width={width} height={height - above - (hasFoot ? FOOT_ROWS : 0)} top={above}>
        <List list={list} focused={props.focused} empty={EMPTY.why} goesOn={props.data.trialsQuery.hasMore} />
      </SizeProvider>
      {rows.map(({ text, tone }, index) => (
        <Text key={index} wrap="truncate">{` ${theme.paint(tone, text)}`}</Text>
      ))}
    </Box>
  )
}

/** Returns the wall of the run's trials; undefined if the list needs the room, or nothing is drawn. */
function useWall({ run, trials }: RunData, { width, height }: { width: number; height: number }): Wall | undefined {
  const { plain } = useTheme()
  const isShown = height >= WALL.from && trials.length > 1 && !plain
  const total = run.data && plannedTrials(run.data)
  return useMemo(
    () => (isShown ? wallOf(trials.map(classOfTrial), total ?? 0, { columns: width - 4, rows: WALL.rows }) : undefined),
    [isShown, trials, total, width],
  )
}

/**
 * Shows the wall. The cell of the selected trial is inverse; a click on a cell selects its trial, and hovering shows it
 * below.
 */
function TrialWall(props: {
  data: RunData
  trials: Trials
  wall: Wall
  onHover: (trial: EvalIteration | undefined) => void
}) {
  const { data, trials, wall } = props
  const { chosen, list } = trials
  const theme = useTheme()
  const place = chosen ? data.trials.indexOf(chosen) : -1
  const trialAt = ({ row, column }: PointedCell): EvalIteration | undefined => {
    const cell = Math.floor((column - 2) / wall.step)
    return cell >= 0 && cell < wall.columns ? data.trials[(row * wall.columns + cell) * wall.trialsEach] : undefined
  }
  useMouseArea({
    press: pressed => {
      const trial = trialAt(pressed)
      if (trial) list.selection.select(trial.id)
    },
    hover: over => props.onHover(over && trialAt(over)),
  })
  const rows = wallRows(wall, theme.symbols, place < 0 ? undefined : Math.floor(place / wall.trialsEach))
  return [...rows, []].map((spans, index) => <Text key={index} wrap="truncate">{`  ${paintSpans(theme, spans)}`}</Text>)
}

/** Returns the text that fits no column; of a long reason, the beginning. */
function footRows(trial: EvalIteration, columns: number): { text: string; tone: Tone }[] {
  const why = whyOf(trial)
  const words = clean(why ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const rows = why === undefined ? [] : wrap(words, Math.max(1, columns), { most: FOOT_ROWS })
  const shown = rows.slice(0, FOOT_ROWS - 1)
  const last = shown.at(-1)
  if (last !== undefined && rows.length > shown.length) shown[shown.length - 1] = truncate(`${last} …`, columns)
  return [
    { text: truncate(clean(trial.title ?? UNKNOWN), columns), tone: 'accent' },
    ...shown.map(text => ({ text, tone: trialLook(trial).tone })),
  ]
}

function Cases(props: { data: RunData; trials: Trials; focused: boolean }) {
  const { data, trials, focused } = props
  const { models, onOpenCase } = trials
  const { symbols } = useTheme()
  const router = useRouter()
  const { params } = usePlace()
  const items = useMemo(() => byCase(data.trials), [data.trials])
  const run = data.run.data
  const columns = useMemo(() => {
    const passedIn = new Map(run ? data.flaky.map(each => [each.variant, passedInLabel(each, run)] as const) : [])
    return caseColumns(symbols, { models, passedIn })
  }, [symbols, models, run, data.flaky])
  const list = useList({
    items,
    keyOf: caseKey,
    columns,
    initialKey: params.caseRow,
    initialSorting: { column: 'state', descending: false },
  })
  useEffect(() => {
    onOpenCase(() => {
      const row = list.choose()
      if (!row) return
      const first = row.trials.toSorted((a, b) => orderOf(trials, a.id) - orderOf(trials, b.id))[0]
      trials.list.setFilter('')
      // Sorting by case groups the trials of each case.
      trials.list.setSorting({ column: 'case', descending: false })
      if (first) trials.list.selection.select(first.id)
      router.replace({ rows: undefined, caseRow: row.key })
    })
    return () => onOpenCase(undefined)
  })
  return <List list={list} focused={focused} empty={EMPTY.why} goesOn={data.trialsQuery.hasMore} />
}

function orderOf({ list }: Trials, id: string): number {
  return list.items.findIndex(trial => trial.id === id)
}

/**
 * Returns the filters that one key cycles through: all failures, then each class of failure, then none. They can also
 * be typed.
 */
export function presets(trials: readonly EvalIteration[]): readonly string[] {
  const present = new Set(trials.map(classOfTrial))
  const classes = TRIAL_CLASSES.filter(each => present.has(each))
  const failing = classes.filter(isFailing)
  if (failing.length === 0) return ['']
  const others = classes.filter(each => !isFailing(each)).map(each => `!${stateFilter(each)}`)
  return [...(others.length > 0 ? [others.join(' ')] : []), ...(failing.length > 1 ? failing.map(stateFilter) : []), '']
}

/** Returns why the key has no filter, if there is no other preset. `isWhole` means that all trials were read. */
export function whyNoPreset(trials: readonly EvalIteration[], isWhole: boolean): string {
  const isFinal = isWhole && !trials.some(isOpenTrial)
  return trials.some(trial => isFailing(classOfTrial(trial)))
    ? `Every trial ${isFinal ? 'of this run' : 'so far'} went wrong, and in the same way.`
    : `Nothing went wrong ${isFinal ? 'in this run' : 'so far'}.`
}

/** Returns the preset after a filter; the first one after any other filter. */
export function nextPreset(all: readonly string[], filter: string): string {
  const at = filter === '' ? -1 : all.indexOf(filter)
  return all[(at + 1) % all.length] ?? ''
}

/**
 * Returns a filter with only the first word, since a filter separates words and no two classes start with the same one.
 */
function stateFilter(trialClass: (typeof TRIAL_CLASSES)[number]): string {
  return `state:${CLASS_LABELS[trialClass].word.split(' ')[0]!}`
}
