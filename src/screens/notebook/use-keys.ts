import { localTime } from '../../lib/times.ts'
import {
  MAX_INCIDENTS,
  nextToGo,
  noteProblem,
  type Incident,
  type Notebook,
  type NotebookEntry,
} from '../../domain/notebook/notebook.ts'
import { useBindings, useKeyName } from '../../tui/keymap/use-bindings.ts'
import { useRouter } from '../../tui/router/router-context.tsx'
import type { Collection } from '../../components/collection/use-collection.ts'
import { useConfirmDiscard } from '../../components/ask-text.tsx'
import { useAttempt } from '../../components/attempt.tsx'
import { useConfirm } from '../../components/confirm.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { useEditor, useHasEditor } from '../../components/editor/use-editor.tsx'
import { notebookKeys } from './bindings.ts'
import { entryTitle } from './columns.ts'
import { nowRoute } from '../now/route.ts'
import { useExport } from './use-export.ts'

/** Handles the keys of the notebook for the incident and entry selected when they are pressed. */
export function useNotebookKeys(on: {
  notebook: Notebook
  all: readonly Incident[]
  incidents: Collection<Incident>
  entries: Collection<NotebookEntry>
}): void {
  const { notebook, incidents, entries } = on
  const router = useRouter()
  const askToKeep = useConfirmDiscard()
  const attempt = useAttempt()
  const confirm = useConfirm()
  const toasts = useToasts()
  const key = useKeyName()
  const editNote = useNoteEditor(notebook)
  const write = useExport(notebook)
  const incident = incidents.row
  const chooseIncident = ({ id }: Incident): void => incidents.list.selection.select(id)
  const withEntry = (act: (chosen: Incident, at: NotebookEntry) => void | Promise<void>) =>
    entries.on(at => incident && act(incident, at))
  useBindings(notebookKeys, {
    open: withEntry((chosen, { id, pinned }) => {
      router.replace({ incidentId: chosen.id, entryId: id })
      if (pinned) router.go(pinned.place)
      else router.replace({ pane: 'entry' })
    }),
    note: async () =>
      void (await askToKeep({ title: 'Add a note', lines: ['It gets the current time.'], multiline: true }, note => {
        if (note.trim() === '') return
        const into = incident ?? notebook.begin('Incident')
        chooseIncident(into)
        entries.list.selection.select(notebook.addNote(into.id, note).id)
      })),
    edit: withEntry(editNote),
    remove: withEntry(async (chosen, at) => {
      const agreed = await confirm({
        title: 'Remove the entry?',
        lines: [`“${entryTitle(at)}” is taken out of “${chosen.title}” for good, with its note.`],
        action: 'Remove it',
      })
      if (agreed) attempt('Nothing was removed', () => notebook.remove(chosen.id, at.id))
    }),
    export: incidents.on(write),
    report: () => router.go(nowRoute.to({ report: 'yes' })),
    begin: async () =>
      void (await askToKeep(
        {
          title: 'New incident',
          lines: [...farewell(on.all), 'New pins go into it, and the open incident is closed. Title:'],
        },
        title => chooseIncident(notebook.begin(title)),
      )),
    rename: incidents.on(
      async ({ id, title }) =>
        void (await askToKeep({ title: 'Title of the incident', lines: [], initial: title }, given =>
          notebook.rename(id, given),
        )),
    ),
    close: incidents.on(({ id, title, closedAt }) => {
      const isOpen = closedAt === undefined
      attempt('Nothing was changed', () => {
        if (isOpen) notebook.close(id)
        else notebook.reopen(id)
        toasts.show(
          'ok',
          isOpen ? `Closed “${title}”; ${key(notebookKeys, 'close')} opens it again.` : `“${title}” is open again.`,
        )
      })
    }),
    back: incidents.back,
  })
}

/** Warns about an incident that starting another one removes, while it can still be exported. */
function farewell(incidents: readonly Incident[]): string[] {
  const going = nextToGo(incidents)
  if (!going) return []
  const { title, openedAt } = going
  return [
    `${MAX_INCIDENTS} incidents are stored. Starting another deletes the oldest, “${title}” of ` +
      `${localTime(openedAt)}, for good; export it first if it matters.`,
  ]
}

/** Edits a note in the person's editor, or in a text field if there is none. */
function useNoteEditor(notebook: Notebook): (incident: Incident, entry: NotebookEntry) => Promise<void> {
  const hasEditor = useHasEditor()
  const edit = useEditor()
  const askToKeep = useConfirmDiscard()
  const attempt = useAttempt()
  return async (incident, { id, note }) => {
    const keep = (to: string): true => {
      notebook.editNote(incident.id, id, { from: note, to })
      return true
    }
    if (!hasEditor) {
      await askToKeep({ title: 'Edit the note', lines: [], initial: note, multiline: true }, text => {
        keep(text)
      })
      return
    }
    const edited = await edit({
      key: `note ${id}`,
      fileName: 'note.md',
      what: 'the note',
      text: note === '' ? '\n' : note,
      read(text) {
        const message = noteProblem(text.trim())
        return message === undefined
          ? { ok: true, value: text.trim() }
          : { ok: false, problems: [{ line: 1, column: 1, message }] }
      },
    })
    if (!edited) return
    if (attempt('The note was not changed', () => keep(edited.value))) edited.discard()
    else edited.keep()
  }
}
