import type { Database } from '../../../lib/sqlite.ts'
import type { DoneWrite, EntryResult } from './entry.ts'

type DoneRow = Pick<DoneWrite, 'operation' | 'intendedAt' | 'outcome' | 'code' | 'finding'> &
  Record<'place', string> &
  Record<'result', string | null>

const SINCE = `SELECT operation, place, intendedAt, outcome, code, finding, result FROM entries
  WHERE profile = :profile AND intendedAt >= :at AND planned IS NULL ORDER BY id`
const NOTE = `UPDATE entries SET result = json_set(coalesce(result, '{}'), '$.words', :words)
  WHERE id = (SELECT max(id) FROM entries WHERE profile = :profile AND intendedAt >= :from AND outcome = 'succeeded'
    AND operation IN (SELECT value FROM json_each(:operations)))`
const LONGEST_WORDS = 500

/** The writes of a profile since a time, in epoch milliseconds, the oldest first. */
export function doneSince(database: Database | undefined, profile: string, at: number): DoneWrite[] {
  return (database?.all<DoneRow>(SINCE, { profile, at }) ?? []).map(({ result, place, ...row }) => ({
    ...row,
    result: JSON.parse(result ?? '{}') as EntryResult,
    place: JSON.parse(place) as [string, unknown][],
  }))
}

/** What a person was told of the last of these operations that succeeded from then on, in epoch milliseconds. */
export type Told = { profile: string; operations: readonly string[]; from: number; words: string }

export function noteWords(database: Database | undefined, { profile, operations, from, words }: Told): void {
  const cut = words.slice(0, LONGEST_WORDS)
  database?.run(NOTE, { profile, operations: JSON.stringify(operations), from, words: cut })
}
