import { namedItems } from '../../api/client/cache/cached.ts'
import { contract } from '../../api/contract/contract.ts'
import { defineScreen } from '../../tui/router/screen.ts'
import { scenariosKeys, visitFindingsKeys, visitsKeys } from './bindings.ts'
import { scenariosRoute } from './route.ts'

/** The screen of the published environments of a project. */
export const scenariosScreen = defineScreen({
  route: scenariosRoute,
  title: 'Scenarios',
  about: 'Published environments, and who may enter.',
  order: 6,
  goKey: 'c',
  bindings: [scenariosKeys, visitsKeys, visitFindingsKeys],
  named: namedItems(contract.scenarios.list, 'scenario', ({ projectId }, scenarioId) =>
    scenariosRoute.to({ projectId, scenarioId }),
  ),
  load: async () => (await import('./screen.tsx')).ScenariosScreen,
})
