import { homedir } from 'node:os'
import { resolve } from 'node:path'

/**
 * Resolves a path that a person typed where no shell expands it. `~/` is the home directory; other paths are relative
 * to the folder in which the program started.
 */
export function namedPath(typed: string): string {
  return resolve(typed.trim().replace(/^~(?=\/)/, homedir()))
}
