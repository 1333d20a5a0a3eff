import { namedProjects } from '../screens/projects/named.ts'
import { projectsRoute } from '../screens/projects/route.ts'
import { ProjectsScreen } from '../screens/projects/screen.tsx'
import { namedRuns } from '../screens/runs/named.ts'
import { runsRoute } from '../screens/runs/route.ts'
import { RunsScreen } from '../screens/runs/screen.tsx'
import { namedServers } from '../screens/servers/named.ts'
import { serversRoute } from '../screens/servers/route.ts'
import { ServersScreen } from '../screens/servers/screen.tsx'
import type { ScreenEntry } from './shell/screen-entry.ts'

/** Every screen, in the order of its number. */
export const screens: readonly ScreenEntry[] = [
  { route: projectsRoute, title: 'Projects', named: namedProjects, Screen: ProjectsScreen },
  { route: serversRoute, title: 'Servers', named: namedServers, Screen: ServersScreen },
  { route: runsRoute, title: 'Runs', named: namedRuns, Screen: RunsScreen },
]
