import type { Database } from '../../lib/sqlite.ts'
import type { Sealer } from '../core/database/sealer.ts'
import { boolean, json, tableOf, url } from '../core/database/table.ts'

/** The status of a request. `authorizing` means that a person gives consent in a browser, which does not occur here. */
export type ConnectionStatus =
  | 'discovering'
  | 'awaiting_project'
  | 'awaiting_authorization'
  | 'validating'
  | 'ready'
  | 'failed'
  | 'expired'
  | 'cancelled'

/** Why a request waits or ended. `retryable` says whether the same request can be retried. */
export type ConnectionProblem = {
  code: string
  message: string
  retryable: boolean
  candidates?: { id: string; name: string; url: string }[]
}

export type ConnectionRow = {
  id: string
  accountId: string
  organizationId: string
  projectId: string | null
  /** Id of the server that the caller named, or that was found or created later. The server may have been deleted. */
  serverId: string | null
  url: string
  /** Name for a new server. */
  name: string | null
  reauthorize: boolean
  status: ConnectionStatus
  error?: ConnectionProblem
  attempts: number
  /** Epoch milliseconds of the next attempt; null if one is in progress or none is planned. */
  dueAt: number | null
  /** Digest of the tokens that the server refused; null if it had no tokens. */
  tokensSeen: string | null
  /** How much of its poll limit the request has used, and when that was true, as in a `RateBucket`. */
  pollsOwed: number
  polledAt: number
  createdAt: number
  expiresAt: number
  endedAt: number | null
}

export function createConnectionRows(database: Database, sealer: Sealer) {
  const connections = tableOf<ConnectionRow>(database, 'serverConnection', {
    kinds: { url: url(sealer, 'serverConnection'), reauthorize: boolean(), error: json() },
    fixed: ['accountId', 'organizationId', 'createdAt'],
  })
  const { insert, update } = connections.basics
  return {
    find: (id: string) => connections.one({ id }),
    /** Returns requests that have not ended, oldest first, of one account or of all. */
    open: (accountId?: string) =>
      connections.all({ endedAt: null }, 'AND accountId = coalesce(:accountId, accountId) ORDER BY id', { accountId }),
    insert,
    update,
  }
}
