import type { Shows } from '../../domain/findings/shows.ts'
import { type Finding, findingName } from '../../domain/findings/finding.ts'
import { FINDING_STATUSES } from '../../domain/findings/filters.ts'
import { SEVERITIES, valueLabel } from '../../domain/findings/insights.ts'
import type { GoalScore, WaveRun } from '../../domain/findings/waves.ts'
import { serviceNow } from '../../api/client/transport/service-time.ts'
import { formatAge, formatCount, UNKNOWN } from '../../tui/theme/format.ts'
import type { Symbols, Tone } from '../../tui/theme/theme.ts'
import type { Column } from '../../components/list/columns.ts'
import { outcomeLook, severityTone, statusLook } from './status.ts'

/** A finding as the list shows it. */
export type FindingRow = Finding & {
  /** Why the service did not take its last dismissal, in a few words. */
  refused: string | undefined
}

export const rowKey = (row: FindingRow): string => row.key

function age(at: number | undefined) {
  return { text: formatAge(at, serviceNow()), tone: 'muted' as const }
}

/** @param graded whether any finding has a severity of its own */
export function findingColumns(symbols: Symbols, graded: boolean): readonly Column<FindingRow>[] {
  return [
    {
      id: 'status',
      title: 'Status',
      width: 11,
      cell: row => {
        const look = statusLook(row.status)
        return { text: `${symbols[look.symbol]} ${look.word}`, tone: look.tone }
      },
      sort: row => rankIn(FINDING_STATUSES, row.status),
    },
    {
      id: 'dismissed',
      title: 'Dism.',
      width: 5,
      cell: row => ({ text: row.isDismissed ? `${symbols.cancelled} yes` : '', tone: 'muted' }),
      sort: row => Number(row.isDismissed),
    },
    {
      id: 'subject',
      title: 'Subject',
      width: 'flex',
      cell: row =>
        row.refused === undefined
          ? nameOf(row)
          : { text: `${symbols.error} ${row.refused}: ${nameOf(row)}`, tone: 'error' },
      sort: nameOf,
    },
    {
      id: 'dimension',
      title: 'Dimension',
      width: 13,
      from: 100,
      cell: row => ({ text: row.dimension ? valueLabel(row.dimension) : UNKNOWN, tone: 'muted' }),
      sort: row => row.dimension,
    },
    ...(graded ? [severityColumn] : []),
    {
      id: 'occurrences',
      title: 'Seen',
      width: 5,
      align: 'right',
      cell: row => formatCount(row.occurrences),
      count: row => row.occurrences,
      sort: row => row.occurrences,
    },
    {
      id: 'last',
      title: 'Last',
      width: 5,
      align: 'right',
      cell: row => age(row.lastSeenAt),
      sort: row => row.lastSeenAt,
    },
    {
      id: 'first',
      title: 'First',
      width: 5,
      align: 'right',
      from: 86,
      cell: row => age(row.firstSeenAt),
      sort: row => row.firstSeenAt,
    },
    {
      id: 'source',
      title: 'Source',
      width: 8,
      from: 92,
      cell: row => ({ text: row.source, tone: 'muted' }),
      sort: row => `${row.source} ${row.scenario?.name ?? ''}`,
    },
  ]
}

const severityColumn: Column<FindingRow> = {
  id: 'severity',
  title: 'Severity',
  width: 8,
  from: 74,
  cell: row => ({ text: row.severity ?? UNKNOWN, tone: severityTone(row.severity) }),
  sort: row => (row.severity === undefined ? undefined : rankIn(SEVERITIES, row.severity)),
}

/** The place in an order; what is not in it comes after all that is. */
function rankIn(order: readonly string[], value: string | undefined): number {
  const at = value === undefined ? -1 : order.indexOf(value)
  return at === -1 ? order.length : at
}

/** With its scenario, since several may have the same problem. */
function nameOf(row: Finding): string {
  return row.scenario ? `${findingName(row)} (${row.scenario.name})` : findingName(row)
}

export const runKey = (run: WaveRun): string => run.id

