import type * as z from 'zod'
import type {
  AdhocEnvironmentRequest,
  Environment,
  EnvironmentCreateRequest,
  EnvironmentNameRequest,
  EnvironmentUpdateRequest,
  EnvironmentResolved,
} from '../../api/contract/environments.ts'
import { modelOf, serversOfClient, type ClientRow } from '../clients/clients.ts'
import { ServiceError } from '../core/errors.ts'
import { digest, newId } from '../core/ids.ts'
import type { Store } from '../core/database/store.ts'
import { requireFreeName, requireNotBlank, recordHandlers } from '../core/record-handlers.ts'
import type { ServerRow } from '../servers/rows.ts'
import type { Database } from '../../lib/sqlite.ts'
import { tableOf } from '../core/database/table.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

export type EnvironmentRow = {
  id: string
  projectId: string
  /** Null for an unnamed environment, which is found by its content instead. */
  name: string | null
  description: string | null
  /** The id of the client, which may have been deleted in the meantime. */
  clientId: string
  /** Null for the model of the client. */
  modelId: string | null
  /** Digest of the content, set only for unnamed environments. */
  contentDigest: string | null
  /** Increases by one with every change. */
  revision: number
  archivedAt: number | null
  createdAt: number
  updatedAt: number
}

export function createEnvironmentRows(database: Database) {
  const environments = tableOf<EnvironmentRow>(database, 'environment')
  const live = { archivedAt: null }
  return {
    ...environments.basics,
    findByName: (projectId: string, name: string) => environments.one({ projectId, name, ...live }),
    /** Returns the unnamed environment with this content, unless it is archived. */
    findByContent: (projectId: string, contentDigest: string) =>
      environments.one({ projectId, contentDigest, ...live }),
    /** Returns named environments, oldest first. */
    list: (projectId: string, includeArchived: boolean) =>
      environments.all({ projectId, ...(!includeArchived && live) }, 'AND name IS NOT NULL ORDER BY id'),
    /** Returns a client's environments that are not archived, including unnamed ones. */
    listByClient: (projectId: string, clientId: string) =>
      environments.all({ projectId, clientId, ...live }, 'ORDER BY id'),
  }
}

type Content = z.output<typeof AdhocEnvironmentRequest>
type Edit = z.output<typeof EnvironmentUpdateRequest>
type Naming = z.output<typeof EnvironmentNameRequest>

/** Saves a named environment in the caller's transaction. @throws ServiceError `NOT_FOUND`, `CONFLICT` */
export function insertEnvironment(
  store: Store,
  projectId: string,
  { name, description, ...content }: z.output<typeof EnvironmentCreateRequest>,
  now: number = Date.now(),
): EnvironmentRow {
  requireUsableName(store, projectId, name)
  requireParts(store, projectId, content)
  const named = { name, description: description || null, contentDigest: null }
  return insert(store, projectId, content, named, now)
}

/** Returns the unnamed environment with this content, or creates it. @throws ServiceError `NOT_FOUND` */
function ensureAdhocEnvironment(
  store: Store,
  projectId: string,
  content: Content,
): { row: EnvironmentRow; created: boolean } {
  requireParts(store, projectId, content)
  const { hostId, modelId = null } = content
  const contentDigest = digest({ hostId, modelId })
  const known = store.environments.findByContent(projectId, contentDigest)
  if (known) return { row: known, created: false }
  const fields = { name: null, description: null, contentDigest }
  return { row: insert(store, projectId, content, fields, Date.now()), created: true }
}

/**
 * Edits a named environment; null clears a field. @throws ServiceError `CONFLICT` if the revision is outdated, the
 * environment archived or unnamed, or the name taken
 */
function updateEnvironment(store: Store, row: EnvironmentRow, edit: Edit): EnvironmentRow {
  requireRevision(row, edit.expectedRevision)
  requireLive(row)
  if (row.name === null)
    throw new ServiceError('CONFLICT', 'A nameless environment cannot be edited. Give it a name first.')
  if (edit.name !== undefined && edit.name !== row.name) requireUsableName(store, row.projectId, edit.name)
  requireParts(store, row.projectId, edit)
  return advance(store, row, {
    name: edit.name ?? row.name,
    description: (edit.description ?? row.description) || null,
    clientId: edit.hostId ?? row.clientId,
    modelId: edit.modelId === undefined ? row.modelId : edit.modelId,
  })
}

