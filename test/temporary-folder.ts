import { accessSync, constants, mkdirSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What a run of all tests has in its temporary folders at most, and as much again; bytes. */
const LEAST_FREE = 1_000_000_000

/** The first folder in which one can write and that has so many bytes free; the last one where none has. */
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

/** Has this process and all that it starts keep temporary files elsewhere where the usual folder is full or closed. */
export function chooseRoomyFolder(): void {
  const own = join(import.meta.dirname, '../node_modules/.cache/tmp')
  mkdirSync(own, { recursive: true })
  process.env['TMPDIR'] = roomyFolder([tmpdir(), '/var/tmp', own], LEAST_FREE)
}
