import { defineScreen } from '../../tui/router/screen.ts'
import { readinessKeys } from './bindings.ts'
import { readinessRoute } from './route.ts'

/** Servers graded against the requirements of a publisher's directory. */
export const readinessScreen = defineScreen({
  route: readinessRoute,
  title: 'Readiness',
  about: 'Checks of servers for a publisher’s directory.',
  goKey: 'd',
  bindings: [readinessKeys],
  load: async () => (await import('./screen.tsx')).ReadinessScreen,
})
