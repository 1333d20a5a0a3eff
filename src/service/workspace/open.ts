import { countingKey, ensureKeyFile } from '../core/access/key-files.ts'
import type { Store } from '../core/database/store.ts'
import { SAMPLE_STEPS } from '../samples/rows.ts'
import { followReferenceServer, movedReferenceServer, seedSandbox } from '../sandbox/sandbox.ts'
import { openStore, type StoreLocation } from './store.ts'

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
    const localKey = store.read(() => readyKey(store)) ?? store.write(() => prepareWorkspace(store, options.samples))
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
