import { type Finding, findingName } from '../../domain/findings/finding.ts'
import { FINDING_STATUSES } from '../../domain/findings/filters.ts'
import { SEVERITIES, valueLabel } from '../../domain/findings/insights.ts'
import type { WaveRun } from '../../domain/findings/waves.ts'
import { serviceNow } from '../../api/client/transport/service-time.ts'
import { formatCount, UNKNOWN } from '../../tui/theme/format.ts'
import type { Symbols } from '../../tui/theme/theme.ts'
import { ageCell, type Column } from '../../components/list/columns.ts'
import { outcomeLook, type SessionRow } from '../../components/conversations/session-row.ts'
import { severityTone, statusLook } from './status.ts'

/** A finding as the list shows it. */
export type FindingRow = Finding & {
  /** Why the service did not take its last dismissal, in a few words. */
  refused: string | undefined
}

export const rowKey = (row: FindingRow): string => row.key

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
      cell: row => ageCell(row.lastSeenAt, serviceNow()),
      sort: row => row.lastSeenAt,
    },
    {
      id: 'first',
      title: 'First',
      width: 5,
      align: 'right',
      from: 86,
      cell: row => ageCell(row.firstSeenAt, serviceNow()),
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
    {
      id: 'age',
      title: 'Age',
      width: 5,
      align: 'right',
      cell: run => ageCell(run.at, serviceNow()),
      sort: run => run.at,
    },
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

export const sessionKey = (row: SessionRow): string => row.id

/** Whether a session shows the finding, before what is shown of every session. */
export const evidenceColumn = (symbols: Symbols): Column<SessionRow> => ({
  id: 'evidence',
  title: 'Here',
  width: 5,
  cell: ({ shows }) =>
    shows?.shows ? { text: `${symbols.warn} yes`, tone: 'warn' } : { text: shows ? 'no' : UNKNOWN, tone: 'muted' },
  sort: ({ shows }) => (shows ? (shows.shows ? 2 : 0) : 1),
})
