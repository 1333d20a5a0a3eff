import { parseExact } from '../../../lib/json.ts'
import { createHash } from 'node:crypto'
import { type AnyEndpoint, pathParameters } from '../../contract/endpoint.ts'
import { type EntryRow, lastSeen } from './database.ts'

/** What an answer proved: ids, `status`, `deduped`, and in `words` the sentence shown to the person. */
export type EntryResult = Readonly<Record<string, string | boolean>>

/** How a call ended. `unknown` means that the write may have happened. */
export type Settlement =
  | { outcome: 'succeeded'; result: EntryResult }
  | { outcome: 'refused'; code: string }
  | { outcome: 'unknown'; code: string }

/** The result of checking a write. */
export type Finding = 'happened' | 'did-not-happen' | 'cannot-be-known'

/** The result of the last check of an open write. `at` is in epoch milliseconds. */
export type ReadBackNote = {
  finding: Finding
  /** The reason in a few words that can follow a colon. */
  because: string
  at: number
  /** Whether the service could still have carried out the request then, so that a later check may find more. */
  isEarly?: boolean | undefined
  /** Name of the write's target, if a read returned it. */
  target?: string | undefined
}

/** A request to be sent; the key is the caller's own, if given. */
export type PlannedWrite = { endpoint: AnyEndpoint; input: object; idempotencyKey?: string | undefined }

/** An interrupted bulk action: its planned number of writes, and their results. */
export type Bulk = {
  of: number
  done: number
  refused: number
  inDoubt: number
  /** What never left. */
  rest: readonly Pick<JournalEntry, 'operation' | 'input' | 'idempotencyKey'>[]
}

/** A write with an unknown outcome, or one that waits for a person's decision. Times are epoch milliseconds. */
export type JournalEntry = {
  id: number
  operation: string
  /** As given by the caller, without the fields that the contract marks as secret. */
  input: Readonly<Record<string, unknown>>
  /** Whether the input is complete, so that it can be sent again. */
  complete: boolean
  idempotencyKey: string | undefined
  /** Whether the request may have been sent. */
  sent: boolean
  intendedAt: number
  /** Latest time at which the request is known to have been in progress. */
  lastSeenAt: number
  /** How far the service's clock was ahead of this machine's, in milliseconds, if known. */
  serviceOffset?: number | undefined
  /** Whether a process is currently checking the write or sending it again, so that no other may settle it. */
  isClaimed: boolean
  /** Absent until something was read back. */
  readBack?: ReadBackNote | undefined
  /** For a bulk action, whose writes have their own entries once they start. */
  bulk?: Bulk
}

/** A recorded write and how it ended; without an outcome it is in progress, or was when its process ended. */
export type DoneWrite = Pick<JournalEntry, 'operation' | 'intendedAt'> & {
  /** Names and values of the parameters in the request path. */
  place: readonly (readonly [name: string, value: unknown])[]
  outcome: Settlement['outcome'] | null
  /** Why it did not succeed. */
  code: string | null
  /** What was read back since. */
  finding: Finding | null
  result: EntryResult
}

const RESULT_FIELDS = ['runId', 'suiteId', 'id', 'status', 'deduped']

/** The few facts of an answer that are stored. */
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
 * Identity of a profile in the journal; another API key is another profile, because it cannot repeat a key.
 * @param parts address and key, or a directory; only their hash is stored
 */
export function journalProfile(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)
}

type JsonObject = Record<string, unknown>

/** The input without the endpoint's secret fields; `complete` means that nothing had to be removed. */
export function withoutSecrets(
  endpoint: Pick<AnyEndpoint, 'secrets'>,
  input: object,
): { input: JsonObject; complete: boolean } {
  const copy = parseExact(JSON.stringify(input)) as JsonObject
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

/** Identifies the input of a write, to compare two. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** Maximum length of a body's texts that are kept if the input is too large. */
const SHORT_TEXT = 400

/** The subject of an input: its path, and the short texts of its body. */
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
