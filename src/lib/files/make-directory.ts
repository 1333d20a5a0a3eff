import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const OWNER_ONLY = 0o700

/**
 * Creates a directory and its missing parents, readable only by the owner. Node's recursive mkdir never returns if the
 * first missing directory cannot be created, as below `/proc`, so that directory is created separately.
 * @throws errors of the file system
 */
export function makeDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  let first = path
  while (!existsSync(dirname(first))) first = dirname(first)
  try {
    mkdirSync(first, { mode: OWNER_ONLY })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw systemError(code, 'no directory can be made there', first)
    // The directory exists, or another process created it first.
    if (code !== 'EEXIST') throw error
  }
  if (statSync(first, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw systemError('ENOTDIR', 'not a directory', first)
  mkdirSync(path, { recursive: true, mode: OWNER_ONLY })
}

/** Returns an error with the fields of Node's file system errors, for callers that check them. */
function systemError(code: string, why: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${path}: ${why}`), { code, syscall: 'mkdir' })
}
