import { Box, Text } from 'ink'
import { useMemo, useState } from 'react'
import type { EvalIteration } from '../../../api/contract/iterations.ts'
import type { EvalRunCompare } from '../../../api/contract/run-comparison.ts'
import { isTerminalRunStatus, type EvalRun, runNumberOf } from '../../../api/contract/runs.ts'
import { overlaidOf, type Overlaid } from '../../../domain/runs/distribution.ts'
import {
  groupLabel,
  rerunLabel,
  type GroupedCase,
  groupedCases,
  parentOf,
  sideWord,
} from '../../../domain/runs/comparison-groups.ts'
import { unavailable } from '../../../tui/keymap/binding.ts'
import { useBindings, useKeyName } from '../../../tui/keymap/use-bindings.ts'
import { useRouter, usePlace } from '../../../tui/router/router-context.tsx'
import { formatCount, formatDuration } from '../../../lib/format.ts'
import { clean, truncate, wrap } from '../../../tui/theme/text.ts'
import type { Symbols, Tone } from '../../../tui/theme/theme.ts'
import { useTheme } from '../../../tui/theme/theme-context.tsx'
import { heading } from '../../../components/lines.ts'
import { List } from '../../../components/list/list.tsx'
import { useChosen } from '../../../components/list/use-chosen.ts'
import { useList, type ListState } from '../../../components/list/use-list.ts'
import { PaneState, Sentence } from '../../../components/pane-state.tsx'
import { SizeProvider, useSize } from '../../../components/size.tsx'
import { useTextOverlay } from '../../../components/text-overlay.tsx'
import type { Line } from '../../../components/viewer.tsx'
import { plainText } from '../../../components/viewer/source.ts'
import { useApiQuery, type ApiQuery } from '../../../hooks/use-api-query.ts'
import { useWorkspace } from '../../../hooks/workspace.tsx'
import { compareKeys } from '../bindings.ts'
import { runsRoute } from '../route.ts'
import { boxLines, overlaidLines } from '../run/distribution-lines.ts'
import { measuresOf } from '../run/facts.ts'
import { runLook } from '../../../components/records/run-look.ts'
import { TRIALS_A_PAGE } from '../use-runs-data.ts'
import { useBaseDialog } from './base-dialog.tsx'
import { caseColumns, caseKey, caseNotes } from './case-columns.ts'
import { allFigures } from './figures.ts'
import { scoreWarnings, shortFigures } from '../../../domain/runs/figures.ts'
import type { ComparedTrial } from '../../../domain/runs/changes.ts'

type Props = {
  projectId: string
  run: EvalRun | undefined
  /** The trials read so far. */
  trials: readonly EvalIteration[]
  focused: boolean
  onOpenTrial: (iterationId: string) => void
}

const LATEST_RUNS = 100
const NO_RUNS: readonly EvalRun[] = []

/** Returns the latest runs of the suite, which the list has already read. */
function useSiblings({ projectId, run }: Props): readonly EvalRun[] {
  const { queries } = useWorkspace()
  const input = { projectId, suiteId: run?.suiteId ?? '', limit: LATEST_RUNS }
  const { data } = useApiQuery({
    ...queries.runs.list.options(input),
    enabled: run !== undefined,
    refetchInterval: false,
  })
  return data?.items ?? NO_RUNS
}

/** Compares a run with its base, case by case. */
export function Compare(props: Props) {
  const { run } = props
  const key = useKeyName()
  const comparison = useComparison(props.projectId, run, props.trials)
  const { query, baseRunId } = comparison
  const runs = useSiblings(props)
  const chooseBase = useChooseBase(run, runs, query.data?.baseRun.id ?? baseRunId)
  const ready = query.data !== undefined
  // The pane inside has the keys of the cases, once there is something to compare.
  useBindings(
    compareKeys,
    { openNow: NOTHING, openBefore: NOTHING, base: chooseBase, figures: NOTHING, unchanged: NOTHING },
    { active: props.focused && !ready },
  )
  if (!run) return <Sentence tone="muted" text="Reading the run…" />
  if (!isTerminalRunStatus(run.status))
    return <Sentence tone="muted" text={`This run is ${run.status}; it can be compared when it has ended.`} />
  if (!query.data && query.problem)
    return (
      <Box flexDirection="column">
        <Sentence tone="warn" text={query.problem.title} />
        <Sentence tone="plain" text={query.problem.sentence} />
        <Sentence tone="muted" text={`Press ${key(compareKeys, 'base')} to choose the run to compare with.`} />
      </Box>
    )
  return (
    <PaneState data={query} loading="Comparing the runs…">
      {query.data && <ComparedCases {...props} {...{ runs, comparison }} data={query.data} onChooseBase={chooseBase} />}
    </PaneState>
  )
}

