import { useMemo } from 'react'
import { contract } from '../../api/contract/contract.ts'
import type { JourneyRun, JourneyRunAttempt, JourneyRunSession, RunScorecard } from '../../api/contract/journey-runs.ts'
import type { Journey } from '../../api/contract/journeys.ts'
import { ageColumn, agoText, countColumn, lookColumn, nameColumn } from '../../components/collection/plain-parts.ts'
import { collectionTab, itemsOf, type DetailProps } from '../../components/collection/collection-screen.tsx'
import { outcomeLook, runSession, sessionColumns, type SessionRow } from '../../components/conversations/session-row.ts'
import { RunSession } from '../../components/conversations/session.tsx'
import { fieldLines, heading, problemLines, type Field } from '../../components/lines.ts'
import type { Column } from '../../components/list/columns.ts'
import { Viewer, type Line } from '../../components/viewer.tsx'
import { journeyRunState, shownState, waveRun } from '../../domain/findings/waves.ts'
import {
  endedSessions,
  gradesText,
  isInFlight,
  UNCONFIRMED,
  type RunInWave,
  type Wave,
} from '../../domain/swarms/waves.ts'
import { useKnownRuns } from '../../hooks/use-known-runs.ts'
import { formatCount, formatRate, plural, UNKNOWN } from '../../lib/format.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Symbols } from '../../tui/theme/theme.ts'
import { journeysKeys, runSessionsKeys, waveRunsKeys } from './bindings.ts'
import { leftLines, useRunDetails, useScorecards, type RunRead } from './use-run.ts'
import { useRunActions, useRunSessionActions } from './use-stop.ts'
import { useGateNotices, wholeItems } from './use-waves.ts'
import { ownValue } from '../../lib/own-value.ts'

const sessionsTab = collectionTab({
  noun: 'session',
  title: 'Sessions',
  what: 'the sessions',
  useItems: itemsOf(
    contract.journeyRuns.sessions,
    ({ id }: RunInWave) => ({ runId: id }),
    (sessions, run) =>
      isInFlight(run) || sessions.some(({ outcome }) => outcome === 'pending' || outcome === 'running'),
  ),
  param: 'sessionId',
  rows: { useRows: useSessionRows, itemOf: ({ record }: SessionRow) => record as JourneyRunSession },
  nameOf: ({ preview, id }: SessionRow) => preview ?? id,
  tabs: [{ id: 'conversation', title: 'Conversation', Content: RunSession }],
  keys: runSessionsKeys,
  useActions: useRunSessionActions,
  useNotices: useGateNotices,
  empty: () => ({
    why: 'This run has no session yet.',
    next: 'One appears when its first attempt reaches a conversation.',
  }),
})

function useSessionRows(items: readonly JourneyRunSession[]) {
  const { symbols } = useTheme()
  const rows = useMemo(() => items.map(runSession), [items])
  const goal = rows.some(each => each.goal !== undefined)
  return { rows, columns: useMemo(() => sessionColumns(symbols, { outcome: true, goal }), [symbols, goal]) }
}

const runs = {
  noun: 'journey run',
  title: 'Runs',
  what: 'the runs',
  param: 'runId',
  keys: waveRunsKeys,
  tabs: [
    { id: 'progress', title: 'Progress', Content: Progress },
    { id: 'scorecard', title: 'Scorecard', Content: Scorecard },
    sessionsTab,
  ],
  useActions: useRunActions,
  useNotices: useGateNotices,
}

export const waveRunsTab = collectionTab({
  ...runs,
  useItems: (_projectId: string, wave: Wave) => wholeItems(HERE, wave.runs),
  rows: { useRows, itemOf: (run: RunInWave) => run },
  empty: () => ({ why: 'This wave has no run.', next: 'Go back to the waves.' }),
})

/** The row of the wave already contains these runs, so nothing is read. */
const HERE = {
  data: undefined,
  pending: false,
  hasData: true,
  problem: undefined,
  updatedAt: undefined,
  restored: false,
  error: null,
}

/** The runs of a journey, latest first. */
export const journeyRunsTab = collectionTab({
  ...runs,
  useItems: itemsOf(
    contract.journeyRuns.list,
    ({ id }: Journey) => ({ journeyId: id }),
    all => all.some(({ status }) => status === 'running'),
  ),
  rows: { useRows: useJourneyRunRows, itemOf: ({ record, id }: RunRow) => record ?? ({ id } as JourneyRun) },
  nameOf: ({ name }: RunRow) => name,
  empty: (_key, { parent: journey, keyName }) => ({
    why: `${journey.name} has not been launched yet.`,
    next: `Press ${keyName(journeysKeys, 'launch')} in the list of journeys to launch it.`,
  }),
})

/** A run with its record as the list returned it. */
type RunRow = RunInWave & { record?: JourneyRun }

