import { launchObstacle, type LaunchObstacle, targetsOf } from '../../domain/runs/launch-rules.ts'
import { modelOf, serversOfClient, type ClientRow } from '../clients/clients.ts'
import { resolveEnvironment } from '../environments/environments.ts'
import { ServiceError } from '../core/errors.ts'
import { requireRow } from '../core/database/table.ts'
import type { ServerRow } from '../servers/rows.ts'
import type { Store } from '../core/database/store.ts'
import type { SuiteRow } from './rows.ts'
import { invalidField } from '../core/validation.ts'
/** The part of a launch request that selects where its cases run. */
export type TargetChoice = {
  environmentId?: string | undefined
  namedHostId?: string | undefined
  serverIds?: string[] | undefined
}

/** An environment and its revision when a run was launched. */
export type TargetEnvironment = { id: string; name: string | null; revision: number }

/** A client as it was at a launch. */
export type TargetClient = {
  /** Null if another program executes the run. */
  id: string | null
  name: string
  source: 'environment' | 'attached_host' | 'suite_default' | 'sdk'
  hostStyle?: string
  modelId?: string
}

/** Where the models of a run come from. */
export type ModelSource = 'case' | 'client_default' | 'override'

export type RunTarget = {
  servers: ServerRow[]
  environment?: TargetEnvironment
  client?: TargetClient
  /** The model of an environment. It is used for every case. */
  model?: { id: string; source: ModelSource }
  /** The model of the client. It is used for cases that name none. */
  defaultModel?: string
}

/**
 * Chooses a target by the contract's "Environment rules" 1 to 4 and 6.
 * @throws ServiceError `VALIDATION_ERROR` with `ENVIRONMENT_NOT_ATTACHED`, `ENVIRONMENT_REQUIRED`,
 * `ENVIRONMENT_SERVERS_NOT_OVERRIDABLE` or `NO_SAVED_SERVER_SELECTION`, `CONFLICT`, `NOT_FOUND`
 */
export function chooseTarget(store: Store, suite: SuiteRow, choice: TargetChoice): RunTarget {
  const { environmentIds, clients = [], serverIds: servers } = suite.settings
  const { environmentId, namedHostId, serverIds } = choice
  const launchable = { environmentIds, hosts: clients.map(({ clientId: id }) => ({ id })), environment: { servers } }
  const launch = {
    environmentIds: environmentId === undefined ? [] : [environmentId],
    clientIds: namedHostId === undefined ? [] : [namedHostId],
    serverIds: serverIds ?? [],
  }
  refuseEnvironments(store, suite, launchObstacle(launchable, launch)?.reason)
  const {
    environmentIds: [environment],
    clientIds: [client],
  } = targetsOf(launchable, launch)
  if (environment !== undefined) return environmentTarget(store, suite.projectId, environment)
  if (client !== undefined) return clientTarget(store, suite, client, serverIds)
  const chosen = someServers(requireServers(store, suite.projectId, serverIds ?? servers))
  const supplied = clients.length === 0 ? store.clients.standard(suite.projectId) : undefined
  return supplied ? { servers: chosen, ...asDefault(supplied, suite) } : { servers: chosen }
}

/**
 * Throws the refusal of a launch because of its environments. Clients and servers are refused later, when they are
 * read.
 */
function refuseEnvironments(store: Store, suite: SuiteRow, reason: LaunchObstacle['reason'] | undefined): void {
  if (reason === 'ENVIRONMENT_NOT_ATTACHED') throw refused('environmentId', 'is not attached to the suite', reason)
  if (reason === 'ENVIRONMENT_SERVERS_NOT_OVERRIDABLE')
    throw refused('serverIds', 'the environments of the suite bring their own servers', reason)
  if (reason !== 'ENVIRONMENT_REQUIRED') return
  const candidates = (suite.settings.environmentIds ?? []).flatMap(id => {
    const row = store.environments.get(suite.projectId, id)
    return row && row.archivedAt === null ? [{ id, name: row.name }] : []
  })
  const message = 'several environments are attached to the suite; name one of them'
  throw refused('environmentId', message, reason, { candidates })
}

/**
 * Returns the settings that a launch takes from a client that it did not name ("Environment rules" 6). The servers and
 * the model of the suite take precedence.
 */
function asDefault(client: ClientRow, { settings }: SuiteRow): Pick<RunTarget, 'client' | 'defaultModel'> {
  const defaultModel = settings.executionConfig?.model === undefined ? modelOf(client.config) : undefined
  return {
    client: snapshotOf(client, 'suite_default', defaultModel),
    ...(defaultModel !== undefined && { defaultModel }),
  }
}

/**
 * Requires that the environment has the same revision as before ("Environment rules" 5).
 * @throws ServiceError `CONFLICT`
 */
export function requireUnchanged({ environment: now }: RunTarget, { environment: before }: RunTarget): void {
  if (now?.id === before?.id && now?.revision === before?.revision) return
  throw new ServiceError('CONFLICT', 'The environment was changed between its resolution and the launch.', {
    details: { resolvedRevision: before?.revision ?? null, revision: now?.revision ?? null },
  })
}

/**
 * Returns the servers that were named by id or name, in the given order.
 * @throws ServiceError `NOT_FOUND` for an unknown server
 */
export function requireServers(store: Store, projectId: string, wanted: readonly string[]): ServerRow[] {
  return [...new Set(wanted)].map(
    name =>
      store.servers.get(projectId, name) ??
      store.servers.findByName(projectId, name) ??
      store.servers.require(projectId, name),
  )
}

/** Checks the names that were sent along with ids. They are not used, but their number must be that of the ids. */
export function requireParallel(ids: readonly string[] | undefined, names: readonly string[] | undefined): void {
  if (names && names.length !== (ids?.length ?? 0))
    throw invalidField('serverNames', 'must have as many entries as serverIds')
}

/** @throws ServiceError `VALIDATION_ERROR` with `NO_SAVED_SERVER_SELECTION` if there is none */
export function someServers(servers: ServerRow[]): ServerRow[] {
  if (servers.length > 0) return servers
  throw new ServiceError('VALIDATION_ERROR', 'The suite has no saved servers; send serverIds.', {
    details: { field: 'serverIds', reason: 'NO_SAVED_SERVER_SELECTION' },
  })
}

function environmentTarget(store: Store, projectId: string, environmentId: string): RunTarget {
  const resolution = resolveEnvironment(store, store.environments.require(projectId, environmentId))
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
  const client = requireRow(store.clients.get(projectId, clientId), `client ${clientId} in this project`)
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
  source: TargetClient['source'],
  modelId: string | undefined,
): TargetClient {
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
