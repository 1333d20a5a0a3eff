import type { Incident, Notebook, NotebookEntry } from '../../api/notebook.ts'
import { unavailable } from '../../app/keymap/binding.ts'
import { useBindings } from '../../app/keymap/use-bindings.ts'
import { useRouter } from '../../app/router/router-context.tsx'
import { useAskText } from '../../components/ask-text.tsx'
import { useConfirm } from '../../components/confirm.tsx'
import { useEditor, useHasEditor } from '../../components/editor/use-editor.tsx'
import { notebookKeys } from './bindings.ts'
import { entryTitle } from './columns.ts'
import { useExport } from './use-export.ts'

/** The keys of the notebook, about the incident and the entry that are chosen at the moment they are pressed. */
export function useNotebookKeys(on: {
  notebook: Notebook
  incident: Incident | undefined
  entry: () => NotebookEntry | undefined
  hasEntries: boolean
  inEntries: boolean
  /** Also one that is yet to appear. */
  chooseIncident: (id: string) => void
  chooseEntry: (id: string) => void
}): void {
  const { notebook, incident, entry, hasEntries, inEntries } = on
  const router = useRouter()
  const ask = useAskText()
  const confirm = useConfirm()
  const editNote = useNoteEditor()
  const write = useExport()
  const noIncident = unavailable('There is no incident yet.')
  const noEntry = unavailable('There is no entry.')
  const withIncident = (act: (chosen: Incident) => void | Promise<void>) =>
    incident ? () => act(incident) : noIncident
  const withEntry = (act: (chosen: Incident, at: NotebookEntry) => void | Promise<void>) =>
    incident && hasEntries
      ? () => {
          const chosen = entry()
          return chosen && act(incident, chosen)
        }
      : noEntry
  useBindings(notebookKeys, {
    open: withEntry((chosen, { id, pinned }) => {
      router.replace({ incidentId: chosen.id, entryId: id })
      if (pinned) router.go(pinned.place)
      else router.replace({ pane: 'entry' })
    }),
    async note() {
      const note = await ask({ title: 'Add a note', lines: ['It gets the time of now.'] })
      if (note === undefined || note.trim() === '') return
      const into = incident ?? notebook.begin('Incident')
      on.chooseIncident(into.id)
      on.chooseEntry(notebook.addNote(into.id, note).id)
    },
    edit: withEntry(async (chosen, at) => {
      const note = await editNote(at)
      if (note !== undefined) notebook.editNote(chosen.id, at.id, note)
    }),
    remove: withEntry(async (chosen, at) => {
      const agreed = await confirm({
        title: 'Remove the entry?',
        lines: [`“${entryTitle(at)}” is taken out of “${chosen.title}” for good, with its note.`],
        action: 'Remove it',
      })
      if (agreed) notebook.remove(chosen.id, at.id)
    }),
    export: withIncident(chosen => write(chosen)),
    async begin() {
      const title = await ask({
        title: 'New incident',
        lines: ['What is pinned from now on goes into it; the open one is closed. Its title:'],
      })
      if (title !== undefined) on.chooseIncident(notebook.begin(title).id)
    },
    rename: withIncident(async chosen => {
      const title = await ask({ title: 'Title of the incident', lines: [], initial: chosen.title })
      if (title !== undefined) notebook.rename(chosen.id, title)
    }),
    close: withIncident(({ id, closedAt }) =>
      closedAt === undefined ? notebook.close(id) : notebook.reopen(id),
    ),
    back: () => (inEntries ? router.replace({ pane: undefined }) : void router.back()),
  })
}

/** Edits a note: in the person's editor, else in one line. */
function useNoteEditor(): (entry: NotebookEntry) => Promise<string | undefined> {
  const hasEditor = useHasEditor()
  const edit = useEditor()
  const ask = useAskText()
  return async ({ id, note }) => {
    if (!hasEditor)
      return await ask({ title: 'Edit the note', lines: [], initial: note.replaceAll('\n', ' ') })
    const edited = await edit({
      key: `note ${id}`,
      fileName: 'note.md',
      what: 'the note',
      text: note === '' ? '\n' : note,
      read: text => ({ ok: true, value: text.trim() }),
    })
    edited?.discard()
    return edited?.value
  }
}
