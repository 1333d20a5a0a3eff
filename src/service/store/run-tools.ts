import { parseStored } from '../../lib/json-depth.ts'
import type { SeenTool, SeenTools } from '../evals/seen-tools.ts'
import type { Database } from '../core/database/database.ts'

/** Most listings that are kept of one server in one run; a server that changes more often keeps its first ones. */
const MOST_LISTINGS = 20

/** What the servers of a run offered while it was executed. */
export type RunToolRows = {
  /** Keeps a listing unless it is the server's last one in this run, or the run is gone. */
  record(runId: string, listing: SeenTools): void
  /** Of each server the listing that held at this moment (epoch milliseconds), else its first one. */
  seenAt(runId: string, at: number): SeenTools[]
}

type StoredListing = Omit<SeenTools, 'tools'> & { tools: string }

export function createRunToolRows(database: Database): RunToolRows {
  const latest = (runId: string, serverName: string) =>
    database.get<{ seenAt: number; hash: string; count: number }>(
      `SELECT max(seenAt) AS seenAt, hash, (SELECT count(*) FROM runTools
         WHERE runId = :runId AND serverName = :serverName) AS count
       FROM runTools WHERE runId = :runId AND serverName = :serverName GROUP BY runId`,
      { runId, serverName },
    )
  return {
    record(runId, { serverName, seenAt, hash, tools }) {
      const before = latest(runId, serverName)
      if (before && (before.hash === hash || before.count >= MOST_LISTINGS)) return
      database.run(
        `INSERT INTO runTools (runId, serverName, seenAt, hash, tools)
         SELECT id, :serverName, :seenAt, :hash, :tools FROM run WHERE id = :runId`,
        {
          runId,
          serverName,
          // Two listings of one millisecond stand one behind the other.
          seenAt: before ? Math.max(seenAt, before.seenAt + 1) : seenAt,
          hash,
          tools: JSON.stringify(tools),
        },
      )
    },
    seenAt(runId, at) {
      const rows = database.all<StoredListing>(
        'SELECT serverName, seenAt, hash, tools FROM runTools WHERE runId = :runId ORDER BY serverName, seenAt',
        { runId },
      )
      return [...Map.groupBy(rows, row => row.serverName).values()].flatMap(listings => {
        const held = listings.findLast(listing => listing.seenAt <= at) ?? listings[0]
        return held ? [{ ...held, tools: parseStored(held.tools) as SeenTool[] }] : []
      })
    },
  }
}