const NOTHING = unavailable('There is nothing to compare yet.')
const NO_CASE = unavailable('No case is chosen.')

function useChooseBase(run: EvalRun | undefined, runs: readonly EvalRun[], current: string | undefined): () => void {
  const router = useRouter()
  const choose = useBaseDialog()
  return () =>
    choose({
      runs: runs.filter(other => other.id !== run?.id && isTerminalRunStatus(other.status)),
      current,
      onChoose: runId => router.replace({ runId: run?.id, base: runId ?? SERVICE_CHOICE }),
    })
}

type Shown = Props & {
  runs: readonly EvalRun[]
  comparison: Comparison
  data: EvalRunCompare
  onChooseBase: () => void
}

function ComparedCases(props: Shown) {
  const { data, comparison, focused } = props
  const { symbols } = useTheme()
  const { width, height } = useSize()
  const [all, setAll] = useState(false)
  const isRerun = comparison.parentId !== undefined && data.baseRun.id === comparison.parentId
  const folded = useMemo(() => comparison.cases.filter(each => isFolded(each, isRerun)), [comparison.cases, isRerun])
  const items = useMemo(
    () => (all ? comparison.cases : comparison.cases.filter(each => !isFolded(each, isRerun))),
    [comparison.cases, all, isRerun],
  )
  const columns = useMemo(() => caseColumns(symbols, isRerun), [symbols, isRerun])
  const list = useList({ items, keyOf: caseKey, columns })
  const chosen = useChosen(list)
  const measures = useMeasures(props, isRerun ? undefined : data.baseRun.id)
  const boxes = height >= BOXES_FROM ? latencyRows(measures, { symbols, width }) : []
  const head = [...headLines(props, { isRerun, symbols, width }), ...boxes]
  useCompareKeys(props, { list, isRerun, all, setAll: folded.length > 0 ? setAll : undefined, measures })
  const foot = chosen ? reasonLines(chosen, width) : []
  const roomBelow = height - head.length - 4
  const shownFoot = foot.slice(0, Math.max(0, Math.min(foot.length, roomBelow)))
  const room = Math.max(2, height - head.length - shownFoot.length)
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Rows rows={head} />
      <SizeProvider width={width} height={room} top={head.length}>
        <List list={list} focused={focused} empty={emptyWords(folded.length)} />
      </SizeProvider>
      <Rows rows={shownFoot} />
    </Box>
  )
}

type Measures = { latency: Overlaid; tokens: Overlaid } | 'reading' | undefined

/** Durations and tokens of both runs' trials; of the base only one page is read, once. */
function useMeasures({ projectId, trials }: Props, baseRunId: string | undefined): Measures {
  const { queries } = useWorkspace()
  const input = { projectId, runId: baseRunId ?? '', limit: TRIALS_A_PAGE }
  const { data, pending } = useApiQuery({
    ...queries.iterations.list.options(input),
    enabled: baseRunId !== undefined,
    refetchInterval: false,
    staleTime: Infinity,
  })
  return useMemo(() => {
    if (!data) return pending && baseRunId !== undefined ? 'reading' : undefined
    const [now, before] = [measuresOf(trials), measuresOf(data.items)]
    return { latency: overlaidOf(now.durations, before.durations), tokens: overlaidOf(now.tokens, before.tokens) }
  }, [data, pending, baseRunId, trials])
}

