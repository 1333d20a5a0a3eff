import { fstatSync } from 'node:fs'
import { isatty } from 'node:tty'

/**
 * Whether both standard input and output are terminals. Checked without opening the streams and without the module for
 * special cases: both cost milliseconds, by which a server to be tried would start later.
 */
export function isAtTerminal(): boolean {
  return [0, 1].every(descriptor => canBeTerminal(descriptor) && isatty(descriptor))
}

function canBeTerminal(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice()
  } catch {
    return false
  }
}
