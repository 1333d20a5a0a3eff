import { join } from 'node:path'
import { listKeys as keysOf, makeKey, revokeKey as revoke } from '../service/keys.ts'
import { openWorkspace } from '../service/sandbox.ts'
import { writeSecretFile } from '../service/store/data-directory.ts'
import { PROJECT_ROLES } from '../service/store/keys.ts'
import type { Store } from '../service/store/store.ts'
import { modelSettings } from './model-settings.ts'
import { resolveSettings, UsageError, type CommonOptions } from './settings.ts'
import { serve, ServeError, type ServeOptions } from './serve.ts'

/** What the `serve` command takes, as the command line gives it. */
export type ServeCommandOptions = Omit<ServeOptions, 'dataDir' | 'faults' | 'models'> & { fault: string[] }

/** Serves until it is told to stop. */
export async function runServe(common: CommonOptions, own: ServeCommandOptions): Promise<void> {
  const { dataDir } = resolveSettings({ ...common, local: true }, process.env)
  const models = modelSettings(process.env)
  const { fault, ...rest } = own
  try {
    await serve({ ...rest, dataDir, models, faults: fault })
  } catch (error) {
    if (error instanceof ServeError) throw new UsageError(error.message)
    throw error
  }
}

/** Opens the workspace's store for one piece of work. */
function withStore<T>(common: CommonOptions, work: (store: Store, dataDir: string) => T): T {
  const { dataDir } = resolveSettings({ ...common, local: true }, process.env)
  const { store } = openWorkspace({ dataDir })
  try {
    return work(store, dataDir)
  } finally {
    store.close()
  }
}

/** Makes a key and tells where its file lies; the key itself is never printed. */
export function createKey(common: CommonOptions, name: string, roleName: string): number {
  const role = PROJECT_ROLES.find(known => known === roleName)
  if (!role) throw new UsageError(`There is no role "${roleName}"; roles are ${PROJECT_ROLES.join(', ')}.`)
  return withStore(common, (store, dataDir) => {
    const { key, summary } = makeKey(store, name, { role })
    const file = join(dataDir, `${summary.id}.key`)
    writeSecretFile(file, `${key}\n`)
    process.stdout.write(`${summary.id} ${role} ${file}\n`)
    return 0
  })
}

/** Lists every key with its role; the keys themselves are not kept. */
export function listKeys(common: CommonOptions): number {
  return withStore(common, store => {
    for (const key of keysOf(store)) {
      const state = key.revokedAt === null ? (key.organizationId === null ? 'orphaned' : 'active') : 'revoked'
      process.stdout.write(`${key.id} ${key.prefix}… ${key.role ?? 'per project'} ${state} ${key.name}\n`)
    }
    return 0
  })
}

export function revokeKey(common: CommonOptions, id: string): number {
  return withStore(common, store => {
    if (!revoke(store, id))
      throw new UsageError(`There is no key ${id} that could be revoked; see mcpdeck serve key list.`)
    process.stdout.write(`${id} revoked\n`)
    return 0
  })
}
