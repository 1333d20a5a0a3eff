import { useMemo } from 'react'
import { contract } from '../../api/contract/contract.ts'
import type { SwarmOverview } from '../../api/contract/journey-runs.ts'
import type { Swarm } from '../../api/contract/swarms.ts'
import { ageColumn, agoText, countColumn, freshness, nameColumn } from '../../components/collection/plain-parts.ts'
import { collectionScreen, type DetailProps } from '../../components/collection/collection-screen.tsx'
import { fieldLines, heading, recordView } from '../../components/lines.ts'
import type { Column } from '../../components/list/columns.ts'
import { PaneState } from '../../components/pane-state.tsx'
import { Viewer, type Line } from '../../components/viewer.tsx'
import { ungradedSessions } from '../../domain/swarms/waves.ts'
import { utcDay } from '../../lib/times.ts'
import { useKeyName } from '../../tui/keymap/use-bindings.ts'
import { bar } from '../../tui/theme/charts.ts'
import { formatCount, formatRate, plural } from '../../lib/format.ts'
import type { Symbols } from '../../tui/theme/theme.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { journeysKeys, swarmsKeys } from './bindings.ts'
import { journeysTab } from './journeys.tsx'
import { isProject, sizeText, useNames } from './names.ts'
import { personasTab } from './personas.tsx'
import { useSwarmActions } from './use-swarm-actions.ts'
import { useGateNotices, useOverview } from './use-waves.ts'
import { wavesTab } from './waves.tsx'

const COLUMNS: readonly Column<Swarm>[] = [
  nameColumn('Swarm', ({ name }) => name, {
    cell: swarm => ({ text: swarm.name, tone: isProject(swarm) ? 'accent' : 'plain' }),
  }),
  countColumn('Sessions', 8, ({ sessionsPerTarget }) => sessionsPerTarget, { cell: sizeOf, from: 36 }),
  ageColumn('Changed', ({ updatedAt }) => updatedAt, {
    cell: swarm => (isProject(swarm) ? '' : freshness(swarm.updatedAt)),
  }),
]

/** The swarms of a project, below a row for the whole project: journeys need no swarm, and personas have none. */
export const SwarmsScreen = collectionScreen({
  noun: 'swarm',
  title: 'Swarms',
  what: 'the swarms',
  list: contract.swarms.list,
  create: contract.swarms.create,
  param: 'swarmId',
  weights: [1, 4],
  says: ({ name, updatedAt }: Swarm) => `${name}\n${updatedAt}`,
  rows: {
    useRows: (items: readonly Swarm[], projectId: string) => ({
      rows: useMemo(() => [{ id: projectId, projectId, name: 'Whole project' }, ...items], [items, projectId]),
      columns: COLUMNS,
    }),
    itemOf: (swarm: Swarm) => swarm,
  },
  tabs: [
    { id: 'overview', title: 'Overview', Content: Overview, companion: 'waves' },
    journeysTab,
    wavesTab,
    personasTab,
  ],
  keys: swarmsKeys,
  useActions: useSwarmActions,
  useNotices: useGateNotices,
  empty: key => ({ why: 'This project has no swarm.', next: `Press ${key('add')} to save one.` }),
})

function sizeOf(swarm: Swarm): string {
  return isProject(swarm) ? '' : formatCount(swarm.sessionsPerTarget)
}

function Overview(props: DetailProps<Swarm>) {
  return isProject(props.row) ? <ProjectOverview {...props} /> : <SwarmOverviewTab {...props} />
}

function SwarmOverviewTab({ projectId, row, focused }: DetailProps<Swarm>) {
  const nameOf = useNames(projectId)
  const { id, description, environmentIds, createdAt, updatedAt } = row
  const view = recordView(
    [
      ['Description', description],
      ['New journeys', sizeText(row)],
      ['Environments', environmentIds?.map(nameOf).join(', ') || 'none'],
      ['Created', agoText(createdAt)],
      ['Changed', agoText(updatedAt)],
    ],
    [['Id', id]],
    ['', { text: 'Journeys that are there keep theirs when these defaults change.', tone: 'muted' }],
  )
  return <Viewer {...view} focused={focused} />
}

