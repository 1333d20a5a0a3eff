import { sentenceCase } from '../../lib/format.ts'
import { localClock, utcClock } from '../../lib/times.ts'
import { type Incident, type NotebookEntry, type Pinned } from '../../domain/notebook/notebook.ts'
import type { Symbols } from '../../tui/theme/theme.ts'
import { countColumn, nameColumn, noteColumn } from '../../components/collection/plain-parts.ts'
import { ageCell, type Column } from '../../components/list/columns.ts'

export function incidentColumns(symbols: Symbols): readonly Column<Incident>[] {
  return [
    {
      id: 'state',
      title: 'State',
      width: 8,
      cell: ({ closedAt }) =>
        closedAt === undefined
          ? { text: `${symbols.live} open`, tone: 'live' }
          : { text: `${symbols.ok} closed`, tone: 'muted' },
      sort: ({ closedAt }) => closedAt ?? Infinity,
    },
    nameColumn('Incident', ({ title }) => title, { id: 'title', isName: false }),
    countColumn('Entries', 7, ({ entries }) => entries.length),
    // The title of the incident contains the date, unless someone changed the title.
    countColumn('Age', 5, ({ openedAt }) => openedAt, { cell: ({ openedAt }) => ageCell(openedAt, Date.now()) }),
  ]
}

/** The name of the pinned record at the end of an entry, if it is short enough to leave room for the note. */
const PINNED_NAME = / \([^()]{1,30}\)$/

/** Returns the first line of the note, and the name of the pinned record unless that is an id. */
export function entryTitle({ pinned, note }: NotebookEntry): string {
  const [first = ''] = note.split('\n')
  if (!pinned) return first
  if (first === '') return pinned.name
  return isNamed(pinned) ? `${first} (${pinned.name})` : first
}

/** Returns the kind and name of what is pinned: `Server everything`. */
export function pinnedTitle(pinned: Pinned): string {
  return sentenceCase(isNamed(pinned) ? `${pinned.kind} ${pinned.name}` : pinned.kind)
}

function isNamed({ id, name }: Pinned): boolean {
  return name !== id
}

/** @param inUtc whether this machine's clock is at UTC, so that one time is enough */
export function entryColumns(inUtc: boolean): readonly Column<NotebookEntry>[] {
  return [
    noteColumn('Time', 8, ({ at }) => localClock(at, 'seconds'), { id: 'at', sort: ({ at }) => at }),
    ...(inUtc
      ? []
      : [noteColumn<NotebookEntry>('UTC', 8, ({ at }) => utcClock(at), { from: 50, sort: ({ at }) => at })]),
    { id: 'kind', title: 'What', width: 13, cell: ({ pinned }) => pinned?.kind ?? 'note' },
    nameColumn('Entry', entryTitle, { id: 'title', isName: false, keeps: PINNED_NAME }),
  ]
}

/** Whether this machine's clock shows UTC for every entry. */
export function areInUtc(entries: readonly NotebookEntry[]): boolean {
  return entries.every(({ at }) => localClock(at, 'seconds') === utcClock(at))
}

export const incidentKey = (incident: Incident): string => incident.id
export const entryKey = (entry: NotebookEntry): string => entry.id
