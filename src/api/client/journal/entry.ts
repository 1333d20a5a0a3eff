import { createHash } from 'node:crypto'
import type { AnyEndpoint } from '../../contract/endpoint.ts'

/** What an answer proved, in the wire's own names: ids, `status` and `deduped`. */
export type EntryResult = Readonly<Record<string, string | boolean>>

/** How a call ended. `unknown` means that the write may have happened. */
export type Settlement =
  | { outcome: 'succeeded'; result: EntryResult }
  | { outcome: 'refused'; code: string }
  | { outcome: 'unknown'; code: string }

/** What a look back found. */
export type Finding = 'happened' | 'did-not-happen' | 'cannot-be-known'

/** What the last look back at an open write showed. `at` is in epoch milliseconds. */
export type ReadBackNote = {
  finding: Finding
  /** The reason in a few words that can follow a colon. */
  because: string
  at: number
  /** Name of the thing that the write is about, where reading returned it. */
  target?: string | undefined
}

/** A write that nobody knows the outcome of, or that waits for a person's decision. Times are epoch milliseconds. */
export type JournalEntry = {
  id: number
  /** Name of the operation, such as `createEvalRun`. */
  operation: string
  /** As the caller gave it, without the fields that the contract marks as secret. */
  input: Readonly<Record<string, unknown>>
  /** Whether the input is all there, so that it can be sent again. */
  complete: boolean
  idempotencyKey: string | undefined
  /** Whether the request may have left. */
  sent: boolean
  intendedAt: number
  /** Latest moment at which the request is known to have been under way. */
  lastSeenAt: number
  /** Absent as long as nothing was read back. */
  readBack?: ReadBackNote | undefined
}

/** A write that was noted, and how it ended; without an outcome it is under way, or was when its process ended. */
export type DoneWrite = Pick<JournalEntry, 'operation' | 'intendedAt'> & {
  /** Names and values of the path of the request. */
  place: readonly (readonly [name: string, value: unknown])[]
  outcome: Settlement['outcome'] | null
  /** Why it did not succeed. */
  code: string | null
  /** What reading back showed since. */
  finding: Finding | null
  result: EntryResult
}

const RESULT_FIELDS = ['runId', 'suiteId', 'id', 'status', 'deduped']

/** The few facts of an answer that are worth keeping. */
export function resultOf(value: unknown): EntryResult {
  const fields = new Map(Object.entries(value ?? {}))
  return Object.fromEntries(
    RESULT_FIELDS.flatMap(name => {
      const fact: unknown = fields.get(name)
      return typeof fact === 'string' || typeof fact === 'boolean' ? [[name, fact]] : []
    }),
  )
}

/**
 * Identity of a profile in the journal. The service knows an idempotency key only together with the API key
 * that sent it, so another API key at the same address is another profile.
 * @param parts address and key, or the directory of a local workspace; only their hash is kept
 */
export function journalProfile(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)
}

type JsonObject = Record<string, unknown>

/** The input without what the endpoint declares as secret; `complete` says that nothing had to be left out. */
export function withoutSecrets(
  endpoint: Pick<AnyEndpoint, 'secrets'>,
  input: object,
): { input: JsonObject; complete: boolean } {
  const copy = JSON.parse(JSON.stringify(input)) as JsonObject
  const removed = (endpoint.secrets ?? []).map(path => remove(copy, path.split('.')))
  return { input: copy, complete: !removed.includes(true) }
}

/** Whether there was something to remove. */
function remove(value: unknown, [name = '', ...rest]: string[]): boolean {
  if (!isObject(value) || !Object.hasOwn(value, name)) return false
  if (rest.length > 0) return remove(value[name], rest)
  delete value[name]
  return true
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null
}
