import { defineScreen } from '../../tui/router/screen.ts'
import { sessionsKeys } from './bindings.ts'
import { sessionsRoute } from './route.ts'

/** Conversations with the servers of a project, from every source. */
export const sessionsScreen = defineScreen({
  route: sessionsRoute,
  title: 'Sessions',
  about: 'Conversations of runs, waves, visits and chats.',
  goKey: 't',
  bindings: [sessionsKeys],
  load: async () => (await import('./screen.tsx')).SessionsScreen,
})
