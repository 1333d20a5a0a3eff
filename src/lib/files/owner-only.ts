import { lstatSync, realpathSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'

/** Why another user of this machine can change a file: what is wrong with `path`, and how to fix it. */
export type Exposure = { path: string; why: string; next: string }

const OTHERS = 0o077
const OTHERS_WRITE = 0o022
const STICKY = 0o1000

/**
 * Returns why another user can change or replace a file: its owner or mode, or those of a directory above it. Undefined
 * if only this user and root can.
 * @param path absolute, without symbolic links: `realpath` of the file
 * @throws errors of the file system
 */
export function exposureOf(path: string): Exposure | undefined {
  const user = process.geteuid?.()
  if (user === undefined) return undefined
  // The owner of the root directory can change everything; in a container that may be an unknown id.
  const trusted = new Set([user, 0, lstatSync('/').uid])
  for (let at = path; ; at = dirname(at)) {
    const { uid, mode } = lstatSync(at)
    if (!trusted.has(uid))
      return { path: at, why: `${at} belongs to another user`, next: `Use one of your own, or chown it: ${at}` }
    // In a sticky directory only the owner of an entry can replace it, and owners are checked here.
    const isShared = (mode & OTHERS_WRITE) !== 0 && !(at !== path && (mode & STICKY) !== 0)
    if (isShared)
      return {
        path: at,
        why: `${at} can be written by others (mode ${(mode & 0o777).toString(8)})`,
        next: `chmod go-w ${at}`,
      }
    if (at === dirname(at)) return undefined
  }
}

/** Like `exposureOf` for an open file, which may no longer be the file at its path. */
export function exposureOfOpen(path: string, open: Pick<Stats, 'dev' | 'ino'>): Exposure | undefined {
  const real = realpathSync(path)
  const { dev, ino } = lstatSync(real)
  if (dev !== open.dev || ino !== open.ino)
    return { path, why: `${path} was replaced while it was read`, next: 'Try again.' }
  return exposureOf(real)
}

/** Like `exposureOf` for a directory that nobody else may even read. */
export function exposureOfPrivate(directory: string): Exposure | undefined {
  const exposure = exposureOf(directory)
  const mode = lstatSync(directory).mode & 0o777
  if (exposure || process.platform === 'win32' || (mode & OTHERS) === 0) return exposure
  const why = `${directory} can be read by others (mode ${mode.toString(8)})`
  return { path: directory, why, next: `Remove it, and it is made again: rm -r ${directory}` }
}
