import { chmodSync, closeSync, existsSync, openSync, readdirSync, readFileSync, statSync, type Stats } from 'node:fs'
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

/**
 * Creates directory and database file with rights for their owner only. A directory of somebody else is refused: as
 * root, `/tmp` would be taken from everybody.
 * @throws errors in words and those of the file system
 */
export function prepareDataDirectory(path: string): DataDirectory {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) requireOwn(path, found)
  makeDirectory(resolve(path))
  chmodSync(path, OWNER_ONLY_DIRECTORY)
  const parts = dataDirectory(path)
  const { database } = parts
  // Closing any handle of an open database takes SQLite's locks on it away from the whole process.
  if (!existsSync(database)) closeSync(openSync(database, 'a', OWNER_ONLY))
  chmodSync(database, OWNER_ONLY)
  return parts
}

function requireOwn(path: string, { uid, mode }: Stats): void {
  const user = process.geteuid?.() ?? uid
  if (uid !== user) throw new Error(`${path} belongs to another user; name a directory of your own.`)
  const isPrivate = process.platform === 'win32' || (mode & 0o077) === 0
  if (isPrivate || existsSync(dataDirectory(path).database) || readdirSync(path).length === 0) return
  throw new Error(
    `${path} holds other files, which others may read; name an empty directory, or one that is not there.`,
  )
}

/** Content of a secret file, or undefined when there is none. */
export function readSecretFile(path: string): Buffer | undefined {
  return existsSync(path) ? readFileSync(path) : undefined
}
