import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { withLock } from '../../lib/files/with-lock.ts'
import { isBusy } from '../../lib/sqlite.ts'
import { directories, realPath } from './directories.ts'

/**
 * Changes a file while no other command of this user changes it. The lock is not next to the file, which may be in a
 * repository.
 * @throws if another command holds the lock too long
 */
export function changeAlone<T>(file: string, change: () => T): T {
  const name = createHash('sha256').update(realPath(file)).digest('base64url').slice(0, 22)
  const folder = stateFolder()
  // A lock that cannot be created is no reason to refuse a change that can be made.
  if (folder === undefined) return change()
  return withLock(join(folder, 'locks', name), change, error => {
    if (isBusy(error)) throw new Error('another command is changing it', { cause: error })
    return change()
  })
}

/** Returns the folder for state; undefined where none can be found, as with a relative HOME. */
function stateFolder(): string | undefined {
  try {
    return directories().state
  } catch {
    return undefined
  }
}