/** Names an unnamed environment. Afterwards its content may change, so it is no longer found by its content. */
function nameEnvironment(store: Store, row: EnvironmentRow, naming: Naming): EnvironmentRow {
  requireRevision(row, naming.expectedRevision)
  requireLive(row)
  if (row.name !== null)
    throw new ServiceError('CONFLICT', `The environment has a name already: "${row.name}".`, {
      details: { field: 'name' },
    })
  requireUsableName(store, row.projectId, naming.name)
  const { name, description } = naming
  return advance(store, row, { name, description: description || null, contentDigest: null })
}

/** Archives an environment. Its name and its content can be used again afterwards. @throws ServiceError `CONFLICT` */
function archiveEnvironment(store: Store, row: EnvironmentRow, revision: number): EnvironmentRow {
  requireRevision(row, revision)
  requireLive(row)
  return advance(store, row, { archivedAt: Date.now() })
}

/** Restores an archived environment. @throws ServiceError `CONFLICT` if its name or its content is taken now */
function restoreEnvironment(store: Store, row: EnvironmentRow, revision: number): EnvironmentRow {
  requireRevision(row, revision)
  if (row.archivedAt === null) throw new ServiceError('CONFLICT', 'The environment is not archived.')
  if (row.name !== null) requireUsableName(store, row.projectId, row.name)
  if (row.contentDigest !== null && store.environments.findByContent(row.projectId, row.contentDigest))
    throw new ServiceError('CONFLICT', 'Another nameless environment has the same content.')
  return advance(store, row, { archivedAt: null })
}

/** @throws ServiceError `CONFLICT` with `ENV_ARCHIVED` */
export function requireLive({ id, archivedAt }: EnvironmentRow): void {
  if (archivedAt === null) return
  throw new ServiceError('CONFLICT', 'The environment is archived.', {
    details: { code: 'ENV_ARCHIVED', environmentId: id },
  })
}

