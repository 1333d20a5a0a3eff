import type { Store } from '../core/database/store.ts'
import { createHmac, randomBytes } from 'node:crypto'
import { StorageError } from '../../api/contract/error.ts'
import { createAgentProposalRows, createAgentTurnRows } from '../agent/rows.ts'
import { createCallRows } from '../calls/calls.ts'
import { createCaseRows } from '../cases/records.ts'
import { createChatRows } from '../chats/chats.ts'
import { createClientRows } from '../clients/clients.ts'
import { createConformanceRunRows } from '../conformance-ingest/runs.ts'
import { createCursors } from '../core/database/cursors.ts'
import { prepareDataDirectory, readSecretFile, type DataDirectory } from '../core/database/data-directory.ts'
import { openDatabase, WRITE_AHEAD_LOG, type Database } from '../../lib/sqlite.ts'
import { createEnvironmentRows } from '../environments/environments.ts'
import { createEvalSessionRows } from '../sessions/eval-rows.ts'
import { createFindingRows, createInsightsRows } from '../findings/rows.ts'
import {
  createIdempotencyRows,
  createJobRows,
  createSettings,
  type Settings,
  createOrganizationSettingRows,
  createRateBucketRows,
  createQuotaUseRows,
  createKeyRows,
  createOrganizationRows,
  createProjectRows,
} from '../core/database/rows.ts'
import { createIngestRunRows } from '../eval-ingest/runs.ts'
import { createJourneyRunRows, createJourneySessionRows } from '../journey-runs/rows.ts'
import { createJourneyRows } from '../journeys/journeys.ts'
import { migrate, SCHEMA, schemaOf } from '../core/database/migrations/migrations.ts'
import { createPersonaRows } from '../personas/personas.ts'
import { createReadinessRows } from '../readiness/rows.ts'
import { createRunRows, createRunToolRows, createRunAnalysisRows } from '../runs/rows.ts'
import { createSampleRows, SAMPLE_STEPS } from '../samples/rows.ts'
import { createScenarioRows } from '../scenarios/rows.ts'
import { createSealer, hasPlainUrls, SEALING_KEY_BYTES, sealPlainUrls, type Sealer } from '../core/database/sealer.ts'
import { createConnectionRows } from '../server-connections/rows.ts'
import { createServerRows } from '../servers/rows.ts'
import { storageProblem } from '../core/database/storage-problem.ts'
import { keepBeforeUpgrade, takeUpgradeNotice } from '../core/database/upgrade.ts'
import { createSuiteScheduleRows, createSuiteRows, createSuiteOwnershipRows } from '../suites/rows.ts'
import { createSwarmRows } from '../swarms/swarms.ts'
import { createTrialRows } from '../runs/trial-rows.ts'
import { createVisitorSessionRows } from '../scenarios/visitor-session-rows.ts'
import { writeForOwner } from '../../lib/files/write-atomically.ts'
import { countingKey, ensureKeyFile } from '../core/access.ts'
import { followReferenceServer, insertProject, movedReferenceServer, seedSandbox } from '../sandbox/sandbox.ts'
/** A directory that several processes may share, or a workspace in memory that ends with the process. */
export type StoreLocation = { dataDir: string } | { memory: true }

/**
 * Opens and migrates the workspace. @throws StorageError for a newer version, a lost encryption key or a bad database
 */
export function openStore(location: StoreLocation): Store {
  const directory = 'dataDir' in location ? prepareDataDirectory(location.dataDir) : undefined
  const database = opened(directory?.database ?? ':memory:')
  try {
    const open = (): Store => {
      const copy = directory && keepBeforeUpgrade(database, directory)
      migrate(database)
      const settings = createSettings(database)
      if (copy !== undefined) settings.set('upgradeCopy', copy)
      const sealer = createSealer(sealingKey(settings, directory))
      if (hasPlainUrls(database)) sealPlainUrls(database, sealer)
      const cursors = createCursors(Buffer.from(settings.ensure('cursorSecret', randomSecret), 'base64url'))
      const takeNotice = () => takeUpgradeNotice(database, settings)
      const own = { directory, cursors, settings, takeNotice, ...transactionsOf(database) }
      return Object.assign(rowsOf(database, sealer), own)
    }
    // A process that wrote must sync to disk when it closes, so nothing is written to a complete workspace. The write
    // lock makes two processes that start at the same time take turns.
    return database.read(() => isComplete(database)) ? open() : database.write(open)
  } catch (error) {
    database.close()
    throw storageProblem(error) ?? error
  }
}

