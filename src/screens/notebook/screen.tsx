import { useMemo } from 'react'
import { useBindings, useKeyName } from '../../tui/keymap/use-bindings.ts'
import type { Incident, NotebookEntry, Pinned } from '../../domain/notebook/notebook.ts'
import { usePlace, useRouter } from '../../tui/router/router-context.tsx'
import type { Symbols } from '../../tui/theme/theme.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { CollectionFrame, CollectionList } from '../../components/collection/collection-frame.tsx'
import { useCollection } from '../../components/collection/use-collection.ts'
import { useCrumbs } from '../../components/crumbs.tsx'
import { NothingChosen, type PaneData } from '../../components/pane-state.tsx'
import { useSubject } from '../../components/subject.tsx'
import { useNotebook } from '../../hooks/use-notebook.ts'
import { incidentsKeys, notebookKeys } from './bindings.ts'
import { areInUtc, entryColumns, entryKey, incidentColumns, incidentKey, pinnedTitle } from './columns.ts'
import { arrangementOf } from '../../components/panes/layout.ts'
import { useSize } from '../../components/size.tsx'
import { useNotebookKeys } from './use-keys.ts'
import { utcTime } from '../../lib/times.ts'
import { fieldLines, heading, type Field } from '../../components/lines.ts'
import { storedLook } from '../../components/records/run-look.ts'
import { Pane } from '../../components/panes/pane.tsx'
import { Viewer, type Line } from '../../components/viewer.tsx'

const NO_ENTRIES: never[] = []
const PANES = ['incidents', 'entries', 'entry']

/** The incident notebook: pins and notes, in order of time. */
export function NotebookScreen() {
  const key = useKeyName()
  const router = useRouter()
  const { notebook, incidents: all, problem } = useNotebook()
  const { incidents, entries } = useCollections(all)
  const entry = entries.row
  useCrumbs(['Notebook', incidents.row?.title])
  const pinned = entry?.pinned
  const subject = useMemo(() => pinned && { id: pinned.id, ...Object.fromEntries(pinned.facts) }, [pinned])
  useSubject(pinned?.kind ?? '', subject, { place: pinned?.place })
  useNotebookKeys({ notebook, all, incidents, entries })
  useBindings(incidentsKeys, { entries: incidents.open }, { active: !incidents.inDetail })
  const data: PaneData = {
    pending: false,
    hasData: problem === undefined,
    problem:
      problem === undefined
        ? undefined
        : { title: 'Notebook not readable', sentence: problem, next: 'It was not changed.' },
    updatedAt: undefined,
  }
  const entriesList = {
    title: 'Entries',
    empty: {
      why: incidents.row ? 'This incident has no entries yet.' : 'No incident is chosen.',
      next: `Press ${key(notebookKeys, 'note')} to add a note, or pin something on any screen.`,
    },
  }
  const what = 'the notebook'
  const next = entries.list.total === 0 ? entriesList.empty.next : undefined
  const { room } = arrangementOf({ ...useSize(), neverBeside: useTheme().plain })
  const below =
    room > 2 || entries.inDetail || !entry
      ? undefined
      : {
          title: entryName(entry),
          render: () => <EntryText entry={entry} focused={false} />,
          onOpen: () => router.replace({ pane: 'entry' }),
        }
  const detail = (focused: boolean) => <EntryPane entry={entry} next={next} focused={focused} />
  return (
    <CollectionFrame
      collection={incidents}
      what={what}
      data={data}
      weights={[3, 4]}
      list={{
        title: 'Incidents',
        empty: {
          why: 'No incidents yet.',
          next: `Press ${key(notebookKeys, 'begin')} to start one, or pin something on any screen.`,
        },
      }}
      between={{
        id: 'entries',
        weight: 4,
        render: focused => (
          <CollectionList
            collection={entries}
            what={what}
            data={data}
            list={entriesList}
            focused={focused}
            below={below}
          />
        ),
      }}
      renderDetail={(_, focused) => detail(focused)}
      renderNone={detail}
    />
  )
}

/** Returns the incidents and the entries of the selected one; the place holds the selection. */
function useCollections(all: readonly Incident[]) {
  const { incidentId, entryId } = usePlace().params
  const { symbols } = useTheme()
  const incidents = useCollection({
    noun: 'incident',
    items: all,
    keyOf: incidentKey,
    columns: useMemo(() => incidentColumns(symbols), [symbols]),
    panes: PANES,
    placed: { key: incidentId, param: 'incidentId', follows: true },
  })
  const items = incidents.row?.entries ?? NO_ENTRIES
  const inUtc = areInUtc(items)
  const entries = useCollection({
    noun: 'entry',
    items,
    keyOf: entryKey,
    columns: useMemo(() => entryColumns(inUtc), [inUtc]),
    panes: PANES.slice(1),
    placed: { key: entryId, param: 'entryId', follows: true },
  })
  return { incidents, entries }
}

/** Shows the selected entry: its note, and what was known of the pinned thing at that time. */
function EntryPane(props: { entry: NotebookEntry | undefined; next: string | undefined; focused: boolean }) {
  const { entry, focused } = props
  return (
    <Pane title={entry ? entryName(entry) : 'Entry'} focused={focused}>
      {entry ? (
        <EntryText entry={entry} focused={focused} />
      ) : (
        <NothingChosen sources={[]} why="No entry is chosen." next={props.next} />
      )}
    </Pane>
  )
}

const entryName = ({ pinned }: NotebookEntry): string => (pinned ? pinnedTitle(pinned) : 'Entry')

function EntryText({ entry, focused }: { entry: NotebookEntry; focused: boolean }) {
  const { symbols } = useTheme()
  const view = useMemo(() => entryView(entry, symbols), [entry, symbols])
  return <Viewer {...view} focused={focused} />
}

/** Returns the note and the facts; ids, and the status of what has an outcome, are secondary. */
function entryView({ at, note, pinned }: NotebookEntry, symbols: Symbols): { lines: Line[]; rest: readonly Field[] } {
  const words = note === '' ? [{ text: 'No note.', tone: 'muted' as const }] : note.split('\n').map(text => ({ text }))
  const lines: Line[] = [{ text: utcTime(at), tone: 'muted' }, '', ...words]
  if (!pinned) return { lines, rest: [] }
  const hasOutcome = pinned.facts.some(([label]) => label === 'Outcome')
  const isSecondary = ([label]: Field) => label === 'Suite id' || (label === 'Status' && hasOutcome)
  const fields = pinned.facts.filter(fact => !isSecondary(fact)).map(fact => withLook(fact, symbols))
  return {
    lines: [...lines, '', heading('As it was pinned'), ...fieldLines(fields)],
    rest: [...pinned.facts.filter(isSecondary), ['Id', pinned.id]],
  }
}

function withLook([label, value]: Pinned['facts'][number], symbols: Symbols): Field {
  const look = label === 'Outcome' ? storedLook(value) : undefined
  return look ? [label, `${symbols[look.symbol]} ${value}`, look.tone] : [label, value]
}
