import { parseExact } from '../../../lib/json.ts'
import { createHash } from 'node:crypto'
import { type AnyEndpoint, pathParameters } from '../../contract/endpoint.ts'
import { type EntryRow, lastSeen } from './database.ts'

/** What an answer proved: ids, `status`, `deduped`, and in `words` the sentence shown to the person. */
export type EntryResult = Readonly<Record<string, string | boolean>>

/** The end of a call. `unknown` means that the write may have happened. */
export type Settlement =
  | { outcome: 'succeeded'; result: EntryResult }
  | { outcome: 'refused'; code: string }
  | { outcome: 'unknown'; code: string }

/** The result of reading back. */
export type Finding = 'happened' | 'did-not-happen' | 'cannot-be-known'

/** The result of the last read back of an open write. `at` is in epoch milliseconds. */
export type ReadBackNote = {
  finding: Finding
  /** The reason in a few words that can follow a colon. */
  because: string
  at: number
  /** Whether the service might still have acted on the request then, so that reading back later may show more. */
  isEarly?: boolean | undefined
  /** Name of the thing that the write changes, if reading returned it. */
  target?: string | undefined
}

/** A request that is about to be sent. The key is the caller's own, if one was given. */
export type PlannedWrite = { endpoint: AnyEndpoint; input: object; idempotencyKey?: string | undefined }

/** An interrupted bulk action: how many writes it planned, and their outcomes. */
export type Bulk = {
  of: number
  done: number
  refused: number
  inDoubt: number
  /** Writes that were never sent. */
  rest: readonly Pick<JournalEntry, 'operation' | 'input' | 'idempotencyKey'>[]
}

/** A write whose outcome is unknown, or that waits for a person's decision. Times are epoch milliseconds. */
export type JournalEntry = {
  id: number
  operation: string
  /** The input as the caller gave it, without fields that the contract marks as secret. */
  input: Readonly<Record<string, unknown>>
  /** Whether the input is complete, so that it can be sent again. */
  complete: boolean
  idempotencyKey: string | undefined
  /** Whether the request may have been sent. */
  sent: boolean
  intendedAt: number
  /** Last time at which the request is known to have been in progress. */
  lastSeenAt: number
  /** Milliseconds that the service's clock was ahead of this machine's then, if known. */
  serviceOffset?: number | undefined
  /** Whether a process is finding out the outcome now, or is sending the write again. Nobody else may end it then. */
  isClaimed: boolean
  /** Absent until something was read back. */
  readBack?: ReadBackNote | undefined
  /** Set for a bulk action. Its own writes get entries when they begin. */
  bulk?: Bulk
}

/** A recorded write, and how it ended. Without an outcome it is in progress, or was when its process ended. */
export type DoneWrite = Pick<JournalEntry, 'operation' | 'intendedAt'> & {
  /** Names and values of the parameters in the request path. */
  place: readonly (readonly [name: string, value: unknown])[]
  outcome: Settlement['outcome'] | null
  /** Why the write did not succeed. */
  code: string | null
  /** The result of reading back later. */
  finding: Finding | null
  result: EntryResult
}

const RESULT_FIELDS = ['runId', 'suiteId', 'id', 'status', 'deduped']

/** Returns the few facts of an answer that are worth storing. */
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
 * Returns the identity of a profile in the journal. Another API key is another profile, because it cannot repeat an
 * idempotency key.
 * @param parts address and key, or a directory; only their hash is stored
 */
export function journalProfile(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)
}

type JsonObject = Record<string, unknown>

/**
 * Returns the input without fields that the endpoint declares as secret. `complete` means that nothing had to be left
 * out.
 */
export function withoutSecrets(
  endpoint: Pick<AnyEndpoint, 'secrets'>,
  input: object,
): { input: JsonObject; complete: boolean } {
  const copy = parseExact(JSON.stringify(input)) as JsonObject
  const removed = (endpoint.secrets ?? []).map(path => remove(copy, path.split('.')))
  return { input: copy, complete: !removed.includes(true) }
}

/** Removes a field, and returns whether it was there. */
function remove(value: unknown, [name = '', ...rest]: string[]): boolean {
  if (!isObject(value) || !Object.hasOwn(value, name)) return false
  if (rest.length > 0) return remove(value[name], rest)
  delete value[name]
  return true
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null
}

/** Returns a digest of an input. It is the same for all writes with that input. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** Maximum characters of a text that is kept from an input that is too large to store. */
const SHORT_TEXT = 400

/** Returns what an input is about: its path, and the short texts of its body. */
export function subjectOf({ path }: AnyEndpoint, input: Record<string, unknown>): object {
  const isShort = ([, value]: [string, unknown]): boolean => typeof value === 'string' && value.length <= SHORT_TEXT
  const body = Object.entries(Object(input['body']) as object)
    .filter(isShort)
    .slice(0, 50)
  const place = pathParameters(path).map(name => [name, input[name]])
  return { ...Object.fromEntries(place), body: Object.fromEntries(body) }
}

export function toEntry(row: EntryRow, isClaimed: boolean): JournalEntry {
  return {
    id: row.id,
    operation: row.operation,
    input: parseExact(row.input ?? '{}') as Record<string, unknown>,
    complete: row.complete === 1 && row.input !== null,
    idempotencyKey: row.key ?? undefined,
    sent: row.sentAt !== null,
    intendedAt: row.intendedAt,
    lastSeenAt: lastSeen(row),
    serviceOffset: row.serviceOffset ?? undefined,
    isClaimed,
    readBack: row.readBack === null ? undefined : (JSON.parse(row.readBack) as ReadBackNote),
  }
}

export function placeOf(endpoint: AnyEndpoint, input: Record<string, unknown>): string {
  return JSON.stringify(pathParameters(endpoint.path).map(name => [name, input[name]]))
}