/**
 * Number of pages of the write-ahead log after which this thread checkpoints it. The thread of runs does so earlier,
 * because this thread has to react to keys and callers.
 */
const SETTLE_AFTER = 4000

function opened(location: string): Database {
  try {
    return openDatabase(location, { setup: `${WRITE_AHEAD_LOG} PRAGMA wal_autocheckpoint = ${SETTLE_AFTER};` })
  } catch (error) {
    throw storageProblem(error) ?? error
  }
}

function isComplete(database: Database): boolean {
  if (schemaOf(database) !== SCHEMA || hasPlainUrls(database)) return false
  const { get } = createSettings(database)
  return get('cursorSecret') !== undefined && get('sealingKeyCheck') !== undefined
}

function transactionsOf({ write, read, state, close }: Database) {
  return { write, read, state, close }
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
    calls: () => createCallRows(database),
    agentTurns: () => createAgentTurnRows(database),
    agentProposals: () => createAgentProposalRows(database),
    chats: () => createChatRows(database),
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

declare module '../core/database/store.ts' {
  // Derived from the functions that create the rows, so that the code below the nouns does not need to know them.
  interface Store extends ReturnType<typeof rowsOf> {}
}

/** Calls each of these functions when it is first used, because most processes use only a few tables. */
function onFirstUse<T extends Record<string, () => unknown>>(makers: T): { readonly [K in keyof T]: ReturnType<T[K]> } {
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
    writeForOwner(directory.sealingKey, fresh, { flush: true })
    settings.set('sealingKeyCheck', checkOf(fresh))
    return fresh
  }
  if (!key || checkOf(key) !== known)
    throw new StorageError(
      `${directory.sealingKey} is missing or is not the key of this workspace; without it no server secret ` +
        'can be read.',
      'Put the file back from a backup, or start with another --data-dir.',
    )
  return key
}

function checkOf(key: Uint8Array): string {
  return createHmac('sha256', key).update('mcpdeck sealing key').digest('base64url')
}

/** Initial contents of a new workspace. */
export type WorkspaceOptions = StoreLocation & {
  /** Whether the workspace gets samples. They are inserted after it was opened. */
  samples?: boolean
  /** Name of the only project, which is then empty. Default: a sandbox to try things in. */
  emptyProject?: string
}

/** Opens the workspace and creates it on first use. @throws as {@link openStore} */
export function openWorkspace(options: WorkspaceOptions): { store: Store; localKey: string } {
  const store = openStore(options)
  try {
    // The write lock makes two processes that start at the same time take turns. Most starts have nothing to write.
    const localKey = store.read(() => readyKey(store)) ?? store.write(() => prepareWorkspace(store, options))
    return { store, localKey }
  } catch (error) {
    store.close()
    throw error
  }
}

function readyKey(store: Store): string | undefined {
  if (store.settings.get('localOrganizationId') === undefined || movedReferenceServer(store)) return undefined
  return countingKey(store, store.directory?.localKey)?.key
}

/**
 * Prepares the workspace: organization, account, key and first project. If it exists, only paths that have changed are
 * updated.
 * @returns the owner's key
 */
function prepareWorkspace(store: Store, { samples, emptyProject }: WorkspaceOptions): string {
  const isNew = store.settings.get('localOrganizationId') === undefined
  if (isNew) {
    store.settings.set('localOrganizationId', store.organizations.insert('Local workspace').id)
    store.settings.set('localAccountId', store.organizations.insertAccount('Local account').id)
  }
  const { key, keyId } = ensureKeyFile(store, store.directory?.localKey, 'local')
  if (isNew) {
    if (emptyProject === undefined) seedSandbox(store, keyId)
    else insertProject(store, { name: emptyProject, description: null })
    if (samples) store.samples.setDue(SAMPLE_STEPS)
  } else followReferenceServer(store)
  return key
}
