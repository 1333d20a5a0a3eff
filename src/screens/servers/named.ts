import type { QueryClient } from '@tanstack/react-query'
import { cachedItems } from '../../api/client/cache/cached.ts'
import { contract } from '../../api/contract/contract.ts'
import type { NamedPlace } from '../../tui/router/named-place.ts'
import { serversRoute } from './route.ts'

/** Servers by name. */
export function namedServers(queryClient: QueryClient): NamedPlace[] {
  return cachedItems(queryClient, contract.servers.list).map(({ input, item: { id, name } }) => ({
    id,
    kind: 'server',
    name,
    place: serversRoute.to({ projectId: input.projectId, serverId: id }),
  }))
}
