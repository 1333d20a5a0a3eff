import { defineScreen } from '../../tui/router/screen.ts'
import { findingsKeys } from './bindings.ts'
import { namedFindings } from './named.ts'
import { findingsRoute } from './route.ts'

/** Findings of swarms and of scenarios. */
export const findingsScreen = defineScreen({
  route: findingsRoute,
  title: 'Findings',
  about: 'Problems that recur or came back.',
  order: 5,
  goKey: 'f',
  bindings: [findingsKeys],
  named: namedFindings,
  load: async () => (await import('./screen.tsx')).FindingsScreen,
})
