import { defineScreen } from '../../tui/router/screen.ts'
import { accountRoute } from './route.ts'

/** Who the key acts as, and what it may do. */
export const accountScreen = defineScreen({
  route: accountRoute,
  title: 'Account',
  about: 'Who the key acts as, and what it may do.',
  goKey: 'a',
  bindings: [],
  load: async () => (await import('./screen.tsx')).AccountScreen,
})
