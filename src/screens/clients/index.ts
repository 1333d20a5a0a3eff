import { namedItems } from '../../api/client/cache/cached.ts'
import { contract } from '../../api/contract/contract.ts'
import { defineScreen } from '../../tui/router/screen.ts'
import { clientsKeys } from './bindings.ts'
import { clientsRoute } from './route.ts'

/** How the service talks to the MCP servers of a project. */
export const clientsScreen = defineScreen({
  route: clientsRoute,
  title: 'Clients',
  about: 'How the service talks to MCP servers.',
  goKey: 'l',
  bindings: [clientsKeys],
  named: namedItems(contract.clients.list, 'client', ({ projectId }, clientId) =>
    clientsRoute.to({ projectId, clientId }),
  ),
  load: async () => (await import('./screen.tsx')).ClientsScreen,
})
