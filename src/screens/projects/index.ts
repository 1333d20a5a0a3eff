import { namedItems } from '../../api/client/cache/cached.ts'
import { contract } from '../../api/contract/contract.ts'
import { defineScreen } from '../../tui/router/screen.ts'
import { projectsKeys } from './bindings.ts'
import { projectsRoute } from './route.ts'

/** The projects that the key reaches. */
export const projectsScreen = defineScreen({
  route: projectsRoute,
  title: 'Projects',
  about: 'The projects that the key reaches.',
  order: 2,
  goKey: 'p',
  bindings: [projectsKeys],
  named: namedItems(contract.projects.list, 'project', (_, projectId) => projectsRoute.to({ projectId })),
  load: async () => (await import('./screen.tsx')).ProjectsScreen,
})