/** Returns rows for the journey's list, and for runs known on this machine that are missing in it. */
function useJourneyRunRows(items: readonly JourneyRun[], projectId: string, journey: Journey) {
  const { known } = useKnownRuns(projectId)
  const rows = useMemo(() => {
    const read = items.map(run => runRow(run, journey.name))
    const ids = new Set(read.map(({ id }) => id))
    const others = Object.values(known).filter(({ id, journeyId }) => journeyId === journey.id && !ids.has(id))
    return [...others, ...read]
  }, [items, known, journey])
  const { columns } = useRows(rows)
  return { rows, columns: useMemo(() => columns.filter(({ id }) => id !== 'name'), [columns]) }
}

function runRow(run: JourneyRun, name: string): RunRow {
  return { ...waveRun(run), record: run, journeyName: name, name, ended: endedSessions(run.summary) }
}

function useRows<Row extends RunInWave>(rows: readonly Row[]) {
  const { symbols } = useTheme()
  const columns = useMemo(
    (): readonly Column<RunInWave>[] => [
      lookColumn(symbols, run => outcomeLook(shownState(run))),
      nameColumn('Journey', ({ name }) => name),
      countColumn('Sessions', 9, ({ ended }) => ended, {
        cell: ({ ended, total }) => `${formatCount(ended)}/${formatCount(total)}`,
      }),
      ageColumn('Age', ({ at }) => at),
    ],
    [symbols],
  )
  return { rows, columns }
}

/** Shows one run with the progress of its sessions, target by target. */
function Progress({ projectId, row, focused }: DetailProps<RunInWave>) {
  const { symbols } = useTheme()
  const { reads } = useRunDetails(projectId, [row])
  return <Viewer lines={runLines(row, reads[0], symbols)} rest={runIds([row])} focused={focused} />
}

/** The meaning of each outcome; a stopped, a silent and a failed run are different things. */
const MEANINGS: Readonly<Record<string, string>> = {
  missed: 'It came to its end, but sessions missed their goal or criteria.',
  ungraded: 'It came to its end, but not all of its sessions have a grade.',
  unjudged:
    'It came to its end without any grade; the service does not say whether no grader is set up, or grading is still ' +
    'to come.',
  canceled: 'Someone stopped it, which is no failure.',
  stale: 'Its runner stopped responding and a watchdog ended it; its result is unknown.',
  [UNCONFIRMED]: 'It had a session recently; whether it still runs is unknown while the feature is off.',
  failed_or_canceled: 'It failed, or someone stopped it: the service does not report which.',
}

function gradesField(run: JourneyRun | undefined): Field {
  return ['Grades', run && gradesText(run), run?.failedGradingCount ? 'warn' : 'plain']
}

/** Returns the ids of some runs of a wave, to be folded at the end. */
export function runIds(runs: readonly RunInWave[]): Field[] {
  const named = runs.length > 1
  return [['Wave', runs[0]?.waveId], ...runs.map(({ id, name }): Field => [named ? `Run of ${name}` : 'Run', id])]
}

/** Returns the lines of a run: its state, then each target with its attempts. */
export function runLines(row: RunInWave, read: RunRead | undefined, symbols: Symbols): Line[] {
  const run = read?.data
  // A run stopped from here counts as stopped, even if an older answer says otherwise.
  const state = row.state === 'canceled' ? row.state : ((run && journeyRunState(run)) ?? row.state)
  const shown = shownState({ ...row, ...(run && waveRun(run)), state })
  const look = outcomeLook(shown)
  const { total, succeeded, failed, rateLimited } = run?.summary ?? {}
  const meaning = ownValue(MEANINGS, shown)
  return [
    ...fieldLines([
      ['State', `${symbols[look.symbol]} ${look.word}`, look.tone],
      gradesField(run),
      ['Sessions', run ? countsText({ total, succeeded, failed, rateLimited }) : countsText({ total: row.total })],
      ['Persona', run?.persona?.name],
      ...(run?.error ? [['Error', run.error, 'error'] as const] : []),
      ...(state === 'running' && run ? [['Last sign', agoText(run.lastHeartbeatAt)] as const] : []),
    ]),
    ...(meaning === undefined ? [] : [{ text: meaning, tone: 'muted' as const }]),
    ...(read?.problem ? problemLines(symbols, read.problem) : []),
    ...(run ? targetLines(run, symbols, shown === 'missed') : []),
  ]
}

function countsText(counts: NonNullable<JourneyRun['summary']>): string {
  const { total, succeeded, failed, rateLimited } = counts
  const parts = [
    succeeded ? `${formatCount(succeeded)} succeeded` : '',
    failed ? `${formatCount(failed)} failed` : '',
    rateLimited ? `${formatCount(rateLimited)} throttled` : '',
  ].filter(Boolean)
  return (
    `${formatCount(endedSessions(counts) ?? undefined)} of ${formatCount(total)} ` +
    `ended${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`
  )
}

/** Maximum number of sessions that are listed below the targets of a run. */
const MOST_SESSIONS = 10_000

