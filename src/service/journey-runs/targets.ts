import { modelOf, serversOfClient } from '../clients/records.ts'
import { requireEnvironment } from '../environments/records.ts'
import { resolveEnvironment } from '../environments/resolution.ts'
import { ServiceError } from '../core/errors.ts'
import type { ClientRow } from '../clients/rows.ts'
import type { JourneyTarget } from './rows.ts'
import type { JourneyRow } from '../journeys/rows.ts'
import type { ServerRow } from '../servers/rows.ts'
import type { Store } from '../core/database/store.ts'

/** A target with the servers that its sessions reach. */
export type ResolvedTarget = { target: JourneyTarget; servers: ServerRow[] }

/**
 * Resolves where a launch fans out to: the environments it names, else the journey's own, else the clients that the
 * journey is pinned to.
 * @throws ServiceError `NOT_FOUND` for an unknown environment; `CONFLICT` when one cannot run (`details.code` as for
 *   its resolution), when a client is gone or unfit, or when there is no target at all
 */
export function resolveTargets(
  store: Store,
  journey: JourneyRow,
  environmentIds: readonly string[] | undefined,
): ResolvedTarget[] {
  const ids = [...new Set(environmentIds ?? journey.environmentIds)]
  if (ids.length > 0) return ids.map(id => environmentTarget(store, journey.projectId, id))
  if (journey.clientIds.length > 0) return journey.clientIds.map(id => clientTarget(store, journey.projectId, id))
  throw new ServiceError(
    'CONFLICT',
    'The journey has no targets: launch it with environmentIds, or name some in the journey.',
  )
}

function environmentTarget(store: Store, projectId: string, environmentId: string): ResolvedTarget {
  const { environment, client, servers, model } = resolveEnvironment(
    store,
    requireEnvironment(store, projectId, environmentId),
  )
  const { id, name, revision } = environment
  return { target: { ...targetOf(id, client, servers, model.id), environment: { id, name, revision } }, servers }
}

function clientTarget(store: Store, projectId: string, clientId: string): ResolvedTarget {
  const client = store.clients.get(projectId, clientId)
  if (!client) throw new ServiceError('CONFLICT', `The client ${clientId} of the journey was deleted.`)
  const modelId = modelOf(client.config)
  if (modelId === undefined)
    throw new ServiceError('CONFLICT', `The client "${client.name}" of the journey names no model.`)
  const servers = serversOfClient(store, client)
  if (servers.length === 0)
    throw new ServiceError('CONFLICT', `The client "${client.name}" of the journey has no servers.`)
  return { target: targetOf(client.id, client, servers, modelId), servers }
}

function targetOf(
  targetId: string,
  { id, name, config }: ClientRow,
  servers: readonly ServerRow[],
  modelId: string,
): JourneyTarget {
  const { systemPrompt, temperature } = config
  return {
    targetId,
    hostId: id,
    hostName: name,
    modelId,
    ...(typeof systemPrompt === 'string' && { systemPrompt }),
    ...(typeof temperature === 'number' && { temperature }),
    servers: servers.map(server => ({ id: server.id, name: server.name })),
  }
}
