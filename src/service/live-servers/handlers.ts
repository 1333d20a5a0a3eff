import type { ResourceTemplate } from '../../api/contract/live-servers.ts'
import type { ProjectRow } from '../core/database/rows.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

type Call = { project: ProjectRow; params: { serverId: string } }

export function liveServerHandlers({ store, connections, targets }: ServiceContext): Handlers['liveServers'] {
  const target = ({ project, params }: Call) => targets.of(store.servers.require(project.id, params.serverId))
  return {
    async templates(call) {
      const { items, ...rest } = await connections.listResourceTemplates(target(call), call.body, call.signal)
      // What has no address is no template; the doctor names it.
      return { items: items.filter(isTemplate), ...rest }
    },
    get: ({ project, params }) => connections.live(store.servers.require(project.id, params.serverId).id),
    restart: call => connections.restart(target(call), call.signal),
    end: call => connections.end(target(call)),
    setLogLevel: call => connections.setLogLevel(target(call), call.body.level, call.signal),
    subscribe: call => connections.subscribe(target(call), call.body, call.signal),
    complete: call => connections.complete(target(call), call.body, call.signal),
  }
}

function isTemplate(item: object): item is ResourceTemplate {
  return 'uriTemplate' in item && typeof item.uriTemplate === 'string'
}
