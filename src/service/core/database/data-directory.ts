import { chmodSync, closeSync, existsSync, openSync, readdirSync, readFileSync, statSync, type Stats } from 'node:fs'
import { join, resolve } from 'node:path'
import { makeDirectory } from '../../../lib/files/make-directory.ts'

/** Paths of the files of a local workspace. */
export type DataDirectory = {
  readonly path: string
  /** SQLite database, with its `-wal` and `-shm` files next to it. */
  readonly database: string
  /** Key that encrypts server secrets, 32 bytes. */
  readonly sealingKey: string
  /** The workspace's own API key as text. */
  readonly localKey: string
  /** Key for the clients of `mcpdeck serve`. It differs from the owner's key, because limits are counted by key. */
  readonly serveKey: string
}

const OWNER_ONLY = 0o600
const OWNER_ONLY_DIRECTORY = 0o700

/** Returns the paths of the files, whether or not they exist. */
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
 * Creates the directory and database file, accessible only to their owner. A directory of another user is refused,
 * because root would otherwise close `/tmp` to all others. A directory is also refused if it contains other files that
 * others may read.
 * @throws errors with their own sentences, and those of the file system
 */
export function prepareDataDirectory(path: string): DataDirectory {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) requireOwn(path, found)
  makeDirectory(resolve(path))
  chmodSync(path, OWNER_ONLY_DIRECTORY)
  const parts = dataDirectory(path)
  const { database } = parts
  // Closing any handle of an open database would release the locks that SQLite holds in the whole process.
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

/** Returns the content of a secret file, or undefined if there is none. */
export function readSecretFile(path: string): Buffer | undefined {
  return existsSync(path) ? readFileSync(path) : undefined
}
