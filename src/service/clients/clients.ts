import type * as z from 'zod'
import type { ClientCreateRequest, ClientUpdateRequest, Client, ClientDetail } from '../../api/contract/clients.ts'
import { ServiceError } from '../core/errors.ts'
import { digest, newId } from '../core/ids.ts'
import type { ServerRow } from '../servers/rows.ts'
import type { Store } from '../core/database/store.ts'
import { requireFreeName, requireNotBlank, recordHandlers } from '../core/record-handlers.ts'
import { invalidField } from '../core/validation.ts'
import type { Database } from '../../lib/sqlite.ts'
import { json, tableOf } from '../core/database/table.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

/** The settings of a client. The contract does not define them; conversations and runs read a few fields. */
type ClientConfig = Record<string, unknown>

export type ClientRow = {
  id: string
  projectId: string
  name: string
  /** Digest of `config`, so that clients with equal settings have equal ids. */
  configId: string
  config: ClientConfig
  createdAt: number
  updatedAt: number
}

export function createClientRows(database: Database) {
  const clients = tableOf<ClientRow>(database, 'client', { kinds: { config: json() } })
  return {
    ...clients.basics,
    findByName: (projectId: string, name: string) => clients.one({ projectId, name }),
    list: (projectId: string) => clients.all({ projectId }, 'ORDER BY id'),
    /** Returns the client for launches that name none: the first client of the project that is not a sample. */
    standard: (projectId: string) =>
      clients.one({ projectId }, 'AND id NOT IN (SELECT recordId FROM sample) ORDER BY createdAt, id LIMIT 1'),
    delete: clients.delete,
  }
}

type ClientEdit = z.output<typeof ClientUpdateRequest>

const SERVER_LISTS = ['serverIds', 'optionalServerIds'] as const
const DIGEST_LENGTH = 32

/** Finds a client by name, else by id. @throws ServiceError `NOT_FOUND` */
export function findClient(store: Store, projectId: string, wanted: string): ClientRow {
  return store.clients.findByName(projectId, wanted) ?? store.clients.require(projectId, wanted)
}

/**
 * Creates a client from a template or from a config, which is stored unchanged.
 * @throws ServiceError `CONFLICT` when the name is taken, `VALIDATION_ERROR` for a blank name or unreadable servers
 */
export function insertClient(
  store: Store,
  projectId: string,
  { name, template, theme, config }: z.output<typeof ClientCreateRequest>,
  now: number = Date.now(),
): ClientRow {
  const content = { name, config: template ? configOfTemplate(template, theme) : (config ?? {}) }
  return insertConfig(store, projectId, content, now)
}

/**
 * Edits a client; the config is replaced as a whole.
 * @throws ServiceError `CONFLICT` with the current state if it has changed, or for a taken name; `VALIDATION_ERROR` if
 * the model would be removed
 */
function updateClient(store: Store, row: ClientRow, edit: ClientEdit): ClientRow {
  requireExpected(row, 'expectedConfigId', edit.expectedConfigId, row.configId)
  requireExpected(row, 'expectedName', edit.expectedName, row.name)
  if (edit.name !== undefined && edit.name !== row.name) requireUsableName(store, row.projectId, edit.name)
  if (edit.config && modelOf(row.config) !== undefined && modelOf(edit.config) === undefined)
    throw invalidField('config.modelId', 'the model of a client cannot be removed')
  return writeConfig(store, { ...row, name: edit.name ?? row.name }, edit.config ?? row.config)
}

/** Replaces both server lists of a client and nothing else. @throws ServiceError `NOT_FOUND` for an unknown server */
function setClientServers(
  store: Store,
  row: ClientRow,
  { serverIds, optionalServerIds = [] }: { serverIds: string[]; optionalServerIds?: string[] | undefined },
): ClientRow {
  for (const id of [...serverIds, ...optionalServerIds])
    if (!store.servers.get(row.projectId, id))
      throw new ServiceError('NOT_FOUND', `There is no server ${id} in this project.`)
  return writeConfig(store, row, { ...row.config, serverIds, optionalServerIds })
}

/** Copies a client with the same config. Without a given name the copy gets an unused one. */
function duplicateClient(store: Store, row: ClientRow, body: { name?: string | undefined } = {}): ClientRow {
  const content = { name: body.name ?? freeName(store, row), config: row.config }
  return insertConfig(store, row.projectId, content, Date.now())
}

/**
 * Deletes a client. With `force`, environments that use the client remain but cannot run, and suites no longer name the
 * client.
 * @throws ServiceError `CONFLICT` without `force`, if environments or suites use it
 */
function deleteClient(store: Store, row: ClientRow, { force = false }: { force?: boolean | undefined } = {}) {
  const environmentIds = store.environments.listByClient(row.projectId, row.id).map(({ id }) => id)
  const suites = store.suites
    .list(row.projectId)
    .filter(({ settings }) => settings.clients?.some(({ clientId }) => clientId === row.id))
  if (!force && environmentIds.length + suites.length > 0)
    throw new ServiceError('CONFLICT', 'Environments or suites still refer to this client.', {
      details: { environmentIds, suiteIds: suites.map(({ id }) => id) },
    })
  for (const suite of suites) {
    const clients = suite.settings.clients?.filter(({ clientId }) => clientId !== row.id)
    store.suites.update({ ...suite, settings: { ...suite.settings, clients } })
  }
  store.clients.delete(row.id)
  return { id: row.id, deleted: true }
}

export function modelOf({ modelId }: ClientConfig): string | undefined {
  return typeof modelId === 'string' && modelId.trim() !== '' ? modelId : undefined
}

