import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'

/** As many as Linux follows. */
const MOST_LINKS = 40

/**
 * Where output to a path goes. A symbolic link leads to its file, so that this is written and the link stays; what is
 * there and is no regular file, such as a device or a pipe, is written to as it is and never replaced.
 * @throws errors of the file system, other than that nothing is there, and a link that another user may have put there
 */
export function outputTarget(path: string): { file: string } | { stream: string } {
  const file = followed(path)
  const found = statSync(file, { throwIfNoEntry: false })
  // A directory is refused by what writes a file.
  return !found || found.isFile() || found.isDirectory() ? { file } : { stream: file }
}

function followed(path: string, links = 0): string {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found?.isSymbolicLink() || links === MOST_LINKS) return path
  const next = readlinkSync(path)
  // As the kernel does it for links in `/tmp`, which would otherwise lead a write to any file of ours.
  const isOwn = found.uid === (process.geteuid?.() ?? found.uid) || found.uid === lstatSync(dirname(path)).uid
  if (!isOwn) throw new Error(`it is a link of another user, to ${next}`)
  return followed(resolve(dirname(path), next), links + 1)
}

/** Without it a pipe that nobody reads would be waited for. */
const AT_ONCE = constants.O_NONBLOCK ?? 0

/**
 * Opens a file to add to, or what stands there instead of one. A file is its owner's alone; what is no file keeps its
 * mode.
 * @throws errors of the file system, as that nobody reads a pipe
 */
export function openToAppend(path: string): number {
  const descriptor = openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | AT_ONCE, 0o600)
  if (fstatSync(descriptor).isFile()) fchmodSync(descriptor, 0o600)
  return descriptor
}

/** Writes to a device or a pipe. @throws errors of the file system, as that nobody reads a pipe */
export function writeIntoStream(path: string, content: string | Uint8Array): void {
  // Somebody reads it, so that opening it again ends at once, and a slow reader is waited for.
  closeSync(openSync(path, constants.O_WRONLY | AT_ONCE))
  const descriptor = openSync(path, constants.O_WRONLY)
  try {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at)
  } finally {
    closeSync(descriptor)
  }
}
