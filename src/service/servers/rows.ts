import type { Root } from '../../api/contract/server-requests.ts'
import type { Database } from '../../lib/sqlite.ts'
import type { Sealer } from '../core/database/sealer.ts'
import type { GrantRequest, ProofKey } from '../../api/contract/sign-ins.ts'
import { defined } from '../../lib/json.ts'
import { boolean, json, optional, sealed, tableOf, url } from '../core/database/table.ts'

/** Secrets of a server, which the service never returns. Stored encrypted. */
export type ServerSecrets = {
  command?: string
  args?: string[]
  env?: Record<string, string>
  headers?: Record<string, string>
  clientSecret?: string
  grant?: ServerGrant
}

/** A grant that needs no person. Its secrets go only to this issuer. */
export type ServerGrant = GrantRequest & { issuer: string }

/** Imported OAuth tokens with what their refresh needs. Stored encrypted. */
export type ServerTokens = {
  accessToken: string
  refreshToken?: string
  scope?: string
  /** Epoch milliseconds; absent if the issuer named no time. */
  expiresAt?: number
  /** Lifetime of a renewed access token in milliseconds; absent if unknown. */
  lastsMs?: number
  client?: { clientId: string; clientSecret?: string }
  resourceUrl?: string
  /** Signs the proofs of possession of these tokens; absent for bearer tokens. */
  proofKey?: ProofKey
  /** The authorization server that issued the tokens; absent if it was unknown at the import. */
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
  /** Fields that the service stores and does not interpret. */
  options: Record<string, unknown>
  secrets: ServerSecrets
  tokens?: ServerTokens
  /** Absent if no roots were ever set. */
  roots?: Root[]
  createdAt: number
  updatedAt: number
}

export function createServerRows(database: Database, sealer: Sealer) {
  const servers = tableOf<ServerRow>(database, 'server', {
    kinds: {
      enabled: boolean(),
      useOAuth: boolean(),
      url: url(sealer, 'server'),
      timeoutMs: optional(),
      options: json(),
      secrets: sealed(sealer, 'server', 'secrets'),
      tokens: sealed(sealer, 'server', 'tokens'),
      roots: json(),
    },
  })
  return {
    ...servers.basics,
    find: (id: string) => servers.one({ id }),
    findByName: (projectId: string, name: string) => servers.one({ projectId, name }),
    list: (projectId: string) => servers.all({ projectId }, 'ORDER BY id'),
    /** Stores new tokens, or deletes the tokens. Other settings, which may have changed in the meantime, are kept. */
    setTokens: (id: string, tokens: ServerTokens | undefined) =>
      servers.change({ id }, { tokens, updatedAt: Date.now() }),
    /** Stores a grant with its first tokens, or deletes both. */
    setGrant: (row: ServerRow, grant: ServerGrant | undefined, tokens: ServerTokens | undefined) =>
      servers.change({ id: row.id }, { secrets: defined({ ...row.secrets, grant }), tokens, updatedAt: Date.now() }),
    setRoots: (id: string, roots: Root[]) => servers.change({ id }, { roots, updatedAt: Date.now() }),
    delete: servers.delete,
  }
}
