import { homedir } from 'node:os'
import { resolve } from 'node:path'

/**
 * The file that a person names where no shell reads it: `~/` is the home directory, else the folder of the start
 * counts.
 */
export function namedPath(typed: string): string {
  return resolve(typed.trim().replace(/^~(?=\/)/, homedir()))
}
