import { useEffect, useMemo } from 'react'
import { useBindings, useKeyName } from '../../tui/keymap/use-bindings.ts'
import type { Incident, NotebookEntry } from '../../domain/notebook/notebook.ts'
import { unavailable } from '../../tui/keymap/binding.ts'
import { usePlace, useRouter } from '../../tui/router/router-context.tsx'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { useCrumbs } from '../../components/crumbs.tsx'
import { ListPane } from '../../components/list/list-pane.tsx'
import { useChosen } from '../../components/list/use-chosen.ts'
import { useList } from '../../components/list/use-list.ts'
import { type PaneData, Sentence } from '../../components/pane-state.tsx'
import { Panes } from '../../components/panes/panes.tsx'
import { useSubject } from '../../components/subject.tsx'
import { useNotebook } from '../../hooks/use-notebook.ts'
import { incidentsKeys, notebookKeys } from './bindings.ts'
import { entryColumns, entryKey, incidentColumns, incidentKey } from './columns.ts'
import { useNotebookKeys } from './use-keys.ts'
import { utcTime } from '../../lib/times.ts'
import { fieldLines, heading } from '../../components/lines.ts'
import { Pane } from '../../components/panes/pane.tsx'
import { Viewer, type Line } from '../../components/viewer.tsx'

const NO_ENTRIES: never[] = []

/** The incident notebook: what was pinned and noted, in the order of time. */
export function NotebookScreen() {
  const router = useRouter()
  const { params } = usePlace()
  const key = useKeyName()
  const { notebook, incidents, problem } = useNotebook()
  const { list, incident, entries, entry } = useNotebookLists(incidents)
  const pane = params['pane'] === 'entries' || params['pane'] === 'entry' ? params['pane'] : 'incidents'
  useCrumbs(['Notebook', incident?.title])
  const pinned = entry?.pinned
  const subject = useMemo(() => pinned && { id: pinned.id, ...Object.fromEntries(pinned.facts) }, [pinned])
  useSubject(pinned?.kind ?? '', subject, { place: pinned?.place })
  useNotebookKeys({
    notebook,
    incidents,
    incident,
    entry: entries.current,
    hasEntries: entries.items.length > 0,
    inEntries: pane !== 'incidents',
    chooseIncident: list.selection.select,
    chooseEntry: entries.selection.select,
  })
  useBindings(
    incidentsKeys,
    { entries: incident ? () => router.replace({ pane: 'entries' }) : unavailable('There is no incident yet.') },
    { active: pane === 'incidents' },
  )
  const data: PaneData = {
    pending: false,
    hasData: problem === undefined,
    problem:
      problem === undefined
        ? undefined
        : { title: 'Notebook not readable', sentence: problem, next: 'Nothing of it was changed.' },
    updatedAt: undefined,
  }
  return (
    <Panes
      focused={pane}
      onFocus={id => router.replace({ pane: id === 'incidents' ? undefined : id })}
      panes={[
        {
          id: 'incidents',
          weight: 3,
          render: focus => (
            <ListPane
              title="Incidents"
              list={list}
              data={data}
              focused={focus}
              loading=""
              empty={{
                why: 'No incident was noted yet.',
                next: `Pin something on any screen, or begin one here with ${key(notebookKeys, 'begin')}.`,
              }}
            />
          ),
        },
        {
          id: 'entries',
          weight: 4,
          render: focus => (
            <ListPane
              title="Entries"
              list={entries}
              data={data}
              focused={focus}
              loading=""
              empty={{
                why: 'Nothing is in this incident yet.',
                next: `Pin something on any screen, or add a note with ${key(notebookKeys, 'note')}.`,
              }}
            />
          ),
        },
        { id: 'entry', weight: 4, render: focus => <EntryPane entry={entry} focused={focus} /> },
      ]}
    />
  )
}

/** The incidents and the entries of the chosen one; what is chosen is in the place. */
function useNotebookLists(incidents: readonly Incident[]) {
  const router = useRouter()
  const { params } = usePlace()
  const { symbols } = useTheme()
  const columns = useMemo(() => incidentColumns(symbols), [symbols])
  const list = useList({
    items: incidents,
    keyOf: incidentKey,
    columns,
    initialKey: params['incidentId'],
    isOpen: params['pane'] === 'entries' || params['pane'] === 'entry',
  })
  const incident = useChosen(list)
  const entries = useList({
    items: incident?.entries ?? NO_ENTRIES,
    keyOf: entryKey,
    columns: entryColumns,
    initialKey: params['entryId'],
    isOpen: params['pane'] === 'entry',
  })
  const entry = useChosen(entries)
  const incidentId = incident?.id
  const entryId = entry?.id
  useEffect(() => {
    if (incidentId !== undefined) router.replace({ incidentId, entryId })
  }, [incidentId, entryId, router])
  return { list, incident, entries, entry }
}

/** The chosen entry: its note, and what was known of the pinned thing at that moment. */
function EntryPane(props: { entry: NotebookEntry | undefined; focused: boolean }) {
  const { entry, focused } = props
  const lines = useMemo(() => (entry ? entryLines(entry) : []), [entry])
  return (
    <Pane title={entry?.pinned ? `${entry.pinned.kind} ${entry.pinned.name}` : 'Entry'} focused={focused}>
      {entry ? <Viewer lines={lines} focused={focused} /> : <Sentence tone="muted" text="No entry is chosen." />}
    </Pane>
  )
}

function entryLines({ at, note, pinned }: NotebookEntry): Line[] {
  const words = note === '' ? [{ text: 'No note.', tone: 'muted' as const }] : note.split('\n').map(text => ({ text }))
  const facts: Line[] = pinned
    ? ['', heading('As it was pinned'), ...fieldLines([...pinned.facts, ['Id', pinned.id]])]
    : []
  return [{ text: utcTime(at), tone: 'muted' }, '', ...words, ...facts]
}
