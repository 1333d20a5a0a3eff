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
