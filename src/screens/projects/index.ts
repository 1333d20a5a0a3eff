import { namedItems } from '../../api/client/cache/cached.ts'
import { contract } from '../../api/contract/contract.ts'
import { defineScreen } from '../../tui/router/screen.ts'
import { nextStepKeys, projectsKeys } from './bindings.ts'
import { projectsRoute } from './route.ts'

/** The screen of projects that the key has access to. */
export const projectsScreen = defineScreen({
  route: projectsRoute,
  title: 'Projects',
  about: 'Projects that the key has access to.',
  order: 2,
  goKey: 'p',
  bindings: [projectsKeys, nextStepKeys],
  named: namedItems(contract.projects.list, 'project', (_, projectId) => projectsRoute.to({ projectId })),
  load: async () => (await import('./screen.tsx')).ProjectsScreen,
})
