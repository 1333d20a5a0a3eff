import type { Database } from '../../lib/sqlite.ts'
import { json, tableOf } from '../core/database/table.ts'

/** An open document; `modelId`, `serverIds` and `optionalServerIds` are the fields that are read here. */
export type ClientConfig = Record<string, unknown>

export type ClientRow = {
  id: string
  projectId: string
  name: string
  /** Made from the content of `config`: equal documents have equal ids. */
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
    /** Oldest first. */
    list: (projectId: string) => clients.all({ projectId }, 'ORDER BY id'),
    /** The one that stands where a launch names none: the first that the project had. Samples stand for nothing. */
    standard: (projectId: string) =>
      clients.one({ projectId }, 'AND id NOT IN (SELECT recordId FROM sample) ORDER BY createdAt, id LIMIT 1'),
    delete: clients.delete,
  }
}
