import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeDirectory } from './make-directory.ts'
import { outputTarget, writeIntoStream } from './output-target.ts'

const OWNER_ONLY = 0o600

/**
 * Writes a file atomically: after a crash it has either the old or the new content. An existing device or pipe is
 * written to; see {@link outputTarget}.
 * @param options.mode of a new file, 0666 less the umask by default
 * @param options.flush whether the content is on disk on return, and survives a power loss
 * @throws errors of the file system, in which case no temporary file is left
 */
export function writeAtomically(
  path: string,
  content: string | Uint8Array,
  options: { mode?: number; flush?: boolean } = {},
): void {
  const target = outputTarget(path)
  if ('stream' in target) return writeIntoStream(target.stream, content)
  const fresh = `${target.file}.${process.pid}.${Math.random().toString(36).slice(2)}`
  try {
    writeFileSync(fresh, content, options)
    renameSync(fresh, target.file)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  }
}

/**
 * Like `writeAtomically`, for a file that only its owner can read. Missing directories are created, also only for the
 * owner.
 */
export function writeForOwner(path: string, content: string | Uint8Array, options: { flush?: boolean } = {}): void {
  makeDirectory(dirname(path))
  writeAtomically(path, content, { ...options, mode: OWNER_ONLY })
}
