import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeDirectory } from '../../lib/files/make-directory.ts'
import { createPins, MOST_PINS, type Pin, type Pins } from '../../domain/runs/pins.ts'

const VERSION = 1

/**
 * The runs that are followed, kept in a file for its owner only. Each change is made to what the file holds then, so that
 * two processes do not undo each other's. A file that is missing, broken or of another version holds none.
 */
export function openPins(options: { file: string; onFault: (error: unknown) => void }): Pins {
  const { file, onFault } = options
  return createPins(
    () => readPins(file),
    change => {
      const pins = change(readPins(file))
      try {
        writePins(file, pins)
      } catch (error) {
        onFault(error)
      }
      return pins
    },
  )
}

function readPins(file: string): Pin[] {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as { version: unknown; runs: unknown[] }
    return kept.version === VERSION ? kept.runs.filter(isPin).slice(-MOST_PINS) : []
  } catch {
    return []
  }
}

function isPin(value: unknown): value is Pin {
  const { projectId, runId, suiteId, label } = Object(value) as Record<string, unknown>
  const isOptional = (text: unknown): boolean => text === undefined || typeof text === 'string'
  return (
    typeof projectId === 'string' && typeof runId === 'string' && isOptional(suiteId) && isOptional(label)
  )
}

function writePins(file: string, runs: readonly Pin[]): void {
  makeDirectory(dirname(file))
  const fresh = `${file}.${process.pid}`
  try {
    writeFileSync(fresh, JSON.stringify({ version: VERSION, runs }), { mode: 0o600 })
    renameSync(fresh, file)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  }
}
