import { chmodSync, closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { makeDirectory } from '../../../lib/files/make-directory.ts'

/** Where the parts of a local workspace lie. */
export type DataDirectory = {
  readonly path: string
  /** SQLite database; `-wal` and `-shm` beside it belong to it. */
  readonly database: string
  /** Key that seals server secrets, 32 bytes. */
  readonly sealingKey: string
  /** The workspace's own API key as text. */
  readonly localKey: string
  /** Key of the clients of `mcpdeck serve`: apart from the owner's, because limits count per key. */
  readonly serveKey: string
}

const OWNER_ONLY = 0o600
const OWNER_ONLY_DIRECTORY = 0o700

/** Where the parts lie, whether they are there or not. */
export function dataDirectory(path: string): DataDirectory {
  return {
    path,
    database: join(path, 'mcpdeck.sqlite'),
    sealingKey: join(path, 'secret.key'),
    localKey: join(path, 'local.key'),
    serveKey: join(path, 'serve.key'),
  }
}

/** Creates the directory and the database file with rights for their owner only, and takes others' away. */
export function prepareDataDirectory(path: string): DataDirectory {
  makeDirectory(resolve(path))
  chmodSync(path, OWNER_ONLY_DIRECTORY)
  const parts = dataDirectory(path)
  const { database } = parts
  // Closing any handle of an open database takes SQLite's locks on it away from the whole process.
  if (!existsSync(database)) closeSync(openSync(database, 'a', OWNER_ONLY))
  chmodSync(database, OWNER_ONLY)
  return parts
}

/** Content of a secret file, or undefined when there is none. */
export function readSecretFile(path: string): Buffer | undefined {
  return existsSync(path) ? readFileSync(path) : undefined
}
