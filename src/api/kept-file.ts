import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeDirectory } from '../lib/files/make-directory.ts'

/** What a file of ours holds; undefined where it is missing or no JSON. Its reader checks the shape. */
export function readKeptFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as unknown
  } catch {
    return undefined
  }
}

/** Writes a file for its owner only, whole or not at all. Throws where it cannot. */
export function writeKeptFile(file: string, value: unknown): void {
  makeDirectory(dirname(file))
  const fresh = `${file}.${process.pid}`
  try {
    writeFileSync(fresh, JSON.stringify(value), { mode: 0o600 })
    renameSync(fresh, file)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  }
}
