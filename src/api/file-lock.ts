import { closeSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeDirectory } from '../lib/files/make-directory.ts'

/** Longest wait for another process, whose change takes milliseconds. */
const PATIENCE_MS = 2_000

/**
 * Does work on a file while no other process does. The lock is a database beside the file: the system frees it with its process, however
 * that ends. Throws where there can be no lock, or the other process holds it too long.
 */
export function alone<T>(file: string, work: () => T): T {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  makeDirectory(dirname(file))
  closeSync(openSync(`${file}.lock`, 'a', 0o600))
  const lock = new DatabaseSync(`${file}.lock`, { timeout: PATIENCE_MS })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return work()
  } finally {
    lock.close()
  }
}

/** Changes whenever a file that is written whole is written again, taken away or put back. */
export function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false })
  return found ? `${found.ino} ${found.mtimeMs} ${found.size}` : ''
}
