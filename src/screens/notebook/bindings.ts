import { bindingsOf, on } from '../../tui/keymap/binding.ts'

const define = bindingsOf('notebook')

export const incidentsKeys = define.panel('incidents', 'Incidents', {
  entries: { keys: ['enter'], label: 'its entries', hint: true },
})

export const notebookKeys = define.screen('notebook', 'Incident notebook', {
  open: { keys: ['enter'], label: 'open', hint: 'first', help: 'Go to the subject of the entry.' },
  note: on('note', 'add note', { hint: true, help: 'Add a note with the current time.' }),
  edit: on('edit', 'edit note', { hint: true, help: 'Edit the note of the entry, in your editor where there is one.' }),
  remove: on('delete', 'remove entry', { hint: true, help: 'Remove the entry from the incident.' }),
  export: on('write', 'export', { hint: true, help: 'Write the incident to a Markdown file, redacted.' }),
  report: on('report', 'shift report', {
    hint: 'later',
    help: 'Write a shift report on Now, with what was noted here.',
  }),
  begin: on('new', 'new incident', { hint: 'later' }),
  rename: on('rename', 'title', { hint: 'later', help: 'Rename the incident.' }),
  close: on('toggle', 'close/reopen', { hint: 'later', help: 'Close the incident, or open a closed one again.' }),
  back: { keys: ['escape'], label: 'back', help: 'Go from the entries to the incidents.' },
})
