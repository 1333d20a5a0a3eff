import { StorageError } from '../../../api/contract/error.ts'
import { resultCode } from '../../../lib/sqlite.ts'

const FULL = 13
const UNWRITABLE = new Set([FULL, 8, 10])

const PROBLEMS: Readonly<Record<number, [sentence: string, next: string]>> = {
  [FULL]: [
    'The disk that holds the workspace is full.',
    'Free space on it, then try again. Stored data is intact and can be read.',
  ],
  8: ['The database of the workspace can only be read.', 'Make its files writable, then try again.'],
  10: ['The disk that holds the workspace fails or is full.', 'Check the disk and free space on it, then try again.'],
  11: damaged(),
  14: ['The database of the workspace cannot be opened.', 'Make its directory writable, then try again.'],
  26: damaged(),
}

/** Returns a sentence about a problem of the disk or the database that says what to do; undefined for other errors. */
export function storageProblem(error: unknown): StorageError | undefined {
  if (error instanceof StorageError) return error
  const [sentence, next] = PROBLEMS[resultCode(error)] ?? []
  return sentence === undefined || next === undefined ? undefined : new StorageError(sentence, next, error)
}

/**
 * Does work that can be done later, such as deleting old records. Returns undefined if the database cannot be written.
 */
export function writeWherePossible<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (UNWRITABLE.has(resultCode(error))) return undefined
    throw error
  }
}

function damaged(): [string, string] {
  return [
    'The database of the workspace is damaged.',
    'Stop mcpdeck and restore mcpdeck.sqlite from a backup, or move it away: the next start creates a new one.',
  ]
}
