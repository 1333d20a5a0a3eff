import type { Client, ClientDetail } from '../../api/contract/clients.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import type { Store } from '../core/database/store.ts'
import { recordHandlers } from '../core/record-handlers.ts'
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

/** The former paths keep their original shapes: rows say `hostConfigId`, details no id of the config at all. */
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
