import { chmodSync, writeFileSync } from 'node:fs'
import { outputTarget, writeIntoStream } from './output-target.ts'

/** Why a file was not written. */
export type WriteRefusal = 'exists' | { reason: string }

/**
 * Writes a file that a person named, only for its owner. An existing file is kept unless it may be replaced. A device
 * or a pipe is written to.
 */
export function writeUnlessThere(
  file: string,
  content: string | Uint8Array,
  replace: boolean,
): WriteRefusal | undefined {
  try {
    const target = outputTarget(file)
    if ('stream' in target) {
      writeIntoStream(target.stream, content)
      return undefined
    }
    writeFileSync(file, content, { mode: 0o600, flag: replace ? 'w' : 'wx' })
    // An existing file would keep its mode.
    chmodSync(file, 0o600)
    return undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return 'exists'
    return { reason: error instanceof Error ? error.message : String(error) }
  }
}
