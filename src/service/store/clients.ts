import { parseStored } from '../../lib/json-depth.ts'
import { assignments, insertInto, type Database } from '../core/database/database.ts'

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

export type ClientRows = {
  get(projectId: string, id: string): ClientRow | undefined
  findByName(projectId: string, name: string): ClientRow | undefined
  /** Oldest first. */
  list(projectId: string): ClientRow[]
  insert(row: ClientRow): void
  update(row: ClientRow): void
  delete(id: string): void
}

type StoredClient = Omit<ClientRow, 'config'> & { config: string }

export function createClientRows(database: Database): ClientRows {
  const read = (stored: StoredClient): ClientRow => ({
    ...stored,
    config: parseStored(stored.config) as ClientConfig,
  })
  const one = (stored: StoredClient | undefined) => stored && read(stored)
  const editable = ['name', 'configId', 'config', 'updatedAt'] as const
  return {
    get: (projectId, id) =>
      one(database.get('SELECT * FROM client WHERE id = :id AND projectId = :projectId', { id, projectId })),
    findByName: (projectId, name) =>
      one(
        database.get('SELECT * FROM client WHERE projectId = :projectId AND name = :name', {
          projectId,
          name,
        }),
      ),
    list: projectId =>
      database
        .all<StoredClient>('SELECT * FROM client WHERE projectId = :projectId ORDER BY id', { projectId })
        .map(read),
    insert(row) {
      const values = { ...row, config: JSON.stringify(row.config) }
      database.run(insertInto('client', Object.keys(values)), values)
    },
    update({ id, name, configId, config, updatedAt }) {
      const values = { id, name, configId, config: JSON.stringify(config), updatedAt }
      database.run(`UPDATE client SET ${assignments(editable)} WHERE id = :id`, values)
    },
    delete: id => void database.run('DELETE FROM client WHERE id = :id', { id }),
  }
}
