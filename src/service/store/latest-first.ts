import type { Database } from '../core/database/database.ts'

/** A row with its place in the order of making, which a cursor of its list carries. */
export type Placed<Row> = Row & { position: number }

/** Reads rows of one owner, such as a project, latest first, from the one before `before` on. */
export type LatestFirst<Row> = (ownerId: string, before: number | undefined, limit: number) => Placed<Row>[]

/**
 * @param table has the columns `projectId` and `position`
 * @param condition what rows of the list fulfil besides
 */
export function latestFirst<Stored>(
  database: Database,
  table: string,
  condition = 'TRUE',
): LatestFirst<Stored> {
  return (projectId, before, limit) =>
    database.all<Placed<Stored>>(
      `SELECT * FROM ${table} WHERE projectId = :projectId AND position < :before AND ${condition}
       ORDER BY position DESC LIMIT :limit`,
      { projectId, before: before ?? Number.MAX_SAFE_INTEGER, limit },
    )
}
