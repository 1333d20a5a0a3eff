import { parseExact } from '../../../lib/json.ts'
import type { Database } from '../../../lib/sqlite.ts'
import type { EntryRow } from './database.ts'
import { digestOf, withoutSecrets, type Bulk, type DoneWrite, type PlannedWrite } from './entry.ts'

/** Returns a bulk action as its entry stores it. */
export function planOf(
  writes: readonly PlannedWrite[],
): Pick<EntryRow, 'input' | 'complete' | 'planned'> & { input: string } {
  const stored = writes.map(({ endpoint, input, idempotencyKey }) => ({
    operation: endpoint.operation,
    ...withoutSecrets(endpoint, input),
    idempotencyKey,
  }))
  const isShared = ([name, value]: [string, unknown]): boolean =>
    typeof value === 'string' && stored.every(({ input }) => input[name] === value)
  return {
    input: JSON.stringify({
      ...Object.fromEntries(Object.entries(stored[0]?.input ?? {}).filter(isShared)),
      writes: stored.map(({ operation, input, idempotencyKey }) => ({ operation, input, idempotencyKey })),
    }),
    complete: Number(stored.every(({ complete }) => complete)),
    planned: writes.length,
  }
}

type Begun = Pick<EntryRow, 'operation' | 'digest'> & Pick<DoneWrite, 'outcome' | 'finding'>

/**
 * Returns the outcome of a bulk action from the entries that follow its own. Equal writes that another action sent
 * since then count as well.
 */
export function bulkOf(database: Database, { id, input, planned }: EntryRow): Bulk {
  const rows = database.all<Begun>(
    `SELECT other.operation, other.digest, other.outcome, other.finding FROM entries AS other
     JOIN entries AS one ON one.id = :id AND other.profile = one.profile AND other.id > one.id ORDER BY other.id`,
    { id },
  )
  const { writes } = parseExact(input ?? '{"writes":[]}') as { writes: Bulk['rest'] }
  const begun = Map.groupBy(rows, row => `${row.operation} ${row.digest}`)
  const equal = Map.groupBy(writes, write => `${write.operation} ${digestOf(JSON.stringify(write.input))}`)
  // Each of several equal writes needs a separate record. They begin in the planned order.
  const endOf = new Map(
    [...equal].flatMap(([key, same]) => {
      const records = begun.get(key)?.slice(-same.length) ?? []
      return records.map((record, index) => [same[index], record] as const)
    }),
  )
  const ends = [...endOf.values()]
  const done = ends.filter(({ outcome, finding }) => outcome === 'succeeded' || finding === 'happened').length
  const refused = ends.filter(({ outcome, finding }) => outcome === 'refused' || finding === 'did-not-happen').length
  return {
    of: planned ?? writes.length,
    done,
    refused,
    inDoubt: ends.length - done - refused,
    rest: writes.filter(write => !endOf.has(write)),
  }
}

/** Returns the outcome of the writes of an interrupted bulk action, as the end of a sentence. */
export function brokeOff({ of, done, refused, inDoubt, rest }: Bulk): string {
  const counts = [
    `${done} of ${of} done`,
    refused > 0 && `${refused} not`,
    inDoubt > 0 && `${inDoubt} in doubt`,
    `${rest.length} never left this machine`,
  ]
  return `broke off: ${counts.filter(Boolean).join(', ')}`
}