/** @param isMissed whether some of the sessions missed the goal or criteria, although they ran to their end */
function targetLines(run: JourneyRun, symbols: Symbols, isMissed: boolean): Line[] {
  const { targets, attempts, targetSummaries } = run
  const attemptsOf = ofTargets(attempts ?? [])
  const countsOf = ofTargets(targetSummaries ?? [])
  let left = MOST_SESSIONS
  return (targets ?? []).flatMap((target): Line[] => {
    const { hostId, hostName, modelId } = target
    const [counts] = countsOf(target)
    const own = left > 0 ? attemptsOf(target).slice(0, left) : []
    left -= own.length
    return [
      '',
      heading(`${hostName ?? hostId}${modelId == null ? '' : ` ${symbols.bullet} ${modelId}`}`),
      ...(counts ? [{ text: countsText(counts), indent: 2, tone: 'muted' as const }] : []),
      ...own.flatMap(attempt => attemptLines(attempt, symbols, isMissed)),
    ]
  })
}

type OfTarget = { targetId?: string | null | undefined; hostId?: string | null | undefined }

/**
 * Returns the items of each target, in its order: clients may repeat, so items are matched by target if both name one.
 */
function ofTargets<T extends OfTarget>(all: readonly T[]): (target: OfTarget) => readonly T[] {
  const numbered = all.map((each, index) => ({ each, index }))
  const byHost = Map.groupBy(numbered, ({ each }) => each.hostId)
  const byTarget = Map.groupBy(numbered, ({ each }) => each.targetId ?? undefined)
  const nameless = Map.groupBy(byTarget.get(undefined) ?? [], ({ each }) => each.hostId)
  return ({ targetId, hostId }) => {
    const own =
      targetId == null
        ? (byHost.get(hostId) ?? [])
        : [...(byTarget.get(targetId) ?? []), ...(nameless.get(hostId) ?? [])].sort(
            (one, other) => one.index - other.index,
          )
    return own.map(({ each }) => each)
  }
}

/**
 * Returns the lines of an attempt. If it is unknown which session missed its goal, none of the run's sessions is shown
 * as a success.
 */
function attemptLines(attempt: JourneyRunAttempt, symbols: Symbols, isMissed: boolean): Line[] {
  const { sessionIndex, status, errorCode, errorMessage } = attempt
  const look = outcomeLook(status)
  const isOpen = isMissed && status === 'succeeded'
  const session = `session ${sessionIndex == null ? UNKNOWN : sessionIndex + 1}`
  const why = [errorCode, errorMessage].filter(Boolean).join(': ')
  return [
    isOpen
      ? { text: `${symbols.bullet} ${session} came to its end`, indent: 2 }
      : { text: `${symbols[look.symbol]} ${session} ${look.word}`, tone: look.tone, indent: 2 },
    ...(why === '' ? [] : [{ text: why, tone: 'muted' as const, indent: 4 }]),
  ]
}

/** Shows the rubric of each run of a wave, over its graded sessions. */
export function WaveScorecard({ projectId, row, focused }: DetailProps<Wave>) {
  return <Scorecards projectId={projectId} runs={row.runs} focused={focused} />
}

function Scorecard({ projectId, row, focused }: DetailProps<RunInWave>) {
  return <Scorecards projectId={projectId} runs={[row]} focused={focused} />
}

function Scorecards(props: { projectId: string; runs: readonly RunInWave[]; focused: boolean }) {
  const { projectId, runs, focused } = props
  const { symbols } = useTheme()
  const { first, reads, left } = useScorecards(projectId, runs)
  const lines = reads.flatMap(({ data, problem }, index): Line[] => {
    const read = problem ? problemLines(symbols, problem) : ['Reading the scorecard…']
    const title = first.length > 1 ? [...(index > 0 ? [''] : []), heading(first[index]!.name)] : []
    return [...title, ...(data ? scorecardLines(data) : read)]
  })
  return <Viewer lines={[...lines, ...leftLines(left)]} focused={focused} />
}

/** Rates divide by the graded sessions; sessions whose grader failed do not count as failures. */
export function scorecardLines({ criteria, sessionsGraded, sessionsTotal }: RunScorecard): Line[] {
  const isWhole = Number(sessionsGraded) >= Number(sessionsTotal)
  const total = formatCount(sessionsTotal)
  return [
    { text: `Of ${total} sessions ${formatCount(sessionsGraded)} are graded; every rate is of those.`, tone: 'muted' },
    ...(criteria ?? []).flatMap(
      ({ id, label, kind, passCount, failCount, pendingCount, failedGradingCount }): Line[] => [
        '',
        heading(`${label ?? id}${kind == null ? '' : ` (${kind})`}`),
        {
          text:
            `${formatCount(passCount)} of ${formatCount(sessionsGraded)} graded sessions pass ` +
            `(${formatRate(passCount, sessionsGraded)})`,
          indent: 2,
          tone: failCount
            ? 'error'
            : !passCount
              ? 'muted'
              : isWhole && !pendingCount && !failedGradingCount
                ? 'ok'
                : 'warn',
        },
        ...(failCount ? [{ text: `${plural(failCount, 'session')} failed`, indent: 2 }] : []),
        ...(pendingCount ? [{ text: `${plural(pendingCount, 'session')} not graded yet`, indent: 2 }] : []),
        ...(failedGradingCount
          ? [
              {
                text: `the grader failed on ${plural(failedGradingCount, 'session')}`,
                tone: 'warn' as const,
                indent: 2,
              },
            ]
          : []),
      ],
    ),
  ]
}
