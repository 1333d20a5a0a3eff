import type { Database } from '../database.ts'
import { initial } from './0001-initial.ts'
import { clientsAndEnvironments } from './0002-clients-and-environments.ts'

/** In order; the position of the last one applied is the database's `user_version`. */
const MIGRATIONS: readonly string[] = [initial, clientsAndEnvironments]

/**
 * Brings the database to the current version. The caller holds the write lock.
 * @throws when the database was written by a newer version of the program
 */
export function migrate(database: Database): void {
  const version = database.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0
  if (version > MIGRATIONS.length)
    throw new Error(
      `The workspace was written by a newer version of mcpdeck (schema ${version}, known ${MIGRATIONS.length}).`,
    )
  for (const migration of MIGRATIONS.slice(version)) database.exec(migration)
  database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`)
}
