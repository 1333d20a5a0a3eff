import type { Database } from '../../../../lib/sqlite.ts'
import { FIRST_TO_SIXTH } from './0001-to-0006.ts'
import { SEVENTH_TO_FOURTEENTH } from './0007-to-0014.ts'
import { SINCE_FIFTEENTH } from './0015-to-0020.ts'

/** In order; the position of the last one applied is the database's `user_version`. */
const MIGRATIONS: readonly string[] = [...FIRST_TO_SIXTH, ...SEVENTH_TO_FOURTEENTH, ...SINCE_FIFTEENTH]

/** The schema that this version writes; a workspace of a later one is none of ours. */
export const SCHEMA = MIGRATIONS.length

/** The schema of a database, which is the number of migrations that were applied; 0 before the first. */
export function schemaOf(database: Database): number {
  return database.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0
}

/** Brings a database of an older schema to the current one. The caller holds the write lock, unless it is migrated. */
export function migrate(database: Database): void {
  const schema = schemaOf(database)
  if (schema >= SCHEMA) return
  for (const migration of MIGRATIONS.slice(schema)) database.exec(migration)
  database.exec(`PRAGMA user_version = ${SCHEMA}`)
}
