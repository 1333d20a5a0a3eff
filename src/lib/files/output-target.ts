import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, resolve } from 'node:path'

/** Maximum number of links that are followed, the same as on Linux. */
const MOST_LINKS = 40

/**
 * Returns where output to a path goes. A symbolic link is kept and its target is written. Anything but a regular file,
 * such as a device or a pipe, is written to as it is and never replaced, and so is a file that is an output of this
 * process.
 * @throws errors of the file system except a missing file, and an error for a link that another user may have created
 */
export function outputTarget(path: string): { file: string } | { stream: string } {
  const found = statSync(path, { throwIfNoEntry: false })
  // Links such as `/dev/stdout` and a shell's `>(…)` may lead to something that has no path.
  if (found && !found.isFile() && !found.isDirectory()) return { stream: path }
  if (found?.isFile() && openFileOf(path) !== undefined) return { stream: path }
  // If the target is a directory, writing the file fails later.
  return { file: followed(path) }
}

/**
 * Returns which open file of this process a path such as `/dev/stdout` names, even if a shell redirected it to a file.
 * Output is appended to that file, since replacing it would lose everything else written there.
 */
function openFileOf(path: string, links = 0): number | undefined {
  const folder = realpathSync(dirname(path))
  if (folder === `/proc/${process.pid}/fd` || folder === '/dev/fd') return Number(basename(path))
  const at = resolve(folder, basename(path))
  if (links === MOST_LINKS || !lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) return undefined
  return openFileOf(resolve(folder, readlinkSync(at)), links + 1)
}

function followed(path: string, links = 0): string {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found?.isSymbolicLink() || links === MOST_LINKS) return path
  const next = readlinkSync(path)
  // This is the kernel's rule for links in `/tmp`: otherwise such a link could redirect a write to any of our files.
  const trusted = [process.geteuid?.() ?? found.uid, 0, lstatSync(dirname(path)).uid]
  if (!trusted.includes(found.uid)) throw new Error(`it is a link of another user, to ${next}`)
  return followed(resolve(dirname(path), next), links + 1)
}

/** Without this flag, opening a pipe that has no reader would block. */
const AT_ONCE = constants.O_NONBLOCK ?? 0

/**
 * Opens a file, or a device or pipe in its place, for appending. The file is created if needed, and made readable only
 * by its owner. A device or pipe keeps its mode.
 * @throws errors of the file system, such as for a pipe without a reader
 */
export function openToAppend(path: string): number {
  const descriptor = openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | AT_ONCE, 0o600)
  if (fstatSync(descriptor).isFile()) fchmodSync(descriptor, 0o600)
  return descriptor
}

/** An open device or pipe. Closing it signals the end to the reader of a pipe. */
export type OutputStream = { write: (content: string | Uint8Array) => void; close: () => void }

/**
 * Opens a device, a pipe or an output of this process.
 * @throws errors of the file system, such as for a pipe without a reader
 */
export function openStream(path: string): OutputStream {
  const own = statSync(path).isFile() ? openFileOf(path) : undefined
  if (own !== undefined) return { write: content => writeAll(own, content), close: () => undefined }
  // Fails at once if a pipe has no reader; otherwise the second open does not block. A slow reader is waited for.
  const probe = openSync(path, constants.O_WRONLY | AT_ONCE)
  try {
    const descriptor = openSync(path, constants.O_WRONLY)
    return { write: content => writeAll(descriptor, content), close: () => closeSync(descriptor) }
  } finally {
    closeSync(probe)
  }
}

function writeAll(descriptor: number, content: string | Uint8Array): void {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at)
}

/**
 * Writes all content to a device or a pipe.
 * @throws errors of the file system, such as for a pipe without a reader
 */
export function writeIntoStream(path: string, content: string | Uint8Array): void {
  const stream = openStream(path)
  try {
    stream.write(content)
  } finally {
    stream.close()
  }
}
