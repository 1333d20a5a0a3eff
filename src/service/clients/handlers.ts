import type { Client, ClientDetail } from '../../api/contract/clients.ts'
import {
  deleteClient,
  duplicateClient,
  insertClient,
  modelOf,
  serversOfClient,
  setClientServers,
  updateClient,
} from './records.ts'
import type { ClientRow } from './rows.ts'
import type { Store } from '../core/database/store.ts'
import { pageOf } from '../core/list-page.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

export function clientHandlers({ store }: ServiceContext): Handlers['clients'] {
  const edit = (projectId: string, clientId: string, work: (row: ClientRow) => ClientRow) =>
    store.write(() => toClientDetail(work(store.clients.require(projectId, clientId))))
  return {
    list: ({ project, query }) =>
      store.read(() => {
        const [list, rows] = [`clients/${project.id}`, store.clients.list(project.id)]
        return pageOf(store.cursors, { list, rows, query }, row => toClient(store, row))
      }),
    get: ({ project, params }) => toClientDetail(store.clients.require(project.id, params.clientId)),
    create: ({ project, body }) => store.write(() => toClientDetail(insertClient(store, project.id, body))),
    update: ({ project, params, body }) => edit(project.id, params.clientId, row => updateClient(store, row, body)),
    duplicate: ({ project, params, body }) =>
      edit(project.id, params.clientId, row => duplicateClient(store, row, body?.name)),
    delete: ({ project, params, body }) => remove(store, project.id, params.clientId, body),
  }
}

/** The former paths keep their original shapes: rows say `hostConfigId`, details no id of the config at all. */
export function hostHandlers({ store }: ServiceContext): Handlers['hosts'] {
  const edit = (projectId: string, hostId: string, work: (row: ClientRow) => ClientRow) =>
    store.write(() => toHostDetail(work(store.clients.require(projectId, hostId))))
  return {
    list: ({ project, query }) =>
      store.read(() => {
        const [list, rows] = [`clients/${project.id}`, store.clients.list(project.id)]
        return pageOf(store.cursors, { list, rows, query }, row => {
          const { configId, ...client } = toClient(store, row)
          return { ...client, hostConfigId: configId }
        })
      }),
    get: ({ project, params }) => toHostDetail(store.clients.require(project.id, params.hostId)),
    create: ({ project, body }) => store.write(() => toHostDetail(insertClient(store, project.id, body))),
    update: ({ project, params, body }) => edit(project.id, params.hostId, row => updateClient(store, row, body)),
    setServers: ({ project, params, body }) =>
      edit(project.id, params.hostId, row => setClientServers(store, row, body)),
    duplicate: ({ project, params, body }) =>
      edit(project.id, params.hostId, row => duplicateClient(store, row, body?.name)),
    delete: ({ project, params, body }) => remove(store, project.id, params.hostId, body),
  }
}

function remove(store: Store, projectId: string, id: string, body: { force?: boolean | undefined } = {}) {
  store.write(() => deleteClient(store, store.clients.require(projectId, id), body.force ?? false))
  return { id, deleted: true }
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
