import { useMemo } from 'react'
import { utcTime } from '../../lib/times.ts'
import type { NotebookEntry } from '../../domain/notebook/notebook.ts'
import { fieldLines, heading } from '../../components/lines.ts'
import { Sentence } from '../../components/pane-state.tsx'
import { Pane } from '../../components/panes/pane.tsx'
import { Viewer, type Line } from '../../components/viewer.tsx'

/** The chosen entry: its note, and what was known of the pinned thing at that moment. */
export function EntryPane(props: { entry: NotebookEntry | undefined; focused: boolean }) {
  const { entry, focused } = props
  const lines = useMemo(() => (entry ? entryLines(entry) : []), [entry])
  return (
    <Pane title={entry?.pinned ? `${entry.pinned.kind} ${entry.pinned.name}` : 'Entry'} focused={focused}>
      {entry ? (
        <Viewer lines={lines} focused={focused} />
      ) : (
        <Sentence tone="muted" text="No entry is chosen." />
      )}
    </Pane>
  )
}

function entryLines({ at, note, pinned }: NotebookEntry): Line[] {
  const words =
    note === '' ? [{ text: 'No note.', tone: 'muted' as const }] : note.split('\n').map(text => ({ text }))
  const facts: Line[] = pinned
    ? ['', heading('As it was pinned'), ...fieldLines([...pinned.facts, ['Id', pinned.id]])]
    : []
  return [{ text: utcTime(at), tone: 'muted' }, '', ...words, ...facts]
}
