import { defineScreen } from '../../tui/router/screen.ts'
import { incidentsKeys, notebookKeys } from './bindings.ts'
import { notebookRoute } from './route.ts'

/** What was pinned and noted in incidents. */
export const notebookScreen = defineScreen({
  route: notebookRoute,
  title: 'Notebook',
  about: 'Incidents with notes and pins, on this machine.',
  order: 8,
  goKey: 'i',
  goLabel: 'incident notebook',
  bindings: [incidentsKeys, notebookKeys],
  load: async () => (await import('./screen.tsx')).NotebookScreen,
})
