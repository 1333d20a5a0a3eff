import { existsSync } from 'node:fs'
import { newId } from '../core/ids.ts'
import { countingKey, ensureKeyFile } from '../core/access/key-files.ts'
import { referenceServerCommand } from '../reference-server.ts'
import { sandboxTests } from '../sandbox/tests.ts'
import { insertServer } from '../servers/records.ts'
import type { ProjectRow } from '../store/projects.ts'
import { SAMPLE_STEPS } from '../samples/rows.ts'
import type { ServerRow } from '../store/servers.ts'
import { openStore, type Store, type StoreLocation } from './store.ts'
import { insertSuite } from '../suites/records.ts'

const REFERENCE_SERVER = 'everything'

/** `samples` says whether a workspace that is made now is to get samples; the service inserts them when it is open. */
export type WorkspaceOptions = StoreLocation & { samples?: boolean }

/**
 * Opens the workspace, made ready on first use.
 * @throws as {@link openStore} does
 */
export function openWorkspace(options: WorkspaceOptions): { store: Store; localKey: string } {
  const store = openStore(options)
  try {
    // The write lock lets two processes that start at once take turns; most starts have nothing to write.
    const localKey =
      store.read(() => readyKey(store)) ?? store.write(() => prepareWorkspace(store, options.samples))
    return { store, localKey }
  } catch (error) {
    store.close()
    throw error
  }
}

/** The owner's key of a workspace that is ready as it stands. */
function readyKey(store: Store): string | undefined {
  if (store.settings.get('localOrganizationId') === undefined || movedReferenceServer(store)) return undefined
  return countingKey(store, store.directory?.localKey)?.key
}

/**
 * Makes the workspace ready: organization, account and key on first use, with a project to try things in; later
 * only what has moved is put right. Runs inside the caller's transaction.
 * @returns the owner's key
 */
export function prepareWorkspace(store: Store, samples = false): string {
  const isNew = store.settings.get('localOrganizationId') === undefined
  if (isNew) {
    store.settings.set('localOrganizationId', store.organizations.insert('Local workspace').id)
    store.settings.set('localAccountId', store.organizations.insertAccount('Local account').id)
  }
  const { key, keyId } = ensureKeyFile(store, store.directory?.localKey, 'local')
  if (isNew) {
    seedSandbox(store, keyId)
    if (samples) store.samples.setDue(SAMPLE_STEPS)
  } else followReferenceServer(store)
  return key
}

function seedSandbox(store: Store, keyId: string): void {
  const organizationId = store.settings.get('localOrganizationId') ?? ''
  const now = Date.now()
  const project: ProjectRow = {
    id: newId('prj'),
    organizationId,
    name: 'Sandbox',
    description: 'A place to try things: the MCP reference server and a suite of cases on it.',
    icon: null,
    visibility: 'private',
    createdAt: now,
    updatedAt: now,
  }
  store.projects.insert(project)
  const { command, args } = referenceServerCommand()
  const server = insertServer(store, project.id, {
    name: REFERENCE_SERVER,
    enabled: true,
    transportType: 'stdio',
    command,
    args,
  })
  store.settings.set('referenceServerId', server.id)
  insertSuite(store, project.id, keyId, {
    name: 'Reference server smoke',
    description: 'Ten cases on the MCP reference server. One of them fails by design.',
    serverIds: [server.id],
    tests: sandboxTests(REFERENCE_SERVER),
  })
}

function followReferenceServer(store: Store): void {
  const server = movedReferenceServer(store)
  if (server) store.servers.update({ ...server, secrets: { ...server.secrets, ...referenceServerCommand() } })
}

/** An update of mcpdeck or Node moves the program that the record names; a path that still exists is left alone. */
function movedReferenceServer(store: Store): ServerRow | undefined {
  const id = store.settings.get('referenceServerId')
  const server = id === undefined ? undefined : store.servers.find(id)
  const { command, args = [] } = server?.secrets ?? {}
  if (!server || server.transportType !== 'stdio' || command === undefined) return undefined
  return existsSync(command) && args[0] !== undefined && existsSync(args[0]) ? undefined : server
}
