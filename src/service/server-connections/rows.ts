import type { Database } from '../../lib/sqlite.ts'
import type { Sealer } from '../core/database/sealer.ts'
import { boolean, json, tableOf, url } from '../core/database/table.ts'

/** Where a request stands. `authorizing` belongs to a consent in a browser, which this workspace does not hold. */
export type ConnectionStatus =
  | 'discovering'
  | 'awaiting_project'
  | 'awaiting_authorization'
  | 'validating'
  | 'ready'
  | 'failed'
  | 'expired'
  | 'cancelled'

/** Why a request waits or ended; `retryable` is about this same request. */
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
  /** Chosen by the caller, or found or made since; its server may be gone. */
  serverId: string | null
  url: string
  /** For a new server. */
  name: string | null
  reauthorize: boolean
  status: ConnectionStatus
  error?: ConnectionProblem
  attempts: number
  /** Epoch milliseconds of the next attempt; null = one is under way, or nothing is to be tried. */
  dueAt: number | null
  /** Digest of the tokens that the server did not take; null = it had none. */
  tokensSeen: string | null
  /** What is missing of its poll budget since when, as in a `RateBucket`. */
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
    /** Those that have not ended, oldest first; of one account, or of all. */
    open: (accountId?: string) =>
      connections.all({ endedAt: null }, 'AND accountId = coalesce(:accountId, accountId) ORDER BY id', { accountId }),
    insert,
    update,
  }
}
