import { lstatSync, readdirSync, realpathSync, rmSync, statSync, utimesSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { getAsset, getRawAsset } from 'node:sea'
import { systemErrorReason } from './api/client/errors/system-error-text.ts'
import { UsageError } from './cli/arguments/usage-error.ts'
import { directories } from './cli/config/directories.ts'
import { EXIT } from './cli/process/exit-codes.ts'
import { makeDirectory } from './lib/files/make-directory.ts'
import { exposureOfPrivate } from './lib/files/owner-only.ts'
import { writeForOwner } from './lib/files/write-atomically.ts'

/** The contents of a single executable: a digest over all files, and the size of each by its path in the package. */
type Contents = { digest: string; files: Readonly<Record<string, number>> }

/** Milliseconds for which another version's files are kept after they were unpacked. */
const STALE_MS = 30 * 24 * 3_600_000

// The first file of a single executable. Node needs threads, servers and chunks as files, so this file unpacks the
// program once below the user's cache, with the layout of the package, and starts it from there.
const { digest, files } = JSON.parse(getAsset('contents', 'utf8')) as Contents

/** Modification time of every file, in seconds: a file with another time was changed after it was written. */
const writtenAt = Number.parseInt(digest.slice(0, 7), 16)

/** Unpacks files that are missing or changed; returns the folder with the files of all versions. */
function unpack(): string {
  const programs = privateFolder()
  const at = (name: string) => join(programs, digest, name)
  const wanted = Object.keys(files).filter(name => !isAsWritten(at(name), files[name]))
  if (wanted.length === 0) return programs
  assertWhole()
  for (const name of wanted) {
    writeForOwner(at(name), bytesOf(name))
    utimesSync(at(name), writtenAt, writtenAt)
  }
  removeStale(programs)
  return programs
}

/**
 * Returns a folder that nobody else can change. It is in the cache, unless a group can write to a folder there, as with
 * a umask of 002; then it is in the user's own runtime or temporary folder. A folder of all users, such as `/tmp`, is
 * not safe: another user could redirect what is written and removed to any folder of this user.
 */
function privateFolder(): string {
  const { folder, exposure } = folderIn(directories().cache)
  if (!exposure) return folder
  // If others have access to a folder of this user itself, a umask is not the reason.
  const parent = exposure.path === folder ? undefined : [process.env['XDG_RUNTIME_DIR'], tmpdir()].find(isPrivate)
  const own = parent && folderIn(join(parent, 'mcpdeck'))
  if (own && !own.exposure) return own.folder
  throw new UsageError(`${exposure.why}. ${exposure.next}`)
}

function isPrivate(folder: string | undefined): boolean {
  if (!folder || !isAbsolute(folder)) return false
  try {
    return statSync(folder).isDirectory() && exposureOfPrivate(realpathSync.native(folder)) === undefined
  } catch {
    // A variable left by another user's session may name a folder that this user cannot enter.
    return false
  }
}

function folderIn(parent: string) {
  const made = join(parent, 'programs')
  makeDirectory(made)
  const folder = realpathSync.native(made)
  return { folder, exposure: exposureOfPrivate(folder) }
}

function isAsWritten(file: string, size: number | undefined): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  return stats?.isFile() === true && stats.size === size && stats.mtimeMs === writtenAt * 1000
}

/** Refuses a damaged or changed executable, which would otherwise run for years from what it once unpacked. */
function assertWhole(): void {
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256')
  for (const name of Object.keys(files)) hash.update(`${name}\0`).update(bytesOf(name))
  if (hash.digest('hex') !== digest) throw new UsageError('this executable is damaged; download it again.')
}

function bytesOf(name: string): Uint8Array {
  return new Uint8Array(getRawAsset(name))
}

function removeStale(programs: string): void {
  for (const name of readdirSync(programs).filter(each => each !== digest)) {
    const folder = join(programs, name)
    if (Date.now() - statSync(folder).mtimeMs > STALE_MS) rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Returns the script to run if this program starts itself or its reference server: as in Node, the first argument is
 * then the path of one of its files, of any version. Otherwise undefined.
 */
function scriptOf(programs: string, first: string | undefined): string | undefined {
  const [, ...part] = first?.startsWith(`${programs}/`) ? first.slice(programs.length + 1).split('/') : []
  return Object.hasOwn(files, part.join('/')) ? join(programs, digest, ...part) : undefined
}

function start(): string | undefined {
  try {
    const programs = unpack()
    const [executable = process.execPath, , ...words] = process.argv
    const script = scriptOf(programs, words[0])
    const file = script ?? join(programs, digest, 'dist/boot.js')
    process.argv = [executable, file, ...words.slice(script === undefined ? 0 : 1)]
    return file
  } catch (error) {
    const sentence =
      error instanceof UsageError
        ? error.message
        : `it cannot unpack itself: ${systemErrorReason(error)}. Set XDG_CACHE_HOME to a directory of your own.`
    process.stderr.write(`mcpdeck: ${sentence}\n`)
    process.exitCode = EXIT.usage
    return undefined
  }
}

const file = start()
if (file !== undefined) createRequire(file)(file)
