import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { isBelow } from '../files/is-below.ts'
import { writeAtomically } from '../files/write-atomically.ts'
import { MAX_TEXT_BYTES, readText, type Read } from './yaml-reading.ts'

/**
 * Reads a file that a person named. Binary data and files that are too long are reported with their line.
 * @throws errors of the file system
 */
export function readTextFile(path: string): Read<string> {
  const file = openSync(path, 'r')
  try {
    // One byte more than allowed, so that the line that exceeds the limit can be named.
    const bytes = new Uint8Array(MAX_TEXT_BYTES + 1)
    let length = 0
    for (let read = -1; read !== 0; length += read) read = readSync(file, bytes, length, bytes.length - length, null)
    return readText(bytes.subarray(0, length))
  } finally {
    closeSync(file)
  }
}

/**
 * Returns a function that reads the files in a folder and below, as named in a text of that folder. A text that came
 * from elsewhere cannot have other files of the person read.
 */
export function filesBeside(folder: string) {
  return (name: string): { path: string; read: Read<string> } => {
    const path = join(folder, name)
    const isOutside = isAbsolute(name) || !isBelow(resolve(folder), resolve(path))
    const target = isOutside ? '' : realpathSync(path)
    if (isOutside || !isBelow(realpathSync(folder), target)) throw new Error(`it is outside of ${folder}`)
    if (!statSync(target).isFile()) throw new Error('it is not a regular file')
    return { path, read: readTextFile(target) }
  }
}

export function isFile(path: string): boolean {
  return existsSync(path)
}

/**
 * Writes a file atomically.
 * @throws errors of the file system
 */
export function writeTextFile(path: string, text: string): void {
  writeAtomically(path, text, { flush: true })
}
