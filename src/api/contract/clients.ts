import { listOf } from './cursor-list.ts'
import {
  Client,
  ClientCreateRequest,
  ClientDeleteRequest,
  ClientDetail,
  ClientDuplicateRequest,
  ClientUpdateRequest,
  HostServersRequest,
  HostUpdateRequest,
} from './client-shapes.ts'
import { endpoint, resource } from './endpoint.ts'
import { Deleted } from './projects.ts'

/**
 * Segment of the client paths. The prose document never prints it: this is its noun, to be trusted for
 * writes only after a read on it succeeded; a 404 means the deployment has only {@link HOSTS_SEGMENT}
 * (differences, row 1).
 */
export const CLIENTS_SEGMENT = 'clients'
/** Segment of the deprecated aliases. */
export const HOSTS_SEGMENT = 'hosts'

const clientCollection = `/projects/{projectId}/${CLIENTS_SEGMENT}` as const
const client = `${clientCollection}/{clientId}` as const
const hostCollection = `/projects/{projectId}/${HOSTS_SEGMENT}` as const
const host = `${hostCollection}/{hostId}` as const

/** Environments resolve through a client and suites name theirs, and both paths show the same records. */
const clientReaders = ['hosts', 'environments', 'suites'] as const
const hostReaders = ['clients', 'environments', 'suites'] as const

/** Bodies and answers beside the edit follow the deprecated paths, which alone print any. */
export const clients = resource('clients', {
  list: endpoint('listClients', 'GET', clientCollection, {
    summary: 'Clients saved in a project.',
    ...listOf(Client),
    source: 'prose',
  }),
  create: endpoint('createClient', 'POST', clientCollection, {
    summary: 'Add a client, from a template or a complete config.',
    body: ClientCreateRequest,
    status: 201,
    response: ClientDetail,
    errors: ['VALIDATION_ERROR', 'CONFLICT'],
    risk: 'write',
    refreshes: clientReaders,
    source: 'prose',
  }),
  get: endpoint('getClient', 'GET', client, {
    summary: 'One client with its resolved configuration.',
    response: ClientDetail,
    source: 'prose',
  }),
  update: endpoint('updateClient', 'PATCH', client, {
    summary: "Change a client's name, its config, or both, unless somebody else did in between.",
    body: ClientUpdateRequest,
    response: ClientDetail,
    errors: ['VALIDATION_ERROR', 'CONFLICT'],
    risk: 'write',
    refreshes: clientReaders,
    source: 'prose',
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
    summary: 'Copy a client; the copy points at the same config.',
    body: ClientDuplicateRequest,
    status: 201,
    response: ClientDetail,
    errors: ['VALIDATION_ERROR', 'CONFLICT'],
    risk: 'write',
    role: 'admin',
    refreshes: clientReaders,
    source: 'prose',
  }),
})

export const hosts = resource('hosts', {
  list: endpoint('listHosts', 'GET', hostCollection, {
    summary: 'Clients saved in a project, under their former name.',
    ...listOf(Client),
    deprecated: true,
  }),
  create: endpoint('createHost', 'POST', hostCollection, {
    summary: 'Add a client, from a template or a complete config.',
    body: ClientCreateRequest,
    status: 201,
    response: ClientDetail,
    risk: 'write',
    refreshes: hostReaders,
    deprecated: true,
  }),
  get: endpoint('getHost', 'GET', host, {
    summary: 'One client with its resolved configuration.',
    response: ClientDetail,
    deprecated: true,
  }),
  update: endpoint('updateHost', 'PATCH', host, {
    summary: "Change a client's name, its config, or both; overwrites a concurrent edit.",
    body: HostUpdateRequest,
    response: ClientDetail,
    risk: 'write',
    refreshes: hostReaders,
    deprecated: true,
  }),
  delete: endpoint('deleteHost', 'DELETE', host, {
    summary: 'Drop a client; force overrides remaining references.',
    body: ClientDeleteRequest,
    response: Deleted,
    risk: 'delete',
    refreshes: hostReaders,
    deprecated: true,
  }),
  setServers: endpoint('setHostServers', 'POST', `${host}/servers`, {
    summary: "Replace a client's required and optional server lists.",
    body: HostServersRequest,
    response: ClientDetail,
    risk: 'write',
    role: 'admin',
    refreshes: hostReaders,
    deprecated: true,
  }),
  duplicate: endpoint('duplicateHost', 'POST', `${host}/duplicate`, {
    summary: 'Copy a client; the copy points at the same config.',
    body: ClientDuplicateRequest,
    status: 201,
    response: ClientDetail,
    risk: 'write',
    role: 'admin',
    refreshes: hostReaders,
    deprecated: true,
  }),
})
