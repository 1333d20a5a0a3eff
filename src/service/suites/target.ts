import { defaultClient, modelOf, serversOfClient } from '../clients/records.ts'
import { requireEnvironment } from '../environments/records.ts'
import { resolveEnvironment } from '../environments/resolution.ts'
import { ServiceError } from '../core/errors.ts'
import { requireServers } from '../servers/records.ts'
import type { ClientRow } from '../store/clients.ts'
import type { RunPlan, RunRow } from '../store/runs.ts'
import type { ServerRow } from '../store/servers.ts'
import type { Store } from '../workspace/store.ts'
import type { SuiteRow } from '../store/suites.ts'
import { invalidField } from '../core/validation.ts'

/** What a launch says about where its cases run. */
export type TargetChoice = {
  environmentId?: string | undefined
  namedHostId?: string | undefined
  serverIds?: string[] | undefined
}

/** Where the cases of a run are executed. */
export type RunTarget = {
  servers: ServerRow[]
  environment?: NonNullable<RunPlan['environment']>
  client?: NonNullable<RunPlan['client']>
  /** The model of an environment: every case runs on it. */
  model?: { id: string; source: NonNullable<RunRow['modelSource']> }
  /** The model of an attached client: for cases that name none. */
  defaultModel?: string
}

/**
 * Chooses by the contract's "Environment rules" 1 to 4: the named or only environment, else the named or only client,
 * else the saved server selection under the project's default client (rule 6).
 * @throws ServiceError `VALIDATION_ERROR` with `ENVIRONMENT_NOT_ATTACHED`, `ENVIRONMENT_REQUIRED`,
 *   `ENVIRONMENT_SERVERS_NOT_OVERRIDABLE` or `NO_SAVED_SERVER_SELECTION`, `CONFLICT` when the environment cannot run,
 *   `NOT_FOUND` for an unknown client or server
 */
export function chooseTarget(store: Store, suite: SuiteRow, choice: TargetChoice): RunTarget {
  const { environmentIds = [], clients = [] } = suite.settings
  const { environmentId, namedHostId, serverIds } = choice
  if (environmentId !== undefined && !environmentIds.includes(environmentId))
    throw refused('environmentId', 'is not attached to the suite', 'ENVIRONMENT_NOT_ATTACHED')
  if (environmentIds.length > 0 && serverIds)
    throw refused(
      'serverIds',
      'the environments of the suite bring their own servers',
      'ENVIRONMENT_SERVERS_NOT_OVERRIDABLE',
    )
  if (namedHostId !== undefined) return clientTarget(store, suite, namedHostId, serverIds)
  const chosen = environmentId ?? soleEnvironment(store, suite)
  if (chosen !== undefined) return environmentTarget(store, suite.projectId, chosen)
  const [only, ...others] = clients
  if (only && others.length === 0) return clientTarget(store, suite, only.clientId, serverIds)
  const servers = someServers(requireServers(store, suite.projectId, serverIds ?? suite.settings.serverIds))
  const supplied = clients.length === 0 ? defaultClient(store, suite.projectId) : undefined
  return supplied ? { servers, ...asDefault(supplied, suite) } : { servers }
}

/** "Environment rules" 6: the client that was not named; the servers and the model that the suite has stay its own. */
function asDefault(client: ClientRow, { settings }: SuiteRow): Pick<RunTarget, 'client' | 'defaultModel'> {
  const defaultModel = settings.executionConfig?.model === undefined ? modelOf(client.config) : undefined
  return {
    client: snapshotOf(client, 'suite_default', defaultModel),
    ...(defaultModel !== undefined && { defaultModel }),
  }
}

/**
 * Holds a launch to the revision that was resolved for it before ("Environment rules" 5).
 * @throws ServiceError `CONFLICT` when the environment was changed in between
 */
export function requireUnchanged({ environment: now }: RunTarget, { environment: before }: RunTarget): void {
  if (now?.id === before?.id && now?.revision === before?.revision) return
  throw new ServiceError('CONFLICT', 'The environment was changed between its resolution and the launch.', {
    details: { resolvedRevision: before?.revision ?? null, revision: now?.revision ?? null },
  })
}

/** @throws ServiceError `VALIDATION_ERROR` with `NO_SAVED_SERVER_SELECTION` when there is none */
export function someServers(servers: ServerRow[]): ServerRow[] {
  if (servers.length > 0) return servers
  throw new ServiceError('VALIDATION_ERROR', 'The suite has no saved servers; send serverIds.', {
    details: { field: 'serverIds', reason: 'NO_SAVED_SERVER_SELECTION' },
  })
}

/** The environment that goes without saying; undefined where none is attached. */
function soleEnvironment(store: Store, { projectId, settings }: SuiteRow): string | undefined {
  const { environmentIds = [] } = settings
  if (environmentIds.length <= 1) return environmentIds[0]
  const candidates = environmentIds.flatMap(id => {
    const row = store.environments.get(projectId, id)
    return row && row.archivedAt === null ? [{ id, name: row.name }] : []
  })
  const message = 'several environments are attached to the suite; name one of them'
  throw refused('environmentId', message, 'ENVIRONMENT_REQUIRED', { candidates })
}

function environmentTarget(store: Store, projectId: string, environmentId: string): RunTarget {
  const resolution = resolveEnvironment(store, requireEnvironment(store, projectId, environmentId))
  const { environment, client, servers, model } = resolution
  const { id, name, revision } = environment
  return {
    servers,
    environment: { id, name, revision },
    client: snapshotOf(client, 'environment', model.id),
    model: { id: model.id, source: model.source === 'environment' ? 'override' : 'client_default' },
  }
}

function clientTarget(
  store: Store,
  { projectId, settings }: SuiteRow,
  clientId: string,
  serverIds: string[] | undefined,
): RunTarget {
  const client = store.clients.get(projectId, clientId)
  if (!client) throw new ServiceError('NOT_FOUND', `There is no client ${clientId} in this project.`)
  const attached = settings.clients?.find(entry => entry.clientId === client.id)
  if (!attached) throw invalidField('namedHostId', 'is not attached to the suite')
  const own = serversOfClient(store, client)
  const named = attached.serverIds?.flatMap(id => store.servers.get(projectId, id) ?? [])
  const servers = serverIds
    ? requireServers(store, projectId, serverIds)
    : (named ?? (own.length > 0 ? own : requireServers(store, projectId, settings.serverIds)))
  const defaultModel = modelOf(client.config)
  return {
    servers: someServers(servers),
    client: snapshotOf(client, 'attached_host', defaultModel),
    ...(defaultModel !== undefined && { defaultModel }),
  }
}

function snapshotOf(
  { id, name, config }: ClientRow,
  source: NonNullable<RunPlan['client']>['source'],
  modelId: string | undefined,
): NonNullable<RunPlan['client']> {
  const { hostStyle } = config
  return {
    id,
    name,
    source,
    ...(typeof hostStyle === 'string' && { hostStyle }),
    ...(modelId !== undefined && { modelId }),
  }
}

function refused(field: string, message: string, reason: string, more: object = {}): ServiceError {
  return invalidField(field, message, { reason, ...more })
}
