import { bindingsOf, on } from '../../tui/keymap/binding.ts'

const define = bindingsOf('notebook')

export const incidentsKeys = define.panel('incidents', 'Incidents', {
  entries: { keys: ['enter'], label: 'its entries', hint: true },
})

export const notebookKeys = define.screen('notebook', 'Incident notebook', {
  open: { keys: ['enter'], label: 'open', hint: 'first', help: 'Go to the subject of the entry.' },
  note: on('note', 'add note', { hint: true, help: 'Add a note with the current time.' }),
  begin: on('new', 'new incident', { hint: true }),
  close: on('toggle', 'close/reopen', { hint: true, help: 'Close the incident, or open a closed one again.' }),
  export: on('write', 'export', { hint: true, help: 'Write the incident to a Markdown file, redacted.' }),
  report: on('report', 'shift report', {
    hint: 'later',
    help: 'Write a shift report on Now, with what was noted here.',
  }),
  edit: on('edit', 'edit note', {
    hint: 'later',
    help: 'Edit the note of the entry, in your editor where there is one.',
  }),
  remove: on('delete', 'remove entry', { hint: 'later', help: 'Remove the entry from the incident.' }),
  rename: on('rename', 'title', { hint: 'later', help: 'Rename the incident.' }),
  back: { keys: ['escape'], label: 'back', help: 'Go from the entries to the incidents.' },
})
