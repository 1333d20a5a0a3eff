import { listQuery, queryCursor } from './cursor-list.ts'
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
import { page } from './shapes.ts'

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
  list: endpoint({
    operation: 'listClients',
    method: 'GET',
    path: clientCollection,
    summary: 'Clients saved in a project.',
    query: listQuery,
    response: page(Client),
    risk: 'read',
    cursor: queryCursor,
    source: 'prose',
  }),
  create: endpoint({
    operation: 'createClient',
    method: 'POST',
    path: clientCollection,
    summary: 'Add a client, from a template or a complete config.',
    body: ClientCreateRequest,
    status: 201,
    response: ClientDetail,
    errors: ['VALIDATION_ERROR', 'CONFLICT'],
    risk: 'write',
    refreshes: clientReaders,
    source: 'prose',
  }),
  get: endpoint({
    operation: 'getClient',
    method: 'GET',
    path: client,
    summary: 'One client with its resolved configuration.',
    response: ClientDetail,
    risk: 'read',
    source: 'prose',
  }),
  update: endpoint({
    operation: 'updateClient',
    method: 'PATCH',
    path: client,
    summary: "Change a client's name, its config, or both, unless somebody else did in between.",
    body: ClientUpdateRequest,
    response: ClientDetail,
    errors: ['VALIDATION_ERROR', 'CONFLICT'],
    risk: 'write',
    refreshes: clientReaders,
    source: 'prose',
  }),
  delete: endpoint({
    operation: 'deleteClient',
    method: 'DELETE',
    path: client,
    summary: 'Drop a client; force overrides remaining references.',
    body: ClientDeleteRequest,
    response: Deleted,
    errors: ['VALIDATION_ERROR', 'CONFLICT'],
    risk: 'delete',
    refreshes: clientReaders,
    source: 'prose',
  }),
  duplicate: endpoint({
    operation: 'duplicateClient',
    method: 'POST',
    path: `${client}/duplicate`,
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
  list: endpoint({
    operation: 'listHosts',
    method: 'GET',
    path: hostCollection,
    summary: 'Clients saved in a project, under their former name.',
    query: listQuery,
    response: page(Client),
    risk: 'read',
    cursor: queryCursor,
    deprecated: true,
    source: 'openapi',
  }),
  create: endpoint({
    operation: 'createHost',
    method: 'POST',
    path: hostCollection,
    summary: 'Add a client, from a template or a complete config.',
    body: ClientCreateRequest,
    status: 201,
    response: ClientDetail,
    errors: ['VALIDATION_ERROR'],
    risk: 'write',
    refreshes: hostReaders,
    deprecated: true,
    source: 'openapi',
  }),
  get: endpoint({
    operation: 'getHost',
    method: 'GET',
    path: host,
    summary: 'One client with its resolved configuration.',
    response: ClientDetail,
    risk: 'read',
    deprecated: true,
    source: 'openapi',
  }),
  update: endpoint({
    operation: 'updateHost',
    method: 'PATCH',
    path: host,
    summary: "Change a client's name, its config, or both; overwrites a concurrent edit.",
    body: HostUpdateRequest,
    response: ClientDetail,
    errors: ['VALIDATION_ERROR'],
    risk: 'write',
    refreshes: hostReaders,
    deprecated: true,
    source: 'openapi',
  }),
  delete: endpoint({
    operation: 'deleteHost',
    method: 'DELETE',
    path: host,
    summary: 'Drop a client; force overrides remaining references.',
    body: ClientDeleteRequest,
    response: Deleted,
    errors: ['VALIDATION_ERROR'],
    risk: 'delete',
    refreshes: hostReaders,
    deprecated: true,
    source: 'openapi',
  }),
  setServers: endpoint({
    operation: 'setHostServers',
    method: 'POST',
    path: `${host}/servers`,
    summary: "Replace a client's required and optional server lists.",
    body: HostServersRequest,
    response: ClientDetail,
    errors: ['VALIDATION_ERROR'],
    risk: 'write',
    role: 'admin',
    refreshes: hostReaders,
    deprecated: true,
    source: 'openapi',
  }),
  duplicate: endpoint({
    operation: 'duplicateHost',
    method: 'POST',
    path: `${host}/duplicate`,
    summary: 'Copy a client; the copy points at the same config.',
    body: ClientDuplicateRequest,
    status: 201,
    response: ClientDetail,
    errors: ['VALIDATION_ERROR'],
    risk: 'write',
    role: 'admin',
    refreshes: hostReaders,
    deprecated: true,
    source: 'openapi',
  }),
})
