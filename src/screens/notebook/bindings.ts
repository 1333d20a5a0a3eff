import { defineBindings } from '../../app/keymap/binding.ts'

export const incidentsKeys = defineBindings({
  name: 'incidents',
  scope: 'panel',
  screen: 'notebook',
  title: 'Incidents',
  bindings: {
    entries: { keys: ['enter'], label: 'its entries', hint: true },
  },
})

export const notebookKeys = defineBindings({
  name: 'notebook',
  scope: 'screen',
  screen: 'notebook',
  title: 'Incident notebook',
  bindings: {
    open: { keys: ['enter'], label: 'open', hint: 'first', help: 'Go to what the entry is about.' },
    note: { keys: ['a'], label: 'add note', hint: true, help: 'Add a note with the time of now.' },
    edit: {
      keys: ['i'],
      label: 'edit note',
      hint: true,
      help: 'Edit the note of the entry, in your editor where there is one.',
    },
    remove: { keys: ['d'], label: 'remove', hint: true, help: 'Take the entry out of the incident.' },
    export: {
      keys: ['e'],
      label: 'export',
      hint: true,
      help: 'Write the incident to a Markdown file, redacted.',
    },
    begin: { keys: ['n'], label: 'new incident', hint: 'later' },
    rename: { keys: ['t'], label: 'title', hint: 'later', help: 'Give the incident another title.' },
    close: {
      keys: ['x'],
      label: 'close/reopen',
      hint: 'later',
      help: 'Close the incident, or go on with one that was closed.',
    },
    back: {
      keys: ['escape'],
      label: 'back',
      help: 'From the entries to the incidents.',
    },
  },
})
