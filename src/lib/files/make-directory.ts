import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const OWNER_ONLY = 0o700

/**
 * Makes a directory for its owner only, and those above it that are missing. Node's own recursive way never returns
 * where none can be made in one that exists, as below `/proc`, so the first missing one is made by itself.
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
    // It is there, or another process was faster.
    if (code !== 'EEXIST') throw error
  }
  if (statSync(first, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw systemError('ENOTDIR', 'not a directory', first)
  mkdirSync(path, { recursive: true, mode: OWNER_ONLY })
}

/** With the marks of Node's own errors of the file system, for whoever expects those. */
function systemError(code: string, why: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${path}: ${why}`), { code, syscall: 'mkdir' })
}
