import type { Database } from '../core/database/database.ts'

/** One row for each counted request of an organization. */
export type QuotaUseRows = {
  insert(organizationId: string, kind: string, at: number): void
  /** Uses at or after a time, and the oldest of them. */
  since(organizationId: string, kind: string, time: number): { count: number; oldest: number | null }
  /** Forgets what no limit looks at any more. */
  deleteBefore(time: number): void
}

export function createQuotaUseRows(database: Database): QuotaUseRows {
  return {
    insert(organizationId, kind, at) {
      database.run('INSERT INTO quotaUse (organizationId, kind, at) VALUES (:organizationId, :kind, :at)', {
        organizationId,
        kind,
        at,
      })
    },
    since: (organizationId, kind, time) =>
      database.get<{ count: number; oldest: number | null }>(
        `SELECT count(*) AS count, min(at) AS oldest FROM quotaUse
         WHERE organizationId = :organizationId AND kind = :kind AND at >= :time`,
        { organizationId, kind, time },
      ) ?? { count: 0, oldest: null },
    deleteBefore: time => void database.run('DELETE FROM quotaUse WHERE at < :time', { time }),
  }
}
