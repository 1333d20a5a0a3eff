import { ServiceError } from './errors.ts'
import { digest } from './ids.ts'
import type { Store } from './database/store.ts'

/** The intent behind a create: `scope` names the operation and who may repeat it, `key` is the caller's. */
type Intent = { scope: string; key: string | undefined; body: unknown }

/**
 * Makes a record in one transaction; a repeat under the same key makes nothing and gets the first answer again
 * (limits-and-errors, section 5).
 * @throws ServiceError `CONFLICT` when the key came with another body before, and whatever `make` throws
 */
export function createOnce<T>(store: Store, { scope, key, body }: Intent, make: () => T): T {
  if (key === undefined) return store.write(make)
  const bodyDigest = digest(body)
  return store.write(() => {
    const earlier = store.idempotency.find(scope, key)
    if (earlier) {
      if (earlier.digest === bodyDigest) return earlier.reply as T
      throw new ServiceError('CONFLICT', 'This idempotency key was already used with another body.', {
        details: { field: 'idempotencyKey' },
      })
    }
    const made = make()
    store.idempotency.insert(scope, key, bodyDigest, made)
    return made
  })
}
