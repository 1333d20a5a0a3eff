import { openAndBack } from '../../components/collection/plain-parts.ts'
import { defineBindings } from '../../tui/keymap/binding.ts'
import { defineScreen } from '../../tui/router/screen.ts'
import { checkReposRoute } from './route.ts'

export const checkReposKeys = defineBindings({
  name: 'check-repos',
  scope: 'screen',
  screen: 'check-repos',
  title: 'Repository checks',
  bindings: openAndBack('repository'),
})

/** Repositories whose pull requests run an eval suite. */
export const checkReposScreen = defineScreen({
  route: checkReposRoute,
  title: 'Repository checks',
  about: 'Repositories whose pull requests run a suite.',
  goKey: 'k',
  bindings: [checkReposKeys],
  load: async () => (await import('./screen.tsx')).CheckReposScreen,
})
