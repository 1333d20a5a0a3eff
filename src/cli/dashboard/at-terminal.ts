import { fstatSync } from 'node:fs'

/**
 * Whether a person sits at both ends. The streams themselves are asked only where they can be a terminal: to open them
 * costs milliseconds, which a start into a pipe does without.
 */
export function isAtTerminal(): boolean {
  return [0, 1].every(canBeTerminal) && process.stdin.isTTY && process.stdout.isTTY
}

function canBeTerminal(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice()
  } catch {
    return false
  }
}
