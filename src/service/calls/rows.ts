import { BOUNDS } from '../../lib/bounds.ts'
import type { Database } from '../../lib/sqlite.ts'
import { json, optional, tableOf, type Placed } from '../core/database/table.ts'
import type { Lease } from '../core/lease.ts'

export type CallRow = {
  id: string
  serverId: string
  kind: 'tool' | 'prompt' | 'resource'
  target: string
  input?: Record<string, unknown>
  incomplete?: 'secrets' | 'size'
  startedAt: number
  durationMs?: number
  /** Absent until it has ended. */
  status?: 'answered' | 'tool_error' | 'failed' | 'given_up' | 'unknown'
  error?: { code: string; message: string }
  /** JSON text. */
  result?: string
  resultBytes?: number
  lease: Lease
}

/** The oldest that go beyond the bounds; the newest stays whatever its size, and what runs stays too. */
const BEYOND = `
  DELETE FROM serverCall WHERE serverId = :serverId AND status IS NOT NULL AND position IN (
    SELECT position FROM (
      SELECT position,
        ROW_NUMBER() OVER newestFirst AS number,
        SUM(octet_length(result)) OVER newestFirst AS bytes
      FROM serverCall WHERE serverId = :serverId
      WINDOW newestFirst AS (ORDER BY position DESC)
    ) WHERE number > 1 AND (number > :most OR bytes > :mostBytes)
  )`

export function createCallRows(database: Database) {
  const calls = tableOf<CallRow>(database, 'serverCall', {
    owner: 'serverId',
    kinds: {
      input: json(),
      incomplete: optional(),
      durationMs: optional(),
      status: optional(),
      error: json(),
      result: optional(),
      resultBytes: optional(),
      lease: json(),
    },
  })
  const keepWithinBounds = (serverId: string): void => {
    const most = BOUNDS.serverCalls.most
    database.run(BEYOND, { serverId, most, mostBytes: BOUNDS.serverCallBytes.most })
  }
  return {
    get: calls.basics.get,
    page: calls.page(),
    /** Oldest first. */
    ended: (serverId: string) =>
      calls.all({ serverId }, 'AND status IS NOT NULL ORDER BY position') as Placed<CallRow>[],
    insert(row: CallRow) {
      calls.basics.insert(row)
      keepWithinBounds(row.serverId)
    },
    end({ id, serverId, ...ending }: Pick<CallRow, 'id' | 'serverId'> & Partial<CallRow>) {
      calls.change({ id }, ending)
      keepWithinBounds(serverId)
    },
    /** Those that have ended, or whose process is gone; how many these were. */
    clear(serverId: string, isUnderWay: (lease: Lease) => boolean): number {
      const gone = calls.all({ serverId }).filter(({ status, lease }) => status !== undefined || !isUnderWay(lease))
      for (const { id } of gone) calls.delete(id)
      return gone.length
    },
  }
}