function toEnvironment(row: EnvironmentRow): Environment {
  const { id, projectId, name, description, clientId, modelId, revision, archivedAt } = row
  return {
    id,
    projectId,
    name,
    ...(name === null && { adhoc: true }),
    ...(description !== null && { description }),
    hostId: clientId,
    ...(modelId !== null && { modelId }),
    revision,
    archived: archivedAt !== null,
    ...(archivedAt !== null && { archivedAt }),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

type Named = Pick<EnvironmentRow, 'name' | 'description' | 'contentDigest'>

function insert(
  store: Store,
  projectId: string,
  { hostId, modelId }: Content,
  named: Named,
  now: number,
): EnvironmentRow {
  const row: EnvironmentRow = {
    id: newId('env'),
    projectId,
    ...named,
    clientId: hostId,
    modelId: modelId ?? null,
    revision: 1,
    archivedAt: null,
    createdAt: now,
    updatedAt: now,
  }
  store.environments.insert(row)
  return row
}

function advance(store: Store, row: EnvironmentRow, change: Partial<EnvironmentRow>): EnvironmentRow {
  const updated = { ...row, ...change, revision: row.revision + 1, updatedAt: Date.now() }
  store.environments.update(updated)
  return updated
}

function requireRevision(row: EnvironmentRow, expectedRevision: number): void {
  if (row.revision === expectedRevision) return
  throw new ServiceError('CONFLICT', `The environment was changed after it was read (revision ${row.revision} now).`, {
    details: { field: 'expectedRevision', current: toEnvironment(row) },
  })
}

function requireUsableName(store: Store, projectId: string, name: string): void {
  requireNotBlank('name', name)
  requireFreeName(store.environments, 'an environment', projectId, name)
}

/**
 * Checks the parts of an environment. Server groups, skills, plugins and images cannot exist here, so they are refused.
 */
function requireParts(store: Store, projectId: string, parts: Partial<Content> | Edit): void {
  if (parts.hostId !== undefined) store.clients.require(projectId, parts.hostId)
  requireNotBlank('modelId', parts.modelId)
  const unknown =
    (parts.serverAttachmentId != null && `server group ${parts.serverAttachmentId}`) ||
    (parts.skillSelection && `skill ${parts.skillSelection.skillIds[0]}`) ||
    (parts.pluginVersionIds && `plugin version ${parts.pluginVersionIds[0]}`) ||
    (parts.sandboxImageId != null && `sandbox image ${parts.sandboxImageId}`)
  if (unknown) throw new ServiceError('NOT_FOUND', `There is no ${unknown} in this project.`)
}

/** A list in an edit. Absent means unchanged, `null` means empty. */
type Wanted = readonly string[] | null | undefined

/**
 * Returns the environments of a swarm or journey. Environments that it named before may be archived. @throws
 * ServiceError `NOT_FOUND`, `CONFLICT`
 */
export function namedEnvironments(
  store: Store,
  projectId: string,
  wanted: Wanted,
  before: readonly string[] = [],
): string[] {
  return eachOnce(wanted, before, (id, isNew) => {
    const row = store.environments.require(projectId, id)
    if (isNew) requireLive(row)
  })
}

/** Returns the clients of a journey. Clients that it named before may be deleted. @throws ServiceError `NOT_FOUND` */
export function namedClients(
  store: Store,
  projectId: string,
  wanted: Wanted,
  before: readonly string[] = [],
): string[] {
  return eachOnce(wanted, before, (id, isNew) => void (isNew && store.clients.require(projectId, id)))
}

function eachOnce(wanted: Wanted, before: readonly string[], check: (id: string, isNew: boolean) => void): string[] {
  if (wanted === undefined) return [...before]
  const ids = [...new Set(wanted)]
  for (const id of ids) check(id, !before.includes(id))
  return ids
}

/** Refuses every server group, since the API cannot create any. @throws ServiceError `NOT_FOUND` */
export function refuseServerGroup(serverAttachmentId: string | null | undefined): void {
  if (serverAttachmentId == null) return
  throw new ServiceError(
    'NOT_FOUND',
    `There is no server group ${serverAttachmentId} in this project; name an environment instead.`,
  )
}

/** The settings that a run of the environment would have if it started now. */
export type Resolution = {
  environment: EnvironmentRow
  client: ClientRow
  servers: ServerRow[]
  model: { id: string; source: 'environment' | 'host' }
}

/**
 * Resolves an environment in the same way as a launch.
 * @throws ServiceError `CONFLICT` with `details.code`: `ENV_ARCHIVED`, `ENV_HOST_MISSING`, `ENV_MODEL_REQUIRED`,
 * `ENV_NO_SERVERS`
 */
export function resolveEnvironment(store: Store, environment: EnvironmentRow): Resolution {
  requireLive(environment)
  const { id, projectId, clientId, modelId } = environment
  const client = store.clients.get(projectId, clientId)
  if (!client) throw notRunnable(id, 'ENV_HOST_MISSING', 'The client of the environment was deleted.')
  const modelOfClient = modelOf(client.config)
  const effective = modelId ?? modelOfClient
  if (effective === undefined)
    // The contract defines two keys for this reason (differences, row 29).
    throw notRunnable(id, 'ENV_MODEL_REQUIRED', 'Neither the environment nor its client names a model.', {
      reason: 'environment_model_required',
    })
  const servers = serversOfClient(store, client)
  if (servers.length === 0) throw notRunnable(id, 'ENV_NO_SERVERS', 'The client of the environment has no servers.')
  const source = modelId === null ? 'host' : 'environment'
  return { environment, client, servers, model: { id: effective, source } }
}

function toEnvironmentResolved({ environment, client, servers, model }: Resolution): EnvironmentResolved {
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

export function environmentHandlers({ store }: ServiceContext): Handlers['environments'] {
  const { write, ...handlers } = recordHandlers(store, 'environments', {
    rows: store.environments,
    list: { all: (projectId, { includeArchived = false }) => store.environments.list(projectId, includeArchived) },
    toItem: toEnvironment,
    insert: insertEnvironment,
    update: updateEnvironment,
  })
  return {
    ...handlers,
    capabilities: () => ({ modelOverrides: true, modelMatrix: false, secretGrants: false }),
    name: write((row, body) => toEnvironment(nameEnvironment(store, row, body))),
    archive: write((row, body) => toEnvironment(archiveEnvironment(store, row, body.expectedRevision))),
    restore: write((row, body) => toEnvironment(restoreEnvironment(store, row, body.expectedRevision))),
    resolve: ({ project, params }) =>
      store.read(() => {
        const row = store.environments.require(project.id, params.environmentId)
        return toEnvironmentResolved(resolveEnvironment(store, row))
      }),
    ensureAdhoc: ({ project, body }) =>
      store.write(() => {
        const { row, created } = ensureAdhocEnvironment(store, project.id, body)
        return { environment: toEnvironment(row), created }
      }),
  }
}
