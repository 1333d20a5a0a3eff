import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const OWNER_ONLY = 0o700

/**
 * Makes a directory and its missing parents, readable by the owner only. Node's recursive mkdir never returns if the
 * first missing directory cannot be made, as below `/proc`, so this makes that one separately.
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
    // It exists, or another process made it first.
    if (code !== 'EEXIST') throw error
  }
  if (statSync(first, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw systemError('ENOTDIR', 'not a directory', first)
  mkdirSync(path, { recursive: true, mode: OWNER_ONLY })
}

/** Has the fields of Node's file system errors, for callers that check them. */
function systemError(code: string, why: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${path}: ${why}`), { code, syscall: 'mkdir' })
}
