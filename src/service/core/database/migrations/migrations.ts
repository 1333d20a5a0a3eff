import type { Database } from '../database.ts'
import { initial } from './0001-initial.ts'
import { clientsAndEnvironments } from './0002-clients-and-environments.ts'
import { organizationSettingsAndJobs } from './0003-organization-settings-and-jobs.ts'
import { swarms } from './0004-swarms.ts'
import { journeyRuns } from './0005-journey-runs.ts'
import { findings } from './0006-findings.ts'
import { scenarios } from './0007-scenarios.ts'
import { schedulesAndJudging } from './0008-schedules-and-judging.ts'
import { ingest } from './0009-ingest.ts'
import { connectionsAndReadiness } from './0010-connections-and-readiness.ts'
import { limits } from './0011-limits.ts'
import { samples } from './0012-samples.ts'
import { runTools } from './0013-run-tools.ts'
import { scoreIntegrity } from './0014-score-integrity.ts'

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
