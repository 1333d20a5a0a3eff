import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeDirectory } from './make-directory.ts'
import { outputTarget, writeIntoStream } from './output-target.ts'

const OWNER_ONLY = 0o600

/**
 * Writes a file whole or not at all: a crash leaves the old content or the new one. A device or a pipe that is there
 * gets the content; see {@link outputTarget}.
 * @param options.mode of a new file, 0666 less the umask by default
 * @param options.flush whether the content is on the disk when this returns, and survives a loss of power
 * @throws errors of the file system, and then nothing is left beside the file
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

/** The same for a file that only its owner reads; directories that are missing are made, for their owner only. */
export function writeForOwner(path: string, content: string | Uint8Array, options: { flush?: boolean } = {}): void {
  makeDirectory(dirname(path))
  writeAtomically(path, content, { ...options, mode: OWNER_ONLY })
}
