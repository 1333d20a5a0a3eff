import { BOUNDS } from '../../lib/bounds.ts'
import { isPlainObject } from '../../api/contract/shapes.ts'
import { isLongNumber, parseStored } from '../../lib/json.ts'
import { SECRET, withoutSecrets } from '../../lib/redaction/redaction.ts'
import type { Store } from '../core/database/store.ts'
import { ServiceError } from '../core/errors.ts'
import { releaseLease, takeLease } from '../core/lease.ts'
import type { CallRow } from './rows.ts'

/** What is called; the arguments as they are sent. */
export type CallMade = Pick<CallRow, 'kind' | 'target'> & { input?: Record<string, unknown> }

/** Where it is called, and the secrets of the server, which are stored nowhere. */
type CallPlace = { id: string; serverId: string; secrets: readonly string[]; signal: AbortSignal }

/** Stores calls by hand from before they are made until their end. */
export type CallHistory = {
  /** Passes on what comes of the work. A call is made whether or not it can be stored. */
  record<T>(call: CallMade & CallPlace, work: () => Promise<T>): Promise<T>
}

declare module '../core/context.ts' {
  interface ServiceContext {
    history: CallHistory
  }
}

type Needs = { store: Store; now: () => number; onError: (error: unknown) => void }

/** A call whose process cannot be asked, as on another machine, counts as under way for so long, in milliseconds. */
const LONGEST_MS = 60 * 60_000

export function createCallHistory({ store, now, onError }: Needs): CallHistory {
  const quietly = (write: () => void): void => {
    try {
      store.write(write)
    } catch (error) {
      onError(error)
    }
  }
  return {
    async record({ kind, target, input, id, serverId, secrets, signal }, work) {
      const startedAt = now()
      const lease = { ...takeLease(), expiresAt: Date.now() + LONGEST_MS }
      quietly(() =>
        store.calls.insert({
          id,
          serverId,
          kind,
          target: withoutSecrets(target, secrets),
          ...storedInput(input, secrets),
          startedAt,
          lease,
        }),
      )
      const began = performance.now()
      const end = (ending: Partial<CallRow>): void => {
        const durationMs = ending.durationMs ?? performance.now() - began
        quietly(() => store.calls.end({ id, serverId, ...ending, durationMs }))
        releaseLease(lease)
      }
      try {
        const result = await work()
        end(answered(result, secrets))
        return result
      } catch (error) {
        end(refused(error, { isAct: kind === 'tool', isGivenUp: signal.aborted, secrets }))
        throw error
      }
    },
  }
}

function storedInput(
  input: Record<string, unknown> | undefined,
  secrets: readonly string[],
): Pick<CallRow, 'input' | 'incomplete'> {
  if (input === undefined) return {}
  const text = JSON.stringify(input)
  if (Buffer.byteLength(text) > BOUNDS.callInput.most) return { incomplete: 'size' }
  const struck = struckOut(input, secrets)
  return { input: parseStored(struck) as Record<string, unknown>, ...(struck !== text && { incomplete: 'secrets' }) }
}

function answered(result: unknown, secrets: readonly string[]): Partial<CallRow> {
  const resultBytes = Buffer.byteLength(JSON.stringify(result))
  const { isError, durationMs } = isPlainObject(result) ? result : {}
  return {
    status: isError === true ? 'tool_error' : 'answered',
    resultBytes,
    ...(typeof durationMs === 'number' && { durationMs }),
    ...(resultBytes <= BOUNDS.callResult.most && { result: struckOut(result, secrets) }),
  }
}

/** What is not known to have been refused may have happened, as far as it acts at all. */
function refused(
  error: unknown,
  { isAct, isGivenUp, secrets }: { isAct: boolean; isGivenUp: boolean; secrets: readonly string[] },
): Partial<CallRow> {
  const isRefusal = error instanceof ServiceError && error.status < 500
  const code = error instanceof ServiceError ? error.code : 'INTERNAL_ERROR'
  const message = error instanceof ServiceError ? withoutSecrets(error.message, secrets) : 'The service failed.'
  const status = isGivenUp ? 'given_up' : isAct && !isRefusal ? 'unknown' : 'failed'
  return { status, error: { code, message } }
}

/** JSON without secrets: known ones, what looks like one, and what stands under the name of one. */
export function struckOut(value: unknown, secrets: readonly string[]): string {
  const texts: string[] = []
  JSON.stringify(value, function (this: unknown, key, each: unknown) {
    if (isText(this, key, each)) texts.push(each)
    return each
  })
  const struck = allWithoutSecrets(texts, secrets)
  const names = new Map<string, boolean>()
  const isSecret = (name: string): boolean => {
    const known = names.get(name) ?? isSecretName(name)
    names.set(name, known)
    return known
  }
  let next = 0
  return JSON.stringify(value, function (this: unknown, key, each: unknown) {
    if (typeof each === 'number' || isLongNumber(each)) return isSecret(key) ? SECRET : each
    if (!isText(this, key, each)) return each
    const shown = struck[next]
    next += 1
    return each !== '' && isSecret(key) ? SECRET : shown
  })
}

/** Texts that are searched at once: most hold no secret, and each search has its price. */
const TOGETHER = 100

function allWithoutSecrets(texts: readonly string[], secrets: readonly string[]): string[] {
  const struck: string[] = []
  for (let from = 0; from < texts.length; from += TOGETHER) {
    const some = texts.slice(from, from + TOGETHER)
    const joined = some.join('\n')
    const isClean = withoutSecrets(joined, secrets) === joined
    struck.push(...(isClean ? some : some.map(text => withoutSecrets(text, secrets))))
  }
  return struck
}

/** Whether the rules for secrets strike out whatever has this name. */
function isSecretName(name: string): boolean {
  return name.length <= 60 && withoutSecrets(`"${name}":"x"`).includes(SECRET)
}

/** Text that somebody may have written: pictures, sounds and files are none. */
function isText(holder: unknown, key: string, value: unknown): value is string {
  if (typeof value !== 'string') return false
  if (!isPlainObject(holder)) return true
  return key !== 'blob' && (key !== 'data' || typeof holder['mimeType'] !== 'string')
}
