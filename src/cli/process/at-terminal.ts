import { fstatSync } from 'node:fs'
import { isatty } from 'node:tty'

/**
 * Whether a person sits at both ends. Asked without opening the streams, and without the module that knows where an end
 * can be no terminal: both cost milliseconds, and a server to be tried starts only then.
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
