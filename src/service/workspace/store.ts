import { createHmac, randomBytes } from 'node:crypto'
import { StorageError } from '../../api/contract/error.ts'
import { createCaseRows, type CaseRows } from '../store/cases.ts'
import { createClientRows, type ClientRows } from '../store/clients.ts'
import { createConformanceRunRows, type ConformanceRunRows } from '../store/conformance-runs.ts'
import { createCursors, type Cursors } from '../core/database/cursors.ts'
import {
  prepareDataDirectory,
  readSecretFile,
  writeSecretFile,
  type DataDirectory,
} from '../core/database/data-directory.ts'
import { openDatabase, type Database } from '../core/database/database.ts'
import { createEnvironmentRows, type EnvironmentRows } from '../store/environments.ts'
import { createEvalSessionRows, type EvalSessionRows } from '../sessions/eval-rows.ts'
import { createFindingRows, type FindingRows } from '../store/findings.ts'
import { createIdempotencyRows, type IdempotencyRows } from '../store/idempotency.ts'
import { createInsightsRows, type InsightsRows } from '../store/insights.ts'
import { createIngestRunRows, type IngestRunRows } from '../store/ingest-runs.ts'
import { createJobRows, type JobRows } from '../store/jobs.ts'
import { createJourneyRunRows, type JourneyRunRows } from '../journey-runs/rows.ts'
import { createJourneySessionRows, type JourneySessionRows } from '../journey-runs/session-rows.ts'
import { createJourneyRows, type JourneyRows } from '../store/journeys.ts'
import { createKeyRows, type KeyRows } from '../store/keys.ts'
import { isMigrated, migrate } from '../core/database/migrations/migrations.ts'
import {
  createOrganizationSettingRows,
  type OrganizationSettingRows,
} from '../store/organization-settings.ts'
import { createOrganizationRows, type OrganizationRows } from '../store/organizations.ts'
import { createPersonaRows, type PersonaRows } from '../store/personas.ts'
import { createProjectRows, type ProjectRows } from '../store/projects.ts'
import { createQuotaUseRows, type QuotaUseRows } from '../store/quota-uses.ts'
import { createRateBucketRows, type RateBucketRows } from '../store/rate-buckets.ts'
import { createReadinessRows, type ReadinessRows } from '../store/readiness-runs.ts'
import { createRunRows, type RunRows } from '../store/runs.ts'
import { createRunToolRows, type RunToolRows } from '../store/run-tools.ts'
import { createSampleRows, type SampleRows } from '../samples/rows.ts'
import { createScenarioRows, type ScenarioRows } from '../store/scenarios.ts'
import {
  createSealer,
  hasPlainUrls,
  SEALING_KEY_BYTES,
  sealPlainUrls,
  type Sealer,
} from '../core/database/sealer.ts'
import { createConnectionRows, type ConnectionRows } from '../server-connections/rows.ts'
import { createServerRows, type ServerRows } from '../store/servers.ts'
import { createSettings, type Settings } from '../store/settings.ts'
import { storageProblem } from '../core/database/storage-problem.ts'
import { createRunAnalysisRows, type RunAnalysisRows } from '../store/run-analyses.ts'
import { createSuiteScheduleRows, type SuiteScheduleRows } from '../store/suite-schedules.ts'
import { createSuiteOwnershipRows, type SuiteOwnershipRows } from '../store/suite-ownership.ts'
import { createSuiteRows, type SuiteRows } from '../store/suites.ts'
import { createSwarmRows, type SwarmRows } from '../store/swarms.ts'
import { createTrialRows, type TrialRows } from '../runs/trial-rows.ts'
import { createVisitorSessionRows, type VisitorSessionRows } from '../scenarios/visitor-session-rows.ts'

/** The workspace's records. Every call is synchronous; what belongs together runs inside one `write`. */
export type Store = {
  /** Undefined for a workspace in memory. */
  readonly directory: DataDirectory | undefined
  /** One transaction, taken before the first read so that nothing changes in between. */
  write<T>(work: () => T): T
  /** One consistent view over several reads. */
  read<T>(work: () => T): T
  readonly cursors: Cursors
  readonly settings: Settings
  readonly organizations: OrganizationRows
  readonly organizationSettings: OrganizationSettingRows
  readonly quotaUses: QuotaUseRows
  readonly rateBuckets: RateBucketRows
  readonly jobs: JobRows
  readonly keys: KeyRows
  readonly projects: ProjectRows
  readonly servers: ServerRows
  readonly clients: ClientRows
  readonly environments: EnvironmentRows
  readonly findings: FindingRows
  readonly insights: InsightsRows
  readonly suites: SuiteRows
  readonly suiteOwnership: SuiteOwnershipRows
  readonly cases: CaseRows
  readonly runs: RunRows
  readonly trials: TrialRows
  readonly runTools: RunToolRows
  readonly evalSessions: EvalSessionRows
  readonly ingestRuns: IngestRunRows
  readonly conformanceRuns: ConformanceRunRows
  readonly personas: PersonaRows
  readonly journeys: JourneyRows
  readonly journeyRuns: JourneyRunRows
  readonly journeySessions: JourneySessionRows
  readonly swarms: SwarmRows
  readonly scenarios: ScenarioRows
  readonly visitorSessions: VisitorSessionRows
  readonly serverConnections: ConnectionRows
  readonly readinessRuns: ReadinessRows
  readonly idempotency: IdempotencyRows
  readonly suiteSchedules: SuiteScheduleRows
  readonly runAnalyses: RunAnalysisRows
  readonly samples: SampleRows
  close(): void
}

