import { accessSync, constants, mkdirSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Twice the maximum size of the temporary files of a whole test run, in bytes. */
const LEAST_FREE = 1_000_000_000

/** The first writable folder with the given number of free bytes; the last one if none has. */
export function roomyFolder(folders: readonly string[], leastFree: number): string {
  const isRoomy = (folder: string): boolean => {
    try {
      accessSync(folder, constants.W_OK | constants.X_OK)
      const { bavail, bsize } = statfsSync(folder)
      return bavail * bsize >= leastFree
    } catch {
      return false
    }
  }
  return folders.find(isRoomy) ?? folders.at(-1)!
}

/**
 * Makes this process and all its children store temporary files elsewhere if the usual folder is full or not writable.
 */
export function chooseRoomyFolder(): void {
  const own = join(import.meta.dirname, '../node_modules/.cache/tmp')
  mkdirSync(own, { recursive: true })
  process.env['TMPDIR'] = roomyFolder([tmpdir(), '/var/tmp', own], LEAST_FREE)
}