function ProjectOverview({ projectId, focused }: DetailProps<Swarm>) {
  const { symbols } = useTheme()
  const key = useKeyName()
  const overview = useOverview(projectId)
  const empty = {
    why: 'No journey of this project has been launched yet.',
    next:
      `Open the tab Journeys and press ${key(journeysKeys, 'add')} to save one, then ` +
      `${key(journeysKeys, 'launch')} to launch it.`,
  }
  return (
    <PaneState
      data={overview}
      loading="Reading the recent runs…"
      empty={overview.data && !overview.data.runs?.length ? empty : undefined}
    >
      {overview.data && <Viewer lines={overviewLines(overview.data, symbols)} focused={focused} />}
    </PaneState>
  )
}

/** Rates divide by graded sessions; if nothing was graded there is no rate. */
function overviewLines({ runs = [], runsConsidered, goalCompletion: goals }: SwarmOverview, symbols: Symbols): Line[] {
  const failing = (runs ?? []).flatMap(run => (run.findings ?? []).map(finding => ({ ...finding, run })))
  const latest = new Map(failing.toReversed().map(each => [`${each.run.journeyId} ${each.criterionId}`, each]))
  const ungraded = ungradedSessions(runs)
  const graded = goals?.runsWithGrades == null ? '' : `, ${formatCount(goals.runsWithGrades)} of them graded`
  return [
    ...fieldLines([
      ['Based on', `the latest ${plural(runsConsidered ?? runs?.length ?? 0, 'run')}${graded}`],
      ['Goal reached', goals?.gradedCount ? rateText(goals) : 'nothing was graded'],
      ...(ungraded > 0
        ? [['Not graded', `${plural(ungraded, 'session')} that came to an end, in no rate here`, 'warn'] as const]
        : []),
    ]),
    ...((goals?.trend?.length ?? 0) > 0 ? ['', heading('Goal reached by day (UTC)')] : []),
    ...(goals?.trend ?? []).map(day => dayLine(day, symbols)),
    ...failedLines([...latest.values()], symbols),
  ]
}

type Run = NonNullable<SwarmOverview['runs']>[number]
type FailedCriterion = NonNullable<Run['findings']>[number] & { run: Run }

/** Lists the criteria that failed in recent runs by name, those that failed in most sessions first. */
function failedLines(failed: readonly FailedCriterion[], symbols: Symbols): Line[] {
  if (failed.length === 0) return []
  const rows = failed.toSorted((a, b) => (b.failCount ?? 0) - (a.failCount ?? 0))
  return [
    '',
    heading('Criteria that failed in recent runs'),
    ...rows.flatMap(({ label, criterionId, run, ...counts }): Line[] => [
      { text: `${symbols.error} ${label ?? criterionId} (${run.journeyName ?? run.runId})`, tone: 'error' },
      { text: failedText(run, counts), tone: 'muted', indent: 2 },
    ]),
  ]
}

type FailedCounts = Pick<FailedCriterion, 'failCount' | 'sessionsGraded' | 'runStreak'>

/** The counts are those of the latest run that failed, whose age the sentence begins with; the streak ends with it. */
function failedText({ createdAt }: Run, { failCount, sessionsGraded: graded, runStreak }: FailedCounts): string {
  const age = createdAt == null ? '' : `${agoText(createdAt)}: `
  const of = graded == null ? 'graded sessions' : `of ${plural(graded, 'graded session')}`
  const before = (runStreak ?? 1) - 1
  const streak = before > 0 ? `; the ${before === 1 ? 'run' : plural(before, 'run')} before too` : ''
  return `${age}failed in ${formatCount(failCount)} ${of}${streak}`
}

/** Columns of the bar of a day. */
const DAY_BAR = 12

/** Returns the share of a day as a bar, then in words; a day without graded sessions has no share. */
function dayLine(day: { dayStartMs: number } & Rated, symbols: Symbols): Line {
  const drawn = day.gradedCount ? bar(symbols, (day.passedCount ?? 0) / day.gradedCount, DAY_BAR) : ''
  return {
    parts: [
      { text: `${utcDay(day.dayStartMs)}  `, tone: 'muted' },
      { text: drawn && `${drawn} `, tone: 'accent' },
      { text: rateText(day), tone: 'plain' },
    ],
  }
}

type Rated = { passedCount?: number | null; gradedCount?: number | null }

function rateText({ passedCount, gradedCount }: Rated): string {
  return (
    `${formatCount(passedCount)} of ${formatCount(gradedCount)} graded sessions ` +
    `(${formatRate(passedCount, gradedCount)})`
  )
}
