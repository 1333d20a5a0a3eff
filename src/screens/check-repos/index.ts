import { readOnlyKeys } from '../../components/collection/plain-parts.ts'
import { defineScreen } from '../../tui/router/screen.ts'
import { checkReposRoute } from './route.ts'

export const checkReposKeys = readOnlyKeys('check-repos', 'Repository checks', 'repository')

/** Repositories whose pull requests run an eval suite. */
export const checkReposScreen = defineScreen({
  route: checkReposRoute,
  title: 'Repository checks',
  goKey: 'k',
  bindings: [checkReposKeys],
  load: async () => (await import('./screen.tsx')).CheckReposScreen,
})
