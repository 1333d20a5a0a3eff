import { projectsRoute } from '../screens/projects/route.ts'
import { ProjectsScreen } from '../screens/projects/screen.tsx'
import { runsRoute } from '../screens/runs/route.ts'
import { RunsScreen } from '../screens/runs/screen.tsx'
import { serversRoute } from '../screens/servers/route.ts'
import { ServersScreen } from '../screens/servers/screen.tsx'
import type { ScreenEntry } from './shell/screen-entry.ts'

/** Every screen, in the order of its number. */
export const screens: readonly ScreenEntry[] = [
  { route: projectsRoute, title: 'Projects', Screen: ProjectsScreen },
  { route: serversRoute, title: 'Servers', Screen: ServersScreen },
  { route: runsRoute, title: 'Runs', Screen: RunsScreen },
]
