import { defineScreen } from '../../tui/router/screen.ts'
import { connectionsKeys } from './bindings.ts'
import { connectionsRoute } from './route.ts'

/** Requests to connect a server by its address, which the service carries out. */
export const connectionsScreen = defineScreen({
  route: connectionsRoute,
  title: 'Connections',
  about: 'Servers being connected, with sign-in.',
  goKey: 'o',
  bindings: [connectionsKeys],
  load: async () => (await import('./screen.tsx')).ConnectionsScreen,
})
