import { openAndBack } from '../../components/collection/plain-parts.ts'
import { bindingsOf } from '../../tui/keymap/binding.ts'
import { defineScreen } from '../../tui/router/screen.ts'
import { checkReposRoute } from './route.ts'

const define = bindingsOf('check-repos')

export const checkReposKeys = define.screen('check-repos', 'Repository checks', openAndBack('repository'))

/** Repositories whose pull requests run an eval suite. */
export const checkReposScreen = defineScreen({
  route: checkReposRoute,
  title: 'Repository checks',
  about: 'Repositories whose pull requests run a suite.',
  goKey: 'k',
  bindings: [checkReposKeys],
  load: async () => (await import('./screen.tsx')).CheckReposScreen,
})
