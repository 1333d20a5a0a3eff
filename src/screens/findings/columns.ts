import { type Finding, findingName } from '../../domain/findings/finding.ts'
import { FINDING_STATUSES } from '../../domain/findings/filters.ts'
import { SEVERITIES, valueLabel } from '../../domain/findings/insights.ts'
import { shownState, type WaveRun } from '../../domain/findings/waves.ts'
import { formatCount, UNKNOWN } from '../../lib/format.ts'
import type { Symbols } from '../../tui/theme/theme.ts'
import type { Column } from '../../components/list/columns.ts'
import {
  freshness,
  countColumn,
  lookCell,
  lookColumn,
  measureColumn,
  nameColumn,
  noteColumn,
} from '../../components/collection/plain-parts.ts'
import { outcomeLook, type SessionRow } from '../../components/conversations/session-row.ts'
import { severityTone, statusLook } from './status.ts'

/** A finding as the list shows it. */
export type FindingRow = Finding & {
  /** Why the service refused its last dismissal, in a few words. */
  refused: string | undefined
}

export const rowKey = (row: FindingRow): string => row.key

/** @param graded whether any finding has its own severity */
export function findingColumns(symbols: Symbols, graded: boolean): readonly Column<FindingRow>[] {
  return [
    {
      id: 'status',
      title: 'Status',
      width: 13,
      cell: row => {
        const { text, tone } = lookCell(symbols, statusLook(row.status))
        return row.isDismissed ? { text: `${text} ${symbols.cancelled}`, tone: 'muted' } : { text, tone }
      },
      // Within each status, dismissed findings come last, since they need no action.
      sort: row => rankIn(FINDING_STATUSES, row.status) + (row.isDismissed ? 0.5 : 0),
    },
    nameColumn('Subject', (row: FindingRow) => nameOf(row), {
      id: 'subject',
      cell: row =>
        row.refused === undefined
          ? nameOf(row)
          : { text: `${symbols.error} ${row.refused}: ${nameOf(row)}`, tone: 'error' },
    }),
    noteColumn('Dimension', 13, row => row.dimension && valueLabel(row.dimension), {
      from: 100,
      sort: row => row.dimension,
    }),
    ...(graded ? [severityColumn] : []),
    countColumn('Seen', 5, row => row.occurrences, { id: 'occurrences', count: row => row.occurrences }),
    measureColumn('Last', 5, row => row.lastSeenAt, freshness),
    measureColumn('First', 5, row => row.firstSeenAt, freshness, { from: 86 }),
    noteColumn('Source', 8, row => row.source, { from: 92, sort: row => `${row.source} ${row.scenario?.name ?? ''}` }),
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

/** Returns the position in an order; unknown values come last. */
function rankIn(order: readonly string[], value: string | undefined): number {
  const at = value === undefined ? -1 : order.indexOf(value)
  return at === -1 ? order.length : at
}

/**
 * Returns the name with the scenario, since several may have the same problem; without a title, the failed criterion
 * comes first, so that it is never cut.
 */
function nameOf(row: Finding): string {
  const { title, dimension, scenario } = row
  const failed = title === undefined && dimension !== undefined ? `${valueLabel(dimension)}: ` : ''
  return `${failed}${findingName(row)}${scenario ? ` (${scenario.name})` : ''}`
}

export const runKey = (run: WaveRun): string => run.id

/** @param lastWave the wave that last saw the finding */
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
    lookColumn(symbols, run => outcomeLook(shownState(run)), { id: 'status', title: 'Run', sort: shownState }),
    countColumn('Failed', 7, run => run.failed, {
      cell: run => `${formatCount(run.failed)}/${formatCount(run.total)}`,
      count: run => run.failed,
    }),
    measureColumn('Age', 5, run => run.at, freshness),
    nameColumn('Journey', run => run.journeyName, { id: 'journey' }),
    noteColumn('Wave', 30, run => run.waveId, { from: 100 }),
  ]
}

export const sessionKey = (row: SessionRow): string => row.id

/** Returns the column that says whether a session shows the finding. */
export const evidenceColumn = (symbols: Symbols): Column<SessionRow> => ({
  id: 'evidence',
  title: 'Here',
  width: 5,
  cell: ({ shows }) =>
    shows?.shows ? { text: `${symbols.warn} yes`, tone: 'warn' } : { text: shows ? 'no' : UNKNOWN, tone: 'muted' },
  sort: ({ shows }) => (shows ? (shows.shows ? 2 : 0) : 1),
})
