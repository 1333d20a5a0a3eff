import { assignments, fromJson, insertInto, toJson, type Database } from '../core/database/database.ts'
import { urlPlace, type Sealer } from '../core/database/sealer.ts'

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

/** Why a request waits or ended; `retryable` speaks of this same request. */
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

export type ConnectionRows = {
  find(id: string): ConnectionRow | undefined
  /** Those that have not ended, oldest first; of one account, or of all. */
  open(accountId?: string): ConnectionRow[]
  insert(row: ConnectionRow): void
  update(row: ConnectionRow): void
}

type StoredConnection = Omit<ConnectionRow, 'reauthorize' | 'error'> & {
  reauthorize: number
  error: string | null
}

export function createConnectionRows(database: Database, sealer: Sealer): ConnectionRows {
  const read = ({ error, ...row }: StoredConnection): ConnectionRow => ({
    ...row,
    url: sealer.openUrl(row.url, urlPlace('serverConnection', row.id)),
    reauthorize: row.reauthorize === 1,
    error: fromJson<ConnectionProblem>(error),
  })
  const stored = (row: ConnectionRow) => ({
    ...row,
    url: sealer.sealUrl(row.url, urlPlace('serverConnection', row.id)),
    error: toJson(row.error),
  })
  return {
    find(id) {
      const row = database.get<StoredConnection>('SELECT * FROM serverConnection WHERE id = :id', { id })
      return row && read(row)
    },
    open: accountId =>
      database
        .all<StoredConnection>(
          `SELECT * FROM serverConnection
           WHERE endedAt IS NULL AND accountId = coalesce(:accountId, accountId) ORDER BY id`,
          { accountId },
        )
        .map(read),
    insert(row) {
      const values = stored(row)
      database.run(insertInto('serverConnection', Object.keys(values)), values)
    },
    update(row) {
      const values = stored(row)
      const columns = Object.keys(values).filter(name => name !== 'id')
      database.run(`UPDATE serverConnection SET ${assignments(columns)} WHERE id = :id`, values)
    },
  }
}
