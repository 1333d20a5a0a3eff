import { bindingsOf, on } from '../../tui/keymap/binding.ts'

const define = bindingsOf('notebook')

export const incidentsKeys = define.panel('incidents', 'Incidents', {
  entries: { keys: ['enter'], label: 'its entries', hint: true },
})

export const notebookKeys = define.screen('notebook', 'Incident notebook', {
  open: { keys: ['enter'], label: 'open', hint: 'first', help: 'Go to what the entry is about.' },
  note: on('note', 'add note', { hint: true, help: 'Add a note with the time of now.' }),
  edit: on('edit', 'edit note', { hint: true, help: 'Edit the note of the entry, in your editor where there is one.' }),
  remove: on('delete', 'remove', { hint: true, help: 'Take the entry out of the incident.' }),
  export: on('write', 'export', { hint: true, help: 'Write the incident to a Markdown file, redacted.' }),
  report: on('report', 'shift report', {
    hint: 'later',
    help: 'Write a report of the shift on Now, with what was noted here.',
  }),
  begin: on('new', 'new incident', { hint: 'later' }),
  rename: on('rename', 'title', { hint: 'later', help: 'Give the incident another title.' }),
  close: on('toggle', 'close/reopen', {
    hint: 'later',
    help: 'Close the incident, or go on with one that was closed.',
  }),
  back: { keys: ['escape'], label: 'back', help: 'From the entries to the incidents.' },
})
