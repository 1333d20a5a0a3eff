import { defineScreen } from '../../tui/router/screen.ts'
import { nowKeys, nowProjectsKeys } from './bindings.ts'
import { nowRoute } from './route.ts'

/** The screen of the on-call inbox over all chosen projects. */
export const nowScreen = defineScreen({
  route: nowRoute,
  title: 'Now',
  about: 'What needs attention, over all projects.',
  order: 1,
  goKey: 'n',
  bindings: [nowKeys, nowProjectsKeys],
  load: async () => (await import('./screen.tsx')).NowScreen,
})
