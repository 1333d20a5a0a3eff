import { lstatSync, realpathSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'

/** What lets another user of this machine change a file: what is wrong with `path`, and what to do about it. */
export type Exposure = { path: string; why: string; next: string }

const OTHERS = 0o077
const OTHERS_WRITE = 0o022
const STICKY = 0o1000

/**
 * What lets another user change a file, or put another one in its place: its owner or mode, or those of a directory
 * above it. Undefined where nobody but this user and root can.
 * @param path absolute, without symbolic links: `realpath` of the file
 * @throws errors of the file system
 */
export function exposureOf(path: string): Exposure | undefined {
  const user = process.geteuid?.()
  if (user === undefined) return undefined
  // Whoever owns the root directory can change everything; in a container that may be an unknown id.
  const trusted = new Set([user, 0, lstatSync('/').uid])
  for (let at = path; ; at = dirname(at)) {
    const { uid, mode } = lstatSync(at)
    if (!trusted.has(uid))
      return { path: at, why: `${at} belongs to another user`, next: `Use one of your own, or chown it: ${at}` }
    // In a sticky directory only the owner of an entry can replace it, and owners are checked.
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

/** As `exposureOf`, of a file that is open, which its path may not lead to any more. */
export function exposureOfOpen(path: string, open: Pick<Stats, 'dev' | 'ino'>): Exposure | undefined {
  const real = realpathSync(path)
  const { dev, ino } = lstatSync(real)
  if (dev !== open.dev || ino !== open.ino)
    return { path, why: `${path} was replaced while it was read`, next: 'Try again.' }
  return exposureOf(real)
}

/** As `exposureOf`, of a directory that nobody else may even look into. */
export function exposureOfPrivate(directory: string): Exposure | undefined {
  const exposure = exposureOf(directory)
  const mode = lstatSync(directory).mode & 0o777
  if (exposure || process.platform === 'win32' || (mode & OTHERS) === 0) return exposure
  const why = `${directory} can be read by others (mode ${mode.toString(8)})`
  return { path: directory, why, next: `Remove it, and it is made again: rm -r ${directory}` }
}
