import { localClock, localTime, utcClock } from '../../lib/times.ts'
import { type Incident, type NotebookEntry } from '../../domain/notebook/notebook.ts'
import type { Symbols } from '../../tui/theme/theme.ts'
import { countColumn, nameColumn, noteColumn } from '../../components/collection/plain-parts.ts'
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
    nameColumn('Incident', ({ title }) => title, { id: 'title', isName: false }),
    countColumn('Entries', 7, ({ entries }) => entries.length),
    noteColumn('Opened', 16, ({ openedAt }) => localTime(openedAt), { from: 56, sort: ({ openedAt }) => openedAt }),
  ]
}

/** The entry's first line: what is pinned, or what the note begins with. */
export function entryTitle({ pinned, note }: NotebookEntry): string {
  const [first = ''] = note.split('\n')
  if (!pinned) return first
  return first === '' ? pinned.name : `${pinned.name}: ${first}`
}

export const entryColumns: readonly Column<NotebookEntry>[] = [
  noteColumn('Time', 8, ({ at }) => localClock(at, 'seconds'), { id: 'at', sort: ({ at }) => at }),
  noteColumn('UTC', 8, ({ at }) => utcClock(at), { from: 50, sort: ({ at }) => at }),
  { id: 'kind', title: 'What', width: 13, cell: ({ pinned }) => pinned?.kind ?? 'note' },
  nameColumn('Entry', entryTitle, { id: 'title', isName: false }),
]

export const incidentKey = (incident: Incident): string => incident.id
export const entryKey = (entry: NotebookEntry): string => entry.id