/** Returns the server lists of a config as text that can be compared. An absent list counts as empty. */
export function serverListsOf(config: ClientConfig): string {
  return JSON.stringify(SERVER_LISTS.map(list => config[list] ?? []))
}

/** Returns the client's servers that still exist, the required ones first. */
export function serversOfClient(store: Store, { projectId, config }: ClientRow): ServerRow[] {
  const ids = SERVER_LISTS.flatMap(list => (config[list] as string[] | undefined) ?? [])
  return [...new Set(ids)].flatMap(id => store.servers.get(projectId, id) ?? [])
}

function insertConfig(
  store: Store,
  projectId: string,
  { name, config }: Pick<ClientRow, 'name' | 'config'>,
  now: number,
): ClientRow {
  requireUsableName(store, projectId, name)
  requireServerLists(config)
  const row = { id: newId('cli'), projectId, name, configId: configIdOf(config), config }
  const complete = { ...row, createdAt: now, updatedAt: now }
  store.clients.insert(complete)
  return complete
}

function writeConfig(store: Store, row: ClientRow, config: ClientConfig): ClientRow {
  requireServerLists(config)
  const updated = { ...row, config, configId: configIdOf(config), updatedAt: Date.now() }
  store.clients.update(updated)
  return updated
}

function configIdOf(config: ClientConfig): string {
  return `cfg_${digest(config).slice(0, DIGEST_LENGTH)}`
}

function requireExpected(
  { id, name, configId }: ClientRow,
  field: string,
  expected: string | undefined,
  actual: string,
): void {
  if (expected === undefined || expected === actual) return
  throw new ServiceError('CONFLICT', 'The client was changed after it was read.', {
    details: { field, current: { id, name, configId } },
  })
}

function requireUsableName(store: Store, projectId: string, name: string): void {
  requireNotBlank('name', name)
  requireFreeName(store.clients, 'a client', projectId, name)
}

function freeName(store: Store, { projectId, name }: ClientRow): string {
  for (let copy = 1; ; copy += 1) {
    const candidate = copy === 1 ? `${name} copy` : `${name} copy ${copy}`
    if (!store.clients.findByName(projectId, candidate)) return candidate
  }
}

/**
 * Checks the server lists of a config. The contract does not define the document, but a run must be able to read the
 * lists.
 */
function requireServerLists(config: ClientConfig): void {
  for (const list of SERVER_LISTS) {
    const ids = config[list]
    const readable = ids === undefined || (Array.isArray(ids) && ids.every(id => typeof id === 'string'))
    if (!readable) throw invalidField(`config.${list}`, 'must be a list of server ids')
  }
}

type Template = NonNullable<z.output<typeof ClientCreateRequest>['template']>
type Theme = NonNullable<z.output<typeof ClientCreateRequest>['theme']>

/** The initial model of each kind of client; a config may name another one. */
const MODELS: Readonly<Record<Template, string>> = {
  mcpjam: 'openai/gpt-5',
  claude: 'anthropic/claude-sonnet-4.5',
  'claude-code': 'anthropic/claude-sonnet-4.5',
  chatgpt: 'openai/gpt-5',
  mistral: 'mistral/mistral-large-latest',
  cursor: 'anthropic/claude-sonnet-4.5',
  codex: 'openai/gpt-5',
  copilot: 'openai/gpt-5',
  vscode: 'openai/gpt-5',
  agentcore: 'anthropic/claude-sonnet-4.5',
  n8n: 'openai/gpt-5',
  perplexity: 'perplexity/sonar-pro',
}

/** Returns the config of a template, which has no servers yet. */
export function configOfTemplate(template: Template, theme: Theme = 'light'): ClientConfig {
  return { hostStyle: template, theme, modelId: MODELS[template], serverIds: [], optionalServerIds: [] }
}

export function clientHandlers({ store }: ServiceContext): Handlers['clients'] {
  const { write, ...handlers } = recordHandlers(store, 'clients', {
    rows: store.clients,
    list: { all: store.clients.list },
    toItem: toClientDetail,
    toListed: row => toClient(store, row),
    insert: insertClient,
    update: updateClient,
  })
  return {
    ...handlers,
    duplicate: write((row, body) => toClientDetail(duplicateClient(store, row, body))),
    delete: write((row, body) => deleteClient(store, row, body)),
  }
}

/**
 * Handles the former paths, whose answers differ from those of the new ones: list rows have `hostConfigId`, and details
 * have no config id.
 */
export function hostHandlers({ store }: ServiceContext): Handlers['hosts'] {
  const { write, ...handlers } = recordHandlers(store, 'hosts', {
    rows: store.clients,
    list: { all: store.clients.list },
    toItem: toHostDetail,
    toListed(row) {
      const { configId, ...client } = toClient(store, row)
      return { ...client, hostConfigId: configId }
    },
    insert: insertClient,
    update: updateClient,
  })
  return {
    ...handlers,
    setServers: write((row, body) => toHostDetail(setClientServers(store, row, body))),
    duplicate: write((row, body) => toHostDetail(duplicateClient(store, row, body))),
    delete: write((row, body) => deleteClient(store, row, body)),
  }
}

function toClient(store: Store, row: ClientRow): Client {
  const { id, name, configId, config, createdAt, updatedAt } = row
  const serverCount = serversOfClient(store, row).length
  return { id, name, configId, modelId: modelOf(config) ?? null, serverCount, createdAt, updatedAt }
}

function toClientDetail({ id, name, configId, config }: ClientRow): ClientDetail {
  return { id, name, configId, config }
}

function toHostDetail({ id, name, config }: ClientRow): ClientDetail {
  return { id, name, config }
}
