import { runsScreenWith } from '../screens/runs/index.ts'
import { suites } from '../screens/suites/index.ts'

// Exports every screen, one per line; a declaration sets the screen's position.
export { accountScreen } from '../screens/account/index.ts'
export { checkReposScreen } from '../screens/check-repos/index.ts'
export { clientsScreen } from '../screens/clients/index.ts'
export { connectionsScreen } from '../screens/connections/index.ts'
export { environmentsScreen } from '../screens/environments/index.ts'
export { findingsScreen } from '../screens/findings/index.ts'
export { imagesScreen } from '../screens/images/index.ts'
export { notebookScreen } from '../screens/notebook/index.ts'
export { nowScreen } from '../screens/now/index.ts'
export { pluginsScreen } from '../screens/plugins/index.ts'
export { projectsScreen } from '../screens/projects/index.ts'
export { readinessScreen } from '../screens/readiness/index.ts'
export { scenariosScreen } from '../screens/scenarios/index.ts'
export { sessionsScreen } from '../screens/sessions/index.ts'
export { serversScreen } from '../screens/servers/index.ts'
export { swarmsScreen } from '../screens/swarms/index.ts'
/** Runs includes the suites, which have no screen of their own. */
export const runsScreen = runsScreenWith(suites)
