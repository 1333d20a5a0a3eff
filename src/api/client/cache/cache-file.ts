import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { writeForOwner } from '../../../lib/files/write-atomically.ts'

/** An answer as stored on disk. */
export type StoredAnswer = {
  /** Key of the query: resource, name, input, and `pages` for a list with a cursor. */
  key: readonly unknown[]
  /** Time of the read in epoch milliseconds. */
  at: number
  json: string
}

const FORMAT = 1

/** Returns the file name of the cache of a data source, in the cache directory. `identity` must not be a secret. */
export function cacheFileName(identity: string): string {
  return `answers-${identity}`
}

/** Returns the stored answers; none if the file is missing, damaged or of another program version. */
export function readCacheFile(file: string, program: string): StoredAnswer[] {
  try {
    const text = readFileSync(file, 'utf8')
    const end = text.indexOf('\n')
    const body = text.slice(end + 1)
    return text.slice(0, end) === headOf(body, program) ? answersIn(body) : []
  } catch {
    return []
  }
}

/** Replaces the stored answers. The file is readable only for its owner. Throws if it cannot be written. */
export function writeCacheFile(file: string, program: string, answers: readonly StoredAnswer[]): void {
  const body = answers.map(({ key, at, json }) => `${JSON.stringify([key, at])}\n${json}`).join('\n')
  writeForOwner(file, `${headOf(body, program)}\n${body}`)
}

/** Splits the body into answers. Each takes two lines, so that its content is not encoded twice. */
function answersIn(body: string): StoredAnswer[] {
  const lines = body === '' ? [] : body.split('\n')
  return Array.from({ length: lines.length / 2 }, (_, index) => {
    const [key, at] = JSON.parse(lines[2 * index] ?? '') as [key: unknown[], at: number]
    return { key, at, json: lines[2 * index + 1] ?? '' }
  })
}

/** Returns the head of a complete file of this format and program. */
function headOf(body: string, program: string): string {
  return `mcpdeck-answers ${FORMAT} ${program} ${createHash('sha256').update(body).digest('hex')}`
}