/** A pane with fewer rows uses them for the cases. */
const BOXES_FROM = 24
/** Columns of the charts in an overlay. */
const OVERLAY = 90

/** While the trials are being read, the box has as many rows as afterwards, so that nothing moves. */
function latencyRows(measures: Measures, look: { symbols: Symbols; width: number }): Row[] {
  const latency = typeof measures === 'object' ? measures.latency : undefined
  const lines = boxLines('Latency', latency, { ...look, words: formatDuration }).map(plainText)
  const [title, marks, now, before] = measures === 'reading' ? ['Reading the trials of the base…'] : lines
  if (title === undefined) return []
  return [
    { text: title, tone: 'muted' },
    { text: marks ?? '', tone: 'muted' },
    { text: now ?? '', tone: 'plain' },
    { text: before ?? '', tone: 'muted' },
  ]
}

function measureLines(measures: Measures, symbols: Symbols): Line[] {
  if (typeof measures !== 'object') return []
  const { latency, tokens } = measures
  const look = { symbols, width: OVERLAY }
  return [
    ...overlaidLines('Latency', latency, { ...look, words: formatDuration }),
    ...(latency ? [''] : []),
    ...overlaidLines('Tokens', tokens, { ...look, words: formatCount }),
    ...(tokens ? [''] : []),
  ]
}

/** Whether a case is folded: unchanged cases are not interesting; in a rerun most cases were intentionally left out. */
function isFolded({ group }: GroupedCase, isRerun: boolean): boolean {
  return group === 'unchanged' || (isRerun && group === 'left out')
}

function emptyWords(folded: number): string {
  return folded > 0 ? 'Nothing changed between these runs.' : 'The runs have no case in common.'
}

function useCompareKeys(
  props: Shown,
  {
    list,
    isRerun,
    all,
    setAll,
    measures,
  }: {
    list: ListState<GroupedCase>
    isRerun: boolean
    all: boolean
    setAll: ((all: boolean) => void) | undefined
    measures: Measures
  },
): void {
  const { data, comparison } = props
  const { symbols } = useTheme()
  const openText = useTextOverlay()
  const router = useRouter()
  const open = (side: 'base' | 'compare') => {
    if (list.items.length === 0) return NO_CASE
    const trialId = list.current()?.compared[side].representativeIterationId
    if (trialId == null) return unavailable(`The case has no trial in ${side === 'base' ? 'the base' : 'this run'}.`)
    return () => {
      const id = list.choose()?.compared[side].representativeIterationId
      if (id == null) return
      if (side === 'compare') return props.onOpenTrial(id)
      const { projectId, run } = props
      router.go(
        runsRoute.to({
          projectId,
          suiteId: run?.suiteId,
          runId: data.baseRun.id,
          pane: 'run',
          tab: 'trial',
          iterationId: id,
        }),
      )
    }
  }
  useBindings(
    compareKeys,
    {
      openNow: open('compare'),
      openBefore: open('base'),
      base: props.onChooseBase,
      figures: () =>
        openText('Comparison in full', [
          ...allFigures(data),
          '',
          ...measureLines(measures, symbols),
          ...caseLines(comparison.cases, isRerun),
        ]),
      unchanged: setAll ? () => setAll(!all) : unavailable('All cases are already shown.'),
    },
    { active: props.focused },
  )
}

type Row = { text: string; tone: Tone }

function Rows(props: { rows: readonly Row[] }) {
  const theme = useTheme()
  const { width } = useSize()
  return props.rows.map(({ text, tone }, index) => (
    <Text key={index} wrap="truncate">{` ${theme.paint(tone, truncate(clean(text), width - 2))}`}</Text>
  ))
}

