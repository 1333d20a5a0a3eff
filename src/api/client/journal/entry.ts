import { parseExact } from '../../../lib/json.ts'
import { createHash } from 'node:crypto'
import { type AnyEndpoint, pathParameters } from '../../contract/endpoint.ts'
import { type EntryRow, lastSeen } from './database.ts'

/** What an answer proved: ids, `status`, `deduped`, and as `words` the sentence that the person was shown. */
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
  /** Whether the service might still have acted on the request then, so that a later look may find more. */
  isEarly?: boolean | undefined
  /** Name of the thing that the write is about, where reading returned it. */
  target?: string | undefined
}

/** A request as it is going to be sent; the key is the caller's own, where one was given. */
export type PlannedWrite = { endpoint: AnyEndpoint; input: object; idempotencyKey?: string | undefined }

/** A bulk action that broke off: how many writes it was to be, and what became of them. */
export type Bulk = {
  of: number
  done: number
  refused: number
  inDoubt: number
  /** What never left. */
  rest: readonly Pick<JournalEntry, 'operation' | 'input' | 'idempotencyKey'>[]
}

/** A write that nobody knows the outcome of, or that waits for a person's decision. Times are epoch milliseconds. */
export type JournalEntry = {
  id: number
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
  /** How much more the service's clock showed than this machine's then, in milliseconds, where that was known. */
  serviceOffset?: number | undefined
  /** Whether a process is finding out what became of it just now, or sends it again; nobody else may end it then. */
  isClaimed: boolean
  /** Absent as long as nothing was read back. */
  readBack?: ReadBackNote | undefined
  /** Of a bulk action, whose own writes have entries of their own once they begin. */
  bulk?: Bulk
}

/** A write that was noted, and how it ended; without an outcome it is under way, or was when its process ended. */
export type DoneWrite = Pick<JournalEntry, 'operation' | 'intendedAt'> & {
  /** Names and values of the parameters in the request path. */
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
 * Identity of a profile in the journal; another API key is another profile, because it cannot repeat a key.
 * @param parts address and key, or a directory; only their hash is stored
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

/** What two writes with the same input have in common. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** Longest text of a body that stays of an input that is too large, in characters. */
const SHORT_TEXT = 400

/** What an input is about: its path, and the short texts of its body. */
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
