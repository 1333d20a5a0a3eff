import { namedFindings } from '../screens/findings/named.ts'
import { findingsRoute } from '../screens/findings/route.ts'
import { FindingsScreen } from '../screens/findings/screen.tsx'
import { NotebookScreen } from '../screens/notebook/screen.tsx'
import { notebookRoute } from '../screens/notebook/route.ts'
import { nowRoute } from '../screens/now/route.ts'
import { NowScreen } from '../screens/now/screen.tsx'
import { namedProjects } from '../screens/projects/named.ts'
import { projectsRoute } from '../screens/projects/route.ts'
import { ProjectsScreen } from '../screens/projects/screen.tsx'
import { namedRuns } from '../screens/runs/named.ts'
import { runsRoute } from '../screens/runs/route.ts'
import { RunsScreen } from '../screens/runs/screen.tsx'
import { namedScenarios } from '../screens/scenarios/named.ts'
import { scenariosRoute } from '../screens/scenarios/route.ts'
import { ScenariosScreen } from '../screens/scenarios/screen.tsx'
import { namedServers } from '../screens/servers/named.ts'
import { serversRoute } from '../screens/servers/route.ts'
import { ServersScreen } from '../screens/servers/screen.tsx'
import type { ScreenEntry } from './shell/screen-entry.ts'

/** Every screen, in the order of its number. */
export const screens: readonly ScreenEntry[] = [
  { route: nowRoute, title: 'Now', Screen: NowScreen },
  { route: projectsRoute, title: 'Projects', named: namedProjects, Screen: ProjectsScreen },
  { route: serversRoute, title: 'Servers', named: namedServers, Screen: ServersScreen },
  { route: runsRoute, title: 'Runs', named: namedRuns, Screen: RunsScreen },
  { route: findingsRoute, title: 'Findings', named: namedFindings, Screen: FindingsScreen },
  { route: scenariosRoute, title: 'Scenarios', named: namedScenarios, Screen: ScenariosScreen },
  { route: notebookRoute, title: 'Notebook', Screen: NotebookScreen },
]