function headLines(
  { data, comparison, runs }: Shown,
  { isRerun, symbols, width }: { isRerun: boolean; symbols: Symbols; width: number },
): Row[] {
  const side = ({ id, runNumber, result }: EvalRunCompare['baseRun']): string => {
    const known = runs.find(run => run.id === id)
    const look = runLook(
      known ?? { status: 'completed', result: result === 'passed' || result === 'failed' ? result : null },
    )
    return `${runNumberOf({ id, runNumber })} ${symbols[look.symbol]} ${look.word}`
  }
  const why = isRerun
    ? 'the run that it repeats'
    : data.baseline.policy === 'run'
      ? 'chosen'
      : 'the previous completed run'
  const warnings = scoreWarnings(data)
  const plain = (text: string): Row[] =>
    wrap(clean(text), Math.max(10, width - 2)).map(row => ({ text: row, tone: 'plain' }))
  return [
    { text: `${side(data.compareRun)} against ${side(data.baseRun)}, ${why}`, tone: 'accent' },
    ...plain(isRerun ? rerunLabel(comparison.cases) : `Cases: ${groupLabel(comparison.cases)}.`),
    ...shortFigures(data, isRerun).flatMap(plain),
    ...warnings.slice(0, 2).map((text): Row => ({ text: `${symbols.warn} ${text}`, tone: 'warn' })),
  ]
}

/** Returns the selected case with the first reason of both sides. */
function reasonLines(each: GroupedCase, width: number): Row[] {
  const { base, compare } = each.compared
  const notes = caseNotes(each)
  const side = (name: string, given: GroupedCase['compared']['base']): Row[] =>
    wrap(clean(sideText(name, given).split('\n')[0]!), Math.max(10, width - 2))
      .slice(0, 3)
      .map(text => ({ text, tone: given.outcome === 'failed' ? 'error' : 'muted' }))
  return [
    { text: notes.length > 0 ? `${each.title} (${notes.join(', ')})` : each.title, tone: 'accent' },
    ...side('now', compare),
    ...side('before', base),
  ]
}

function sideText(name: string, side: GroupedCase['compared']['base']): string {
  return `${name}: ${sideWord(side)}${side.error ? `, ${side.error}` : ''}`
}

/** Returns every case with the first reason of both sides, for reading and copying. */
function caseLines(cases: readonly GroupedCase[], isRerun: boolean): Line[] {
  return [
    heading(`Cases: ${groupLabel(cases, isRerun)}`),
    ...cases.flatMap((each): Line[] => {
      const { base, compare } = each.compared
      const notes = caseNotes(each)
      return [
        `${each.group}: ${each.title}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`,
        { text: sideText('now', compare), tone: 'muted', indent: 2 },
        { text: sideText('before', base), tone: 'muted', indent: 2 },
      ]
    }),
  ]
}

/** The value of the base in a place that leaves the choice to the service. */
const SERVICE_CHOICE = 'previous'

/** A comparison of two ended runs never changes. */
const FINAL = { refetchInterval: false, staleTime: Infinity } as const

type Comparison = {
  query: ApiQuery<EvalRunCompare>
  cases: readonly GroupedCase[]
  /** Undefined if the service chooses. */
  baseRunId: string | undefined
  /** The run that this one repeats, if known. */
  parentId: string | undefined
}

/**
 * Returns the run compared with its base: the run chosen here, or the run that it repeats, or what the service chooses.
 */
function useComparison(projectId: string, run: EvalRun | undefined, trials: readonly ComparedTrial[]): Comparison {
  const { queries, reruns } = useWorkspace()
  const { params } = usePlace()
  const parentId = run && (parentOf(run) ?? reruns?.parentOf(run.id))
  // A base applies only to the run it was chosen for; the selection can move to another run without a change of place.
  const chosen = (params['runId'] === run?.id ? params['base'] : undefined) ?? parentId
  const baseRunId = chosen === SERVICE_CHOICE || chosen === run?.id ? undefined : chosen
  const input = { projectId, runId: run?.id ?? '', ...(baseRunId !== undefined && { baseRunId }) }
  const query = useApiQuery({
    ...queries.runs.compare.options(input),
    ...FINAL,
    enabled: run !== undefined && isTerminalRunStatus(run.status),
  })
  const { data } = query
  const cases = useMemo(() => (data ? groupedCases(data, trials) : []), [data, trials])
  return { query, cases, baseRunId, parentId }
}
