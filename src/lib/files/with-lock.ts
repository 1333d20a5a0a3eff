import { closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeDirectory } from './make-directory.ts'

/** Milliseconds to wait for another process's lock. Its change takes milliseconds. */
const PATIENCE_MS = 2_000

/**
 * Runs work while no other process holds a lock. The lock is a database, which the system releases whenever a process
 * ends.
 * @param unlocked called instead if no lock can be created, or if another process holds it too long
 */
export function withLock<T>(lockFile: string, work: () => T, unlocked: (error: unknown) => T): T {
  let hasBegun = false
  try {
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
    makeDirectory(dirname(lockFile))
    closeSync(openSync(lockFile, 'a', 0o600))
    const lock = new DatabaseSync(lockFile, { timeout: PATIENCE_MS })
    try {
      lock.exec('BEGIN EXCLUSIVE')
      hasBegun = true
      return work()
    } finally {
      lock.close()
    }
  } catch (error) {
    if (hasBegun) throw error
    return unlocked(error)
  }
}
