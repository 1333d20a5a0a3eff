import { localClock, localTime, utcClock } from '../../lib/times.ts'
import { type Incident, type NotebookEntry } from '../../domain/notebook/notebook.ts'
import type { Symbols } from '../../tui/theme/theme.ts'
import type { Column } from '../../components/list/columns.ts'

export function incidentColumns(symbols: Symbols): readonly Column<Incident>[] {
  return [
    {
      id: 'state',
      title: '',
      width: 8,
      cell: ({ closedAt }) =>
        closedAt === undefined
          ? { text: `${symbols.live} open`, tone: 'live' }
          : { text: `${symbols.ok} closed`, tone: 'muted' },
      sort: ({ closedAt }) => closedAt ?? Infinity,
    },
    { id: 'title', title: 'Incident', width: 'flex', cell: ({ title }) => title },
    {
      id: 'entries',
      title: 'Entries',
      width: 7,
      align: 'right',
      cell: ({ entries }) => String(entries.length),
      sort: ({ entries }) => entries.length,
    },
    {
      id: 'opened',
      title: 'Opened',
      width: 16,
      from: 56,
      cell: ({ openedAt }) => ({ text: localTime(openedAt), tone: 'muted' }),
      sort: ({ openedAt }) => openedAt,
    },
  ]
}

/** The entry's first line: what is pinned, or what the note begins with. */
export function entryTitle({ pinned, note }: NotebookEntry): string {
  const [first = ''] = note.split('\n')
  if (!pinned) return first
  return first === '' ? pinned.name : `${pinned.name}: ${first}`
}

export const entryColumns: readonly Column<NotebookEntry>[] = [
  {
    id: 'at',
    title: 'Time',
    width: 8,
    cell: ({ at }) => ({ text: localClock(at, 'seconds'), tone: 'muted' }),
    sort: ({ at }) => at,
  },
  {
    id: 'utc',
    title: 'UTC',
    width: 8,
    from: 50,
    cell: ({ at }) => ({ text: utcClock(at), tone: 'muted' }),
    sort: ({ at }) => at,
  },
  { id: 'kind', title: 'What', width: 13, cell: ({ pinned }) => pinned?.kind ?? 'note' },
  { id: 'title', title: 'Entry', width: 'flex', cell: entryTitle },
]

export const incidentKey = (incident: Incident): string => incident.id
export const entryKey = (entry: NotebookEntry): string => entry.id
