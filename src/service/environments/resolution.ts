import type { EnvironmentResolved } from '../../api/contract/environments.ts'
import { modelOf, serversOfClient } from '../clients/records.ts'
import { requireLive } from './records.ts'
import { ServiceError } from '../core/errors.ts'
import type { ClientRow } from '../clients/rows.ts'
import type { EnvironmentRow } from './rows.ts'
import type { ServerRow } from '../servers/rows.ts'
import type { Store } from '../core/database/store.ts'

/** What a run on the environment would use right now. */
export type Resolution = {
  environment: EnvironmentRow
  client: ClientRow
  servers: ServerRow[]
  model: { id: string; source: 'environment' | 'host' }
}

/**
 * Resolves an environment as a launch does.
 * @throws ServiceError `CONFLICT` whose `details.code` says why it cannot run: `ENV_ARCHIVED`, `ENV_HOST_MISSING`,
 *   `ENV_MODEL_REQUIRED`, `ENV_NO_SERVERS`
 */
export function resolveEnvironment(store: Store, environment: EnvironmentRow): Resolution {
  requireLive(environment)
  const { id, projectId, clientId, modelId } = environment
  const client = store.clients.get(projectId, clientId)
  if (!client) throw notRunnable(id, 'ENV_HOST_MISSING', 'The client of the environment was deleted.')
  const modelOfClient = modelOf(client.config)
  const effective = modelId ?? modelOfClient
  if (effective === undefined)
    // The contract puts this one reason under two keys (differences, row 29).
    throw notRunnable(id, 'ENV_MODEL_REQUIRED', 'Neither the environment nor its client names a model.', {
      reason: 'environment_model_required',
    })
  const servers = serversOfClient(store, client)
  if (servers.length === 0) throw notRunnable(id, 'ENV_NO_SERVERS', 'The client of the environment has no servers.')
  const source = modelId === null ? 'host' : 'environment'
  return { environment, client, servers, model: { id: effective, source } }
}

export function toEnvironmentResolved({ environment, client, servers, model }: Resolution): EnvironmentResolved {
  const { id, name, revision, modelId } = environment
  const serverIds = servers.map(server => server.id)
  return {
    environment: { id, name, revision },
    hostId: client.id,
    hostName: client.name,
    hostConfigId: client.configId,
    ...(modelId !== null && { modelId }),
    effectiveModelId: model.id,
    modelSource: model.source,
    selectedServerIds: serverIds,
    effectiveServerIds: serverIds,
    pluginVersions: [],
    servers: servers.map(server => ({ serverId: server.id, name: server.name })),
  }
}

function notRunnable(environmentId: string, code: string, message: string, more: object = {}): ServiceError {
  return new ServiceError('CONFLICT', message, { details: { code, environmentId, ...more } })
}
