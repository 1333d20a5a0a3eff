import { greatest } from '../../lib/extremes.ts'
import { groupLines } from '../../domain/now/groups.ts'
import { isAcknowledged, orderLines } from '../../domain/now/order.ts'
import { LONGEST_STATE, nowStateLabel } from '../../domain/now/view.ts'
import { weekSum, type WeekDay } from '../../domain/now/week.ts'
import { URGENCIES, type NowLine, type Urgency } from '../../domain/now/line.ts'
import type { StoredNow } from '../../domain/now/memory.ts'
import { serviceTime } from '../../api/client/transport/service-time.ts'
import { formatAge, UNKNOWN } from '../../lib/format.ts'
import type { Theme, Tone } from '../../tui/theme/theme.ts'
import { countColumn, measureColumn, noteColumn } from '../../components/collection/plain-parts.ts'
import { ageCell, type Column } from '../../components/list/columns.ts'

/** A line as the list shows it. */
export type NowRow = NowLine & {
  /** Whether it is acknowledged; for a group, whether all of its lines are. */
  acknowledged: boolean
  /** When, in epoch milliseconds; for a group, the last time. */
  acknowledgedAt: number | undefined
  /** The lines that it groups. */
  members: readonly NowRow[]
}

/** Returns lines as rows, each group below the line that represents it. */
export function toRows(lines: readonly NowLine[], kept: StoredNow): NowRow[] {
  const rows = orderLines(groupLines(lines)).map((line): NowRow => {
    const acknowledged = isAcknowledged(line, kept)
    const acknowledgedAt = acknowledged ? kept.acknowledged.get(line.key)?.at : undefined
    return { ...line, acknowledged, acknowledgedAt, members: [] }
  })
  const groups = Map.groupBy(rows, ({ under }) => under)
  return rows.map(row => {
    const members = groups.get(row.key)
    if (!members) return row
    // Acknowledging the cause acknowledges every member; a new member brings the group back.
    const acknowledged = members.every(member => member.acknowledged)
    const at = greatest(members.map(member => member.acknowledgedAt ?? 0))
    return { ...row, acknowledged, acknowledgedAt: acknowledged ? at : undefined, members }
  })
}

/** Returns the number of rows that wait; a group counts once. */
export function waitingCount(rows: readonly NowRow[]): number {
  return rows.filter(({ acknowledged, under }) => !acknowledged && under === undefined).length
}

/** Which rows are shown, as named in the place. */
export const SHOWN = {
  yes: { note: 'faults only', hides: 'everything but faults', has: ({ isFault }: NowRow) => isFault },
  new: {
    note: 'new or regressed',
    hides: 'everything neither new nor regressed',
    has: ({ news }: NowRow) => news !== undefined,
  },
} as const
export type Shown = keyof typeof SHOWN

/** Returns what a place shows; undefined for everything. */
export function shownIn(params: Readonly<Record<string, string | undefined>>): Shown | undefined {
  return params['faults'] === 'yes' || params['faults'] === 'new' ? params['faults'] : undefined
}

/** Returns the next choice of what is shown. */
export function nextShown(shown: Shown | undefined): Shown | undefined {
  return shown === undefined ? 'yes' : shown === 'yes' ? 'new' : undefined
}

const TONES: Record<NowLine['mark'], Tone> = { ok: 'ok', error: 'error', warn: 'warn', live: 'live', pending: 'live' }

const URGENCY_TONES: Record<Urgency, Tone> = { high: 'error', medium: 'warn', low: 'muted' }

/** Lines about this program use this machine's time. */
const OWN_TIME: readonly NowLine['kind'][] = ['line', 'rate', 'write', 'server']

/** Returns the time to compare a line's time with, by the same clock; `now` is this machine's. */
export function nowFor({ kind }: NowLine, now: number): number {
  return OWN_TIME.includes(kind) ? now : serviceTime(now)
}

/**
 * Returns the columns of the inbox.
 * @param several whether there may be lines of more than one project
 */
export function nowColumns(theme: Theme, several: boolean): readonly Column<NowRow>[] {
  const { symbols } = theme
  return [
    {
      id: 'urgency',
      title: 'Urgency',
      width: 7,
      cell: ({ acknowledged, urgency }) =>
        acknowledged ? { text: 'acked', tone: 'muted' } : { text: urgency, tone: URGENCY_TONES[urgency] },
      sort: row => URGENCIES.indexOf(row.urgency),
    },
    {
      id: 'state',
      title: 'State',
      width: LONGEST_STATE + 2,
      cell: row => ({
        text: `${symbols[row.mark]} ${nowStateLabel(row)}`,
        tone: row.acknowledged ? 'muted' : TONES[row.mark],
      }),
      sort: nowStateLabel,
    },
    {
      id: 'sentence',
      title: 'Subject',
      width: 'flex',
      cell: row => {
        const text = row.under === undefined ? row.sentence : `  ${row.sentence}`
        return row.acknowledged ? { text, tone: 'muted' } : text
      },
    },
    ...(several ? [projectColumn] : []),
    {
      id: 'week',
      title: 'Failed 7d',
      width: 9,
      align: 'right',
      from: 120,
      cell: row => {
        const sum = row.week && weekSum(row.week)
        const tone = row.acknowledged || !sum?.failed ? 'muted' : TONES[row.mark]
        return { text: sum ? weekText(sum) : UNKNOWN, tone }
      },
      sort: row => row.week && weekSum(row.week)?.failed,
    },
    countColumn('Since', 5, row => row.at, {
      id: 'when',
      from: 64,
      cell: row => ageCell(row.at, nowFor(row, Date.now())),
    }),
    measureColumn(
      'Read',
      4,
      row => row.readAt,
      at => formatAge(at ?? undefined, Date.now()),
      { quiet: true, from: 120 },
    ),
  ]
}

/** Returns how many of the runs that ended in the last seven days failed; `0/0` would look like a result. */
function weekText({ failed, ended }: WeekDay): string {
  return ended === 0 ? '0 ended' : `${failed}/${ended}`
}

const projectColumn: Column<NowRow> = noteColumn('Project', 12, row => row.project?.name, { from: 70 })

export const rowKey = (row: NowRow): string => row.key
