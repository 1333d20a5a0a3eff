import { parseStored } from '../../lib/json-depth.ts'
import { assignments, insertInto, type Database } from '../core/database/database.ts'
import { urlPlace, type Sealer } from '../core/database/sealer.ts'

/** What the service never tells about a server; sealed at rest. */
export type ServerSecrets = {
  command?: string
  args?: string[]
  env?: Record<string, string>
  headers?: Record<string, string>
  clientSecret?: string
}

/** Imported OAuth tokens with what their refresh needs; sealed at rest. */
export type ServerTokens = {
  accessToken: string
  refreshToken?: string
  scope?: string
  /** Epoch milliseconds; absent = the issuer did not say. */
  expiresAt?: number
  client?: { clientId: string; clientSecret?: string }
  resourceUrl?: string
  /** The authorization server that they are from; absent = it was not known when they were imported. */
  issuer?: string
}

export type ServerRow = {
  id: string
  projectId: string
  name: string
  enabled: boolean
  transportType: 'stdio' | 'http'
  url?: string
  timeoutMs?: number
  useOAuth: boolean
  /** Fields that the service keeps and does not interpret. */
  options: Record<string, unknown>
  secrets: ServerSecrets
  tokens?: ServerTokens
  createdAt: number
  updatedAt: number
}

export type ServerRows = {
  get(projectId: string, id: string): ServerRow | undefined
  /** In whatever project it is. */
  find(id: string): ServerRow | undefined
  findByName(projectId: string, name: string): ServerRow | undefined
  /** Oldest first. */
  list(projectId: string): ServerRow[]
  insert(row: ServerRow): void
  update(row: ServerRow): void
  /** Stores refreshed or imported tokens and leaves everything else alone. */
  setTokens(id: string, tokens: ServerTokens): void
  delete(id: string): void
}

type StoredServer = {
  id: string
  projectId: string
  name: string
  enabled: number
  transportType: 'stdio' | 'http'
  url: string | null
  timeoutMs: number | null
  useOAuth: number
  options: string
  secrets: Uint8Array
  tokens: Uint8Array | null
  createdAt: number
  updatedAt: number
}

export function createServerRows(database: Database, sealer: Sealer): ServerRows {
  const place = (id: string, column: 'secrets' | 'tokens') => `server/${id}/${column}`
  const read = (stored: StoredServer): ServerRow => ({
    ...stored,
    enabled: stored.enabled === 1,
    useOAuth: stored.useOAuth === 1,
    url: stored.url === null ? undefined : sealer.openUrl(stored.url, urlPlace('server', stored.id)),
    timeoutMs: stored.timeoutMs ?? undefined,
    options: parseStored(stored.options) as Record<string, unknown>,
    secrets: sealer.open<ServerSecrets>(stored.secrets, place(stored.id, 'secrets')),
    tokens: stored.tokens ? sealer.open<ServerTokens>(stored.tokens, place(stored.id, 'tokens')) : undefined,
  })
  const stored = (row: ServerRow) => ({
    ...row,
    url: row.url && sealer.sealUrl(row.url, urlPlace('server', row.id)),
    timeoutMs: row.timeoutMs,
    options: JSON.stringify(row.options),
    secrets: sealer.seal(row.secrets, place(row.id, 'secrets')),
    tokens: row.tokens && sealer.seal(row.tokens, place(row.id, 'tokens')),
  })
  const one = (row: StoredServer | undefined) => row && read(row)
  return {
    get: (projectId, id) =>
      one(database.get('SELECT * FROM server WHERE id = :id AND projectId = :projectId', { id, projectId })),
    find: id => one(database.get('SELECT * FROM server WHERE id = :id', { id })),
    findByName: (projectId, name) =>
      one(
        database.get('SELECT * FROM server WHERE projectId = :projectId AND name = :name', {
          projectId,
          name,
        }),
      ),
    list: projectId =>
      database
        .all<StoredServer>('SELECT * FROM server WHERE projectId = :projectId ORDER BY id', { projectId })
        .map(read),
    insert(row) {
      const values = stored(row)
      database.run(insertInto('server', Object.keys(values)), values)
    },
    update(row) {
      const values = stored(row)
      const columns = Object.keys(values).filter(name => name !== 'id')
      database.run(`UPDATE server SET ${assignments(columns)} WHERE id = :id`, values)
    },
    setTokens(id, tokens) {
      database.run('UPDATE server SET tokens = :tokens, updatedAt = :updatedAt WHERE id = :id', {
        id,
        tokens: sealer.seal(tokens, place(id, 'tokens')),
        updatedAt: Date.now(),
      })
    },
    delete: id => void database.run('DELETE FROM server WHERE id = :id', { id }),
  }
}
