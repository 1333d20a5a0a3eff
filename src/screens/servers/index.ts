import { namedItems } from '../../api/client/cache/cached.ts'
import { contract } from '../../api/contract/contract.ts'
import { defineScreen } from '../../tui/router/screen.ts'
import {
  callsKeys,
  consoleKeys,
  promptsKeys,
  resourcesKeys,
  resultKeys,
  skillsKeys,
  serverImportKeys,
  serverConformanceKeys,
  serverReadinessKeys,
  serversKeys,
  toolsKeys,
  argumentKeys,
  requestedKeys,
  unsavedKeys,
  trafficKeys,
} from './bindings.ts'
import { serversRoute } from './route.ts'

/** The screen of the saved servers of a project. */
export const serversScreen = defineScreen({
  route: serversRoute,
  title: 'Servers',
  about: 'Saved MCP servers: tools, prompts, resources.',
  order: 3,
  goKey: 's',
  bindings: [
    serversKeys,
    unsavedKeys,
    serverImportKeys,
    toolsKeys,
    argumentKeys,
    requestedKeys,
    promptsKeys,
    resourcesKeys,
    skillsKeys,
    callsKeys,
    trafficKeys,
    consoleKeys,
    serverReadinessKeys,
    serverConformanceKeys,
    resultKeys,
  ],
  named: namedItems(contract.servers.list, 'server', ({ projectId }, serverId) =>
    serversRoute.to({ projectId, serverId }),
  ),
  load: async () => (await import('./screen.tsx')).ServersScreen,
})
