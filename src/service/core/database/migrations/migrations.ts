import type { Database } from '../database.ts'
import {
  initial,
  clientsAndEnvironments,
  organizationSettingsAndJobs,
  swarms,
  journeyRuns,
  findings,
} from './0001-to-0006.ts'
import {
  scenarios,
  schedulesAndJudging,
  ingest,
  connectionsAndReadiness,
  limits,
  samples,
  runTools,
  scoreIntegrity,
} from './0007-to-0014.ts'
import { serverRoots } from './0015.ts'
import { serverCalls } from './0016.ts'
import { agentTurns } from './0017.ts'
import { agentTurnOrigins } from './0018.ts'
import { chats } from './0019.ts'

/** In order; the position of the last one applied is the database's `user_version`. */
const MIGRATIONS: readonly string[] = [
  initial,
  clientsAndEnvironments,
  organizationSettingsAndJobs,
  swarms,
  journeyRuns,
  findings,
  scenarios,
  schedulesAndJudging,
  ingest,
  connectionsAndReadiness,
  limits,
  samples,
  runTools,
  scoreIntegrity,
  serverRoots,
  serverCalls,
  agentTurns,
  agentTurnOrigins,
  chats,
]

/** Whether every migration was applied. */
export function isMigrated(database: Database): boolean {
  return versionOf(database) === MIGRATIONS.length
}

/**
 * Brings the database to the current version. The caller holds the write lock, unless it is migrated.
 * @throws when the database was written by a newer version of the program
 */
export function migrate(database: Database): void {
  const version = versionOf(database)
  if (version === MIGRATIONS.length) return
  if (version > MIGRATIONS.length)
    throw new Error(
      `The workspace was written by a newer version of mcpdeck (schema ${version}, known ${MIGRATIONS.length}).`,
    )
  for (const migration of MIGRATIONS.slice(version)) database.exec(migration)
  database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`)
}

function versionOf(database: Database): number {
  return database.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0
}