/** A directory that several processes may share, or a workspace that ends with the process. */
export type StoreLocation = { dataDir: string } | { memory: true }

/**
 * Opens the workspace and brings it up to date.
 * @throws when it was written by a newer version; StorageError when the key that its secrets are sealed with is gone, or
 *   the database cannot be used
 */
export function openStore(location: StoreLocation): Store {
  const directory = 'dataDir' in location ? prepareDataDirectory(location.dataDir) : undefined
  const database = opened(directory?.database ?? ':memory:')
  try {
    const open = (): Store => {
      migrate(database)
      const settings = createSettings(database)
      const sealer = createSealer(sealingKey(settings, directory))
      if (hasPlainUrls(database)) sealPlainUrls(database, sealer)
      const cursors = createCursors(Buffer.from(settings.ensure('cursorSecret', randomSecret), 'base64url'))
      return Object.assign(rowsOf(database, sealer), {
        directory,
        cursors,
        settings,
        ...transactionsOf(database),
      })
    }
    // What a session writes it must settle on the disk when it closes, so only a workspace that lacks something is
    // written to; the write lock makes two processes that start at once take turns.
    return database.read(() => isComplete(database)) ? open() : database.write(open)
  } catch (error) {
    database.close()
    throw storageProblem(error) ?? error
  }
}

function opened(location: string): Database {
  try {
    return openDatabase(location)
  } catch (error) {
    throw storageProblem(error) ?? error
  }
}

/** Whether opening finds everything that it would write otherwise. */
function isComplete(database: Database): boolean {
  if (!isMigrated(database) || hasPlainUrls(database)) return false
  const { get } = createSettings(database)
  return get('cursorSecret') !== undefined && get('sealingKeyCheck') !== undefined
}

function transactionsOf({ write, read, close }: Database) {
  return { write, read, close }
}

function rowsOf(database: Database, sealer: Sealer) {
  return onFirstUse({
    organizations: () => createOrganizationRows(database),
    organizationSettings: () => createOrganizationSettingRows(database),
    quotaUses: () => createQuotaUseRows(database),
    rateBuckets: () => createRateBucketRows(database),
    jobs: () => createJobRows(database),
    keys: () => createKeyRows(database),
    projects: () => createProjectRows(database),
    servers: () => createServerRows(database, sealer),
    clients: () => createClientRows(database),
    environments: () => createEnvironmentRows(database),
    findings: () => createFindingRows(database),
    insights: () => createInsightsRows(database),
    suites: () => createSuiteRows(database),
    suiteOwnership: () => createSuiteOwnershipRows(database),
    cases: () => createCaseRows(database),
    runs: () => createRunRows(database),
    trials: () => createTrialRows(database),
    runTools: () => createRunToolRows(database),
    evalSessions: () => createEvalSessionRows(database),
    ingestRuns: () => createIngestRunRows(database),
    conformanceRuns: () => createConformanceRunRows(database),
    personas: () => createPersonaRows(database),
    journeys: () => createJourneyRows(database),
    journeyRuns: () => createJourneyRunRows(database),
    journeySessions: () => createJourneySessionRows(database),
    swarms: () => createSwarmRows(database),
    scenarios: () => createScenarioRows(database, sealer),
    visitorSessions: () => createVisitorSessionRows(database),
    serverConnections: () => createConnectionRows(database, sealer),
    readinessRuns: () => createReadinessRows(database, sealer),
    idempotency: () => createIdempotencyRows(database),
    suiteSchedules: () => createSuiteScheduleRows(database),
    runAnalyses: () => createRunAnalysisRows(database),
    samples: () => createSampleRows(database),
  })
}

/** What is made from these functions, each when it is first asked for: most sessions use a few tables. */
function onFirstUse<T extends Record<string, () => unknown>>(
  makers: T,
): { readonly [K in keyof T]: ReturnType<T[K]> } {
  const made = {}
  for (const [name, make] of Object.entries(makers)) {
    const get = () => {
      const value = make()
      Object.defineProperty(made, name, { value })
      return value
    }
    Object.defineProperty(made, name, { configurable: true, enumerable: true, get })
  }
  return made as { readonly [K in keyof T]: ReturnType<T[K]> }
}

function randomSecret(): string {
  return randomBytes(SEALING_KEY_BYTES).toString('base64url')
}

function sealingKey(settings: Settings, directory: DataDirectory | undefined): Uint8Array {
  if (!directory) return randomBytes(SEALING_KEY_BYTES)
  const known = settings.get('sealingKeyCheck')
  const key = readSecretFile(directory.sealingKey)
  if (known === undefined) {
    const fresh = randomBytes(SEALING_KEY_BYTES)
    writeSecretFile(directory.sealingKey, fresh)
    settings.set('sealingKeyCheck', checkOf(fresh))
    return fresh
  }
  if (!key || checkOf(key) !== known)
    throw new StorageError(
      `${directory.sealingKey} is missing or is not the key of this workspace; without it no server secret can be read.`,
      'Put the file back from a backup, or start with another --data-dir.',
    )
  return key
}

function checkOf(key: Uint8Array): string {
  return createHmac('sha256', key).update('mcpdeck sealing key').digest('base64url')
}
