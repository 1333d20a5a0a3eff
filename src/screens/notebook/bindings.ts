import { defineBindings } from '../../tui/keymap/binding.ts'
import { on } from '../../tui/keymap/verbs.ts'

export const incidentsKeys = defineBindings({
  name: 'incidents',
  scope: 'panel',
  screen: 'notebook',
  title: 'Incidents',
  bindings: { entries: { keys: ['enter'], label: 'its entries', hint: true } },
})

export const notebookKeys = defineBindings({
  name: 'notebook',
  scope: 'screen',
  screen: 'notebook',
  title: 'Incident notebook',
  bindings: {
    open: { keys: ['enter'], label: 'open', hint: 'first', help: 'Go to what the entry is about.' },
    note: { ...on('note'), label: 'add note', hint: true, help: 'Add a note with the time of now.' },
    edit: {
      ...on('edit'),
      label: 'edit note',
      hint: true,
      help: 'Edit the note of the entry, in your editor where there is one.',
    },
    remove: { ...on('delete'), label: 'remove', hint: true, help: 'Take the entry out of the incident.' },
    export: { ...on('write'), label: 'export', hint: true, help: 'Write the incident to a Markdown file, redacted.' },
    report: {
      ...on('report'),
      label: 'shift report',
      hint: 'later',
      help: 'Write a report of the shift on Now, with what was noted here.',
    },
    begin: { ...on('new'), label: 'new incident', hint: 'later' },
    rename: { ...on('rename'), label: 'title', hint: 'later', help: 'Give the incident another title.' },
    close: {
      ...on('toggle'),
      label: 'close/reopen',
      hint: 'later',
      help: 'Close the incident, or go on with one that was closed.',
    },
    back: { keys: ['escape'], label: 'back', help: 'From the entries to the incidents.' },
  },
})
