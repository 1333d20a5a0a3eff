import { listOf, anyField, exactlyOne, needs, openObject, record, shape, strictBody, timestamp } from './shapes.ts'
import { endpoint, resource } from './endpoint.ts'
import { Deleted } from './projects.ts'
import * as z from 'zod'

/** `configId` in the prose document, `hostConfigId` in list rows of the OpenAPI file (differences, row 2). */
const configIds = () => ({ configId: z.string().nullish(), hostConfigId: z.string().nullish() })

/** A client as the list shows it: a named way to connect to and use MCP servers. */
export const Client = shape(() =>
  record({
    id: z.string(),
    name: z.string(),
    ...configIds(),
    modelId: z.string().nullish(),
    serverCount: z.number().nullish(),
    createdAt: timestamp().nullish(),
    updatedAt: timestamp().nullish(),
  }),
)
export type Client = z.infer<typeof Client>

/** A client with its configuration, of which only `modelId` is documented. */
export const ClientDetail = shape(() =>
  record({ id: z.string(), name: z.string(), ...configIds(), config: openObject() }),
)
export type ClientDetail = z.infer<typeof ClientDetail>

/**
 * Returns what to send as `expectedConfigId`. Without it a config edit would overwrite other changes (differences, row
 * 2).
 */
export function configIdOf(client: Pick<Client, 'configId' | 'hostConfigId'>): string | undefined {
  return client.configId ?? client.hostConfigId ?? undefined
}

export const CLIENT_TEMPLATES = [
  'mcpjam',
  'claude',
  'claude-code',
  'chatgpt',
  'mistral',
  'cursor',
  'codex',
  'copilot',
  'vscode',
  'agentcore',
  'n8n',
  'perplexity',
] as const

/** A whole configuration, which replaces the stored one and is never empty. */
const config = shape(() =>
  openObject().refine(fields => Object.keys(fields).length > 0, { error: 'must not be empty' }),
)

export const ClientCreateRequest = shape(() =>
  strictBody({
    name: z.string(),
    template: z.enum(CLIENT_TEMPLATES).optional(),
    theme: z.enum(['light', 'dark']).optional(),
    config: z.looseObject({ modelId: z.string().min(1).regex(/\S/) }).optional(),
  })
    .refine(...exactlyOne('template', 'config'))
    .refine(...needs('theme', 'template')),
)

const editFields = () => ({ name: z.string().optional(), config: config().optional() })

/** The edit of the deprecated paths, which lack `expectedConfigId` and `expectedName`. */
export const HostUpdateRequest = shape(() => strictBody(editFields()).refine(...anyField))

/**
 * An edit with compare-and-set: each change includes the state that its writer read, so that a concurrent edit is
 * refused.
 */
export const ClientUpdateRequest = shape(() =>
  strictBody({ ...editFields(), expectedConfigId: z.string().optional(), expectedName: z.string().optional() })
    .refine(body => body.name !== undefined || body.config !== undefined, { error: 'send a name, a config or both' })
    .refine(...needs('config', 'expectedConfigId'))
    .refine(...needs('name', 'expectedName')),
)

/** `force` deletes a client even if something refers to it. */
export const ClientDeleteRequest = shape(() => strictBody({ force: z.boolean().optional() }).optional())

export const ClientDuplicateRequest = shape(() => strictBody({ name: z.string().min(1).optional() }).optional())

/** Replaces both lists. Optional servers are attached, but need not be connected. */
export const HostServersRequest = shape(() =>
  strictBody({ serverIds: z.array(z.string()), optionalServerIds: z.array(z.string()).optional() }),
)

/**
 * Segment of the client paths, which the prose document never shows. A 404 on a read means that the deployment has only
 * {@link HOSTS_SEGMENT} (differences, row 1).
 */
export const CLIENTS_SEGMENT = 'clients'
/** Segment of the deprecated aliases. */
export const HOSTS_SEGMENT = 'hosts'

const clientCollection = `/projects/{projectId}/${CLIENTS_SEGMENT}` as const
const client = `${clientCollection}/{clientId}` as const
const hostCollection = `/projects/{projectId}/${HOSTS_SEGMENT}` as const
const host = `${hostCollection}/{hostId}` as const

/** Environments refer to clients, suites name their clients, and both paths show the same records. */
const clientReaders = ['hosts', 'environments', 'suites'] as const
const hostReaders = ['clients', 'environments', 'suites'] as const

const changing = {
  response: ClientDetail,
  errors: ['VALIDATION_ERROR', 'CONFLICT'],
  risk: 'write',
  refreshes: clientReaders,
  source: 'prose',
} as const

/** Bodies and answers except the edit follow the deprecated paths, since only these are documented. */
export const clients = resource('clients', {
  list: endpoint('listClients', 'GET', clientCollection, {
    summary: 'Clients saved in a project.',
    ...listOf(Client),
    source: 'prose',
  }),
  create: endpoint('createClient', 'POST', clientCollection, {
    ...changing,
    summary: 'Add a client, from a template or a complete config.',
    body: ClientCreateRequest,
    status: 201,
  }),
  get: endpoint('getClient', 'GET', client, {
    summary: 'One client with its resolved configuration.',
    response: ClientDetail,
    source: 'prose',
  }),
  update: endpoint('updateClient', 'PATCH', client, {
    ...changing,
    summary: "Change a client's name, its config, or both, unless someone else did in between.",
    body: ClientUpdateRequest,
  }),
  delete: endpoint('deleteClient', 'DELETE', client, {
    summary: 'Drop a client; force overrides remaining references.',
    body: ClientDeleteRequest,
    response: Deleted,
    errors: ['VALIDATION_ERROR', 'CONFLICT'],
    risk: 'delete',
    refreshes: clientReaders,
    source: 'prose',
  }),
  duplicate: endpoint('duplicateClient', 'POST', `${client}/duplicate`, {
    ...changing,
    summary: 'Copy a client; the copy points at the same config.',
    body: ClientDuplicateRequest,
    status: 201,
    role: 'admin',
  }),
})

const changingHost = { response: ClientDetail, risk: 'write', refreshes: hostReaders } as const

export const hosts = resource('hosts', {
  list: endpoint('listHosts', 'GET', hostCollection, {
    summary: 'Clients saved in a project, under their former name.',
    ...listOf(Client),
  }),
  create: endpoint('createHost', 'POST', hostCollection, {
    ...changingHost,
    summary: 'Add a client, from a template or a complete config.',
    body: ClientCreateRequest,
    status: 201,
  }),
  get: endpoint('getHost', 'GET', host, {
    summary: 'One client with its resolved configuration.',
    response: ClientDetail,
  }),
  update: endpoint('updateHost', 'PATCH', host, {
    ...changingHost,
    summary: "Change a client's name, its config, or both; overwrites a concurrent edit.",
    body: HostUpdateRequest,
  }),
  delete: endpoint('deleteHost', 'DELETE', host, {
    summary: 'Drop a client; force overrides remaining references.',
    body: ClientDeleteRequest,
    response: Deleted,
    risk: 'delete',
    refreshes: hostReaders,
  }),
  setServers: endpoint('setHostServers', 'POST', `${host}/servers`, {
    ...changingHost,
    summary: "Replace a client's required and optional server lists.",
    body: HostServersRequest,
    role: 'admin',
  }),
  duplicate: endpoint('duplicateHost', 'POST', `${host}/duplicate`, {
    ...changingHost,
    summary: 'Copy a client; the copy points at the same config.',
    body: ClientDuplicateRequest,
    status: 201,
    role: 'admin',
  }),
})
