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

/** As many as Linux follows. */
const MOST_LINKS = 40

/**
 * Where output to a path goes. A symbolic link leads to its file, so that this is written and the link stays; what is
 * there and is no regular file, such as a device or a pipe, is written to as it is and never replaced, nor is a file
 * that is an output of this process.
 * @throws errors of the file system, other than that nothing is there, and a link that another user may have put there
 */
export function outputTarget(path: string): { file: string } | { stream: string } {
  const found = statSync(path, { throwIfNoEntry: false })
  // What the links of `/dev/stdout` and of a shell's `>(…)` name is no path.
  if (found && !found.isFile() && !found.isDirectory()) return { stream: path }
  if (found?.isFile() && openFileOf(path) !== undefined) return { stream: path }
  // A directory is refused by what writes a file.
  return { file: followed(path) }
}

/**
 * Which open file of this process a path such as `/dev/stdout` names, also where a shell has led that into a file: this
 * one is written on, since to replace it would lose all else that is written there.
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
  // Much as the kernel does it for links in `/tmp`, which would otherwise lead a write to any file of ours.
  const trusted = [process.geteuid?.() ?? found.uid, 0, lstatSync(dirname(path)).uid]
  if (!trusted.includes(found.uid)) throw new Error(`it is a link of another user, to ${next}`)
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

/** A device or a pipe that is open: whoever reads a pipe takes its closing for the end. */
export type OutputStream = { write: (content: string | Uint8Array) => void; close: () => void }

/**
 * Opens a device, a pipe or an output of this process.
 * @throws errors of the file system, as that nobody reads a pipe
 */
export function openStream(path: string): OutputStream {
  const own = statSync(path).isFile() ? openFileOf(path) : undefined
  if (own !== undefined) return { write: content => writeAll(own, content), close: () => undefined }
  // While this is open somebody reads it, so that opening it again ends at once, and a slow reader is waited for.
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

/** Writes all of it to a device or a pipe. @throws errors of the file system, as that nobody reads a pipe */
export function writeIntoStream(path: string, content: string | Uint8Array): void {
  const stream = openStream(path)
  try {
    stream.write(content)
  } finally {
    stream.close()
  }
}
