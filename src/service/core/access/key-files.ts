import { findKey, looksLikeKey, makeKey, registerKey } from './keys.ts'
import { readSecretFile } from '../database/data-directory.ts'
import type { KeyRow } from './rows.ts'
import type { Store } from '../database/store.ts'
import { writeForOwner } from '../../../lib/files/write-atomically.ts'

/**
 * An owner's key that is kept in a file: the one in the file while it counts, also when its database was
 * deleted; a fresh one when there is none or it was revoked or orphaned.
 * @param file undefined for a workspace in memory
 */
export function ensureKeyFile(store: Store, file: string | undefined, name: string): { key: string; keyId: string } {
  return store.write(() => {
    const kept = keyIn(file)
    if (kept !== undefined && !findKey(store, kept))
      return { key: kept, keyId: registerKey(store, kept, name, { role: 'admin' }).id }
    const counting = countingKey(store, file)
    if (counting) return counting
    const { key, summary } = makeKey(store, name, { role: 'admin' })
    if (file !== undefined) writeForOwner(file, `${key}\n`, { flush: true })
    return { key, keyId: summary.id }
  })
}

/** The key in a file while it counts; undefined is for {@link ensureKeyFile} to put right. */
export function countingKey(store: Store, file: string | undefined): { key: string; keyId: string } | undefined {
  const key = keyIn(file)
  const known = key === undefined ? undefined : findKey(store, key)
  if (key === undefined || !known || known.revokedAt !== null || isReplaceable(store, known)) return undefined
  return { key, keyId: known.id }
}

function keyIn(file: string | undefined): string | undefined {
  const text = file === undefined ? undefined : readSecretFile(file)?.toString('utf8').trim()
  return text !== undefined && looksLikeKey(text) ? text : undefined
}

/** An orphan whose organization still stands; without one no key could be made. */
function isReplaceable(store: Store, { organizationId }: KeyRow): boolean {
  const own = store.settings.get('localOrganizationId')
  return organizationId === null && own !== undefined && store.organizations.get(own) !== undefined
}