/** @param lastWave the wave that saw the finding last */
export function runColumns(symbols: Symbols, lastWave: string | undefined): readonly Column<WaveRun>[] {
  const isLast = (run: WaveRun): boolean => run.waveId !== undefined && run.waveId === lastWave
  return [
    {
      id: 'last',
      title: 'Seen',
      width: 6,
      cell: run => (isLast(run) ? { text: `${symbols.warn} last`, tone: 'warn' } : ''),
      sort: run => Number(isLast(run)),
    },
    {
      id: 'status',
      title: 'Run',
      width: 12,
      cell: run => {
        const look = outcomeLook(run.state)
        return { text: `${symbols[look.symbol]} ${look.word}`, tone: look.tone }
      },
      sort: run => run.state,
    },
    {
      id: 'failed',
      title: 'Failed',
      width: 7,
      align: 'right',
      cell: run => `${formatCount(run.failed)}/${formatCount(run.total)}`,
      count: run => run.failed,
      sort: run => run.failed,
    },
    { id: 'age', title: 'Age', width: 5, align: 'right', cell: run => age(run.at), sort: run => run.at },
    {
      id: 'journey',
      title: 'Journey',
      width: 'flex',
      cell: run => run.journeyName ?? UNKNOWN,
      sort: run => run.journeyName,
    },
    {
      id: 'wave',
      title: 'Wave',
      width: 30,
      from: 100,
      cell: run => ({ text: run.waveId ?? UNKNOWN, tone: 'muted' }),
      sort: run => run.waveId,
    },
  ]
}

/** A session behind a finding, of a journey run or of a visitor. */
export type SessionRow = {
  id: string
  /** Keys under which other reads know it. */
  ids: readonly string[]
  outcome: string | undefined
  who: string | undefined
  messages: number | undefined
  preview: string | undefined
  /** Of journey runs whose sessions are graded. */
  goal: GoalScore | undefined
  at: number | undefined
  /** Whether it shows the finding; undefined where nothing tells. */
  shows: Shows | undefined
  record: { id: string }
}

export const sessionKey = (row: SessionRow): string => row.id

/** @param has what these sessions are told of: how they ended, as those of journey runs are, and how far they came */
export function sessionColumns(
  symbols: Symbols,
  has: { outcome: boolean; goal: boolean },
): readonly Column<SessionRow>[] {
  return [
    {
      id: 'evidence',
      title: 'Here',
      width: 5,
      cell: ({ shows }) =>
        shows?.shows ? { text: `${symbols.warn} yes`, tone: 'warn' } : { text: shows ? 'no' : UNKNOWN, tone: 'muted' },
      sort: ({ shows }) => (shows ? (shows.shows ? 2 : 0) : 1),
    },
    ...(has.outcome ? [outcomeColumn(symbols)] : []),
    ...(has.goal ? [goalColumn(symbols)] : []),
    {
      id: 'messages',
      title: 'Msgs',
      width: 4,
      align: 'right',
      cell: row => formatCount(row.messages),
      count: row => row.messages,
      sort: row => row.messages,
    },
    { id: 'age', title: 'Age', width: 5, align: 'right', cell: row => age(row.at), sort: row => row.at },
    { id: 'who', title: 'Who', width: 18, from: 64, cell: row => row.who ?? UNKNOWN, sort: row => row.who },
    { id: 'preview', title: 'Begins with', width: 'flex', cell: row => ({ text: row.preview ?? '', tone: 'muted' }) },
  ]
}

function goalColumn(symbols: Symbols): Column<SessionRow> {
  return {
    id: 'goal',
    title: 'Goal',
    width: 6,
    align: 'right',
    cell: ({ goal }) => goalLabel(goal, symbols) ?? UNKNOWN,
    sort: ({ goal }) => goal?.score,
  }
}

/** `✗ 0.40`: the score, and whether that counts as reached. */
export function goalLabel(goal: GoalScore | undefined, symbols: Symbols): { text: string; tone: Tone } | undefined {
  if (!goal) return undefined
  const score = goal.score.toFixed(2)
  if (goal.isReached === undefined) return { text: score, tone: 'plain' }
  return goal.isReached
    ? { text: `${symbols.ok} ${score}`, tone: 'ok' }
    : { text: `${symbols.error} ${score}`, tone: 'error' }
}

function outcomeColumn(symbols: Symbols): Column<SessionRow> {
  return {
    id: 'outcome',
    title: 'Outcome',
    width: 12,
    cell: row => {
      if (row.outcome === undefined) return { text: UNKNOWN, tone: 'muted' }
      const look = outcomeLook(row.outcome)
      return { text: `${symbols[look.symbol]} ${look.word}`, tone: look.tone }
    },
    sort: row => row.outcome,
  }
}
