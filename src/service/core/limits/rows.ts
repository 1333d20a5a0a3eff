import type { Database } from '../database/database.ts'
import { tableOf } from '../database/table.ts'

/** Values that were set for one organization; what is not set has its declared default (`limits/limits.ts`). */
export function createOrganizationSettingRows(database: Database) {
  const where = 'WHERE organizationId = :organizationId AND name = :name'
  return {
    get: (organizationId: string, name: string) =>
      database.get<{ value: string }>(`SELECT value FROM organizationSetting ${where}`, { organizationId, name })
        ?.value,
    set(organizationId: string, name: string, value: string) {
      database.run(
        `INSERT INTO organizationSetting (organizationId, name, value) VALUES (:organizationId, :name, :value)
         ON CONFLICT (organizationId, name) DO UPDATE SET value = :value`,
        { organizationId, name, value },
      )
    },
    /** Back to the default. */
    unset: (organizationId: string, name: string) =>
      void database.run(`DELETE FROM organizationSetting ${where}`, { organizationId, name }),
  }
}

/** What one key has used of its request rate. */
export type RateBucket = {
  /** What is missing until the bucket is full, in 1/60 000 of a request. */
  owed: number
  /** When that was so; epoch milliseconds. */
  at: number
}

/** One bucket for each key that was ever limited; every process of the workspace takes from the same ones. */
export function createRateBucketRows(database: Database) {
  const buckets = tableOf<RateBucket & { keyId: string }>(database, 'rateBucket', { key: 'keyId' })
  return {
    get: (keyId: string): RateBucket | undefined => buckets.one({ keyId }),
    set: (keyId: string, { owed, at }: RateBucket) => buckets.put({ keyId, owed, at }),
  }
}

/** One row for each counted request of an organization. */
export function createQuotaUseRows(database: Database) {
  return {
    insert(organizationId: string, kind: string, at: number) {
      database.run('INSERT INTO quotaUse (organizationId, kind, at) VALUES (:organizationId, :kind, :at)', {
        organizationId,
        kind,
        at,
      })
    },
    /** Uses at or after a time, and the oldest of them. */
    since: (organizationId: string, kind: string, time: number) =>
      database.get<{ count: number; oldest: number | null }>(
        `SELECT count(*) AS count, min(at) AS oldest FROM quotaUse
         WHERE organizationId = :organizationId AND kind = :kind AND at >= :time`,
        { organizationId, kind, time },
      ) ?? { count: 0, oldest: null },
    /** Forgets what no limit looks at any more. */
    deleteBefore: (time: number) => void database.run('DELETE FROM quotaUse WHERE at < :time', { time }),
  }
}
