import { isAcknowledged } from '../../domain/now/order.ts'
import { URGENCIES, type NowLine, type Urgency } from '../../domain/now/line.ts'
import type { StoredNow } from '../../domain/now/memory.ts'
import { serviceTime } from '../../api/client/transport/service-time.ts'
import { formatAge, UNKNOWN } from '../../tui/theme/format.ts'
import type { Symbols, Tone } from '../../tui/theme/theme.ts'
import type { Column } from '../../components/list/columns.ts'

/** A line as the list shows it. */
export type NowRow = NowLine & { acknowledged: boolean }

export function toRow(line: NowLine, kept: StoredNow): NowRow {
  return { ...line, acknowledged: isAcknowledged(line, kept) }
}

const TONES: Record<NowLine['mark'], Tone> = { ok: 'ok', error: 'error', warn: 'warn', live: 'live', pending: 'live' }

const URGENCY_WORDS: Record<Urgency, { text: string; tone: Tone }> = {
  act: { text: 'act', tone: 'error' },
  look: { text: 'look', tone: 'warn' },
  know: { text: 'know', tone: 'muted' },
}

/** What is about this program itself has this machine's time. */
const OWN_TIME: readonly NowLine['kind'][] = ['line', 'rate', 'write', 'server']

/** The time to compare that of a line with, by the clock that gave it; `now` is this machine's. */
export function nowFor({ kind }: NowLine, now: number): number {
  return OWN_TIME.includes(kind) ? now : serviceTime(now)
}

/** Longer words stand alone: they tell what they are about. */
const LONGEST_STATE = 13

/** What a line is about and how it stands: `run failed`, `regressed`. */
export function nowStateLabel({ kind, word }: Pick<NowLine, 'kind' | 'word'>): string {
  const both = `${kind} ${word}`
  return kind === 'line' || kind === 'rate' || both.length > LONGEST_STATE ? word : both
}

/**
 * Columns of the inbox; they show a theme's marks, so they are made once per theme.
 * @param several whether lines of more than one project may be there
 */
export function nowColumns(symbols: Symbols, several: boolean): readonly Column<NowRow>[] {
  return [
    {
      id: 'urgency',
      title: 'For',
      width: 4,
      cell: row => (row.acknowledged ? { text: 'seen', tone: 'muted' } : URGENCY_WORDS[row.urgency]),
      sort: row => URGENCIES.indexOf(row.urgency),
    },
    {
      id: 'state',
      title: 'What',
      width: LONGEST_STATE + 2,
      cell: row => ({
        text: `${symbols[row.mark]} ${nowStateLabel(row)}`,
        tone: row.acknowledged ? 'muted' : TONES[row.mark],
      }),
      sort: nowStateLabel,
    },
    {
      id: 'sentence',
      title: 'Which',
      width: 'flex',
      cell: row => (row.acknowledged ? { text: row.sentence, tone: 'muted' } : row.sentence),
    },
    ...(several ? [projectColumn] : []),
    {
      id: 'when',
      title: 'Since',
      width: 5,
      from: 64,
      align: 'right',
      cell: row => ({ text: formatAge(row.at, nowFor(row, Date.now())), tone: 'muted' }),
      sort: row => row.at,
    },
    {
      id: 'read',
      title: 'Read',
      width: 4,
      align: 'right',
      cell: row => ({ text: formatAge(row.readAt, Date.now()), tone: 'muted' }),
      sort: row => row.readAt,
      quiet: true,
    },
  ]
}

const projectColumn: Column<NowRow> = {
  id: 'project',
  title: 'Project',
  width: 12,
  from: 70,
  cell: row => ({ text: row.project?.name ?? UNKNOWN, tone: 'muted' }),
  sort: row => row.project?.name,
}

export const rowKey = (row: NowRow): string => row.key
