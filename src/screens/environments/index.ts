import { namedItems } from '../../api/client/cache/cached.ts'
import { contract } from '../../api/contract/contract.ts'
import { defineScreen } from '../../tui/router/screen.ts'
import { environmentsKeys, environmentUsesKeys } from './bindings.ts'
import { environmentsRoute } from './route.ts'

/** The environments of a project. */
export const environmentsScreen = defineScreen({
  route: environmentsRoute,
  title: 'Environments',
  about: 'A client with servers and a model, under a name.',
  goKey: 'e',
  bindings: [environmentsKeys, environmentUsesKeys],
  named: namedItems(contract.environments.list, 'environment', ({ projectId }, environmentId) =>
    environmentsRoute.to({ projectId, environmentId }),
  ),
  load: async () => (await import('./screen.tsx')).EnvironmentsScreen,
})
