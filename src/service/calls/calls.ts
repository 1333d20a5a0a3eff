import type { ServerCall, RecordedResult } from '../../api/contract/calls.ts'
import { parseStored, isLongNumber } from '../../lib/json.ts'
import type { ProjectRow } from '../core/database/rows.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import { requireRow, json, optional, tableOf, type Placed } from '../core/database/table.ts'
import { isAbandoned, type Lease, releaseLease, takeLease } from '../core/lease.ts'
import { latestPage } from '../core/list-page.ts'
import { isPlainObject } from '../../api/contract/shapes.ts'
import { SECRET, withoutSecrets } from '../../lib/redaction/redaction.ts'
import type { Store } from '../core/database/store.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import type { Database } from '../../lib/sqlite.ts'
import { ServiceError } from '../core/errors.ts'

export type CallRow = {
  id: string
  serverId: string
  kind: 'tool' | 'prompt' | 'resource'
  target: string
  input?: Record<string, unknown>
  incomplete?: 'secrets' | 'size'
  startedAt: number
  durationMs?: number
  /** Absent while the call is in progress. */
  status?: 'answered' | 'tool_error' | 'failed' | 'given_up' | 'unknown'
  error?: { code: string; message: string }
  /** JSON text. */
  result?: string
  resultBytes?: number
  lease: Lease
}

/** Deletes the oldest calls beyond the limits. Running calls and the newest call are kept, whatever their size. */
const BEYOND = `
  DELETE FROM serverCall WHERE serverId = :serverId AND status IS NOT NULL AND position IN (
    SELECT position FROM (
      SELECT position,
        ROW_NUMBER() OVER newestFirst AS number,
        SUM(octet_length(result)) OVER newestFirst AS bytes
      FROM serverCall WHERE serverId = :serverId
      WINDOW newestFirst AS (ORDER BY position DESC)
    ) WHERE number > 1 AND (number > :most OR bytes > :mostBytes)
  )`

export function createCallRows(database: Database) {
  const calls = tableOf<CallRow>(database, 'serverCall', {
    owner: 'serverId',
    kinds: {
      input: json(),
      incomplete: optional(),
      durationMs: optional(),
      status: optional(),
      error: json(),
      result: optional(),
      resultBytes: optional(),
      lease: json(),
    },
  })
  const keepWithinBounds = (serverId: string): void => {
    const most = BOUNDS.serverCalls.most
    database.run(BEYOND, { serverId, most, mostBytes: BOUNDS.serverCallBytes.most })
  }
  return {
    get: calls.basics.get,
    page: calls.page(),
    ended: (serverId: string) =>
      calls.all({ serverId }, 'AND status IS NOT NULL ORDER BY position') as Placed<CallRow>[],
    insert(row: CallRow) {
      calls.basics.insert(row)
      keepWithinBounds(row.serverId)
    },
    end({ id, serverId, ...ending }: Pick<CallRow, 'id' | 'serverId'> & Partial<CallRow>) {
      calls.change({ id }, ending)
      keepWithinBounds(serverId)
    },
    /** Removes the calls that have ended or whose process is gone. Returns the number of removed calls. */
    clear(serverId: string, isUnderWay: (lease: Lease) => boolean): number {
      const gone = calls.all({ serverId }).filter(({ status, lease }) => status !== undefined || !isUnderWay(lease))
      for (const { id } of gone) calls.delete(id)
      return gone.length
    },
  }
}

type OfServer = { project: ProjectRow; params: { serverId: string } }

export function callHandlers({ store }: ServiceContext): Handlers['calls'] {
  const serverOf = ({ project, params }: OfServer) => store.servers.require(project.id, params.serverId).id
  return {
    list(call) {
      const { page } = store.calls
      return latestPage(store, { name: 'calls', ownerId: serverOf(call), query: call.query, page }, toCall)
    },
    get(call) {
      const { callId } = call.params
      const row = requireRow(store.calls.get(serverOf(call), callId), `call ${callId} of this server`)
      return { ...toCall(row), ...(row.result !== undefined && { result: parseStored(row.result) }) }
    },
    results: call => ({
      items: recordedResults(store, call.project.id, store.servers.require(call.project.id, call.params.serverId)),
    }),
    clear(call) {
      const serverId = serverOf(call)
      return { cleared: store.write(() => store.calls.clear(serverId, lease => !isAbandoned(lease))) }
    },
  }
}

function toCall(row: CallRow): ServerCall {
  const { id, kind, target, input, incomplete, startedAt, durationMs, status, error, resultBytes, lease } = row
  return {
    id,
    kind,
    target,
    input: input ?? null,
    incomplete: incomplete ?? null,
    startedAt,
    status: status ?? statusBeforeEnd(kind, isAbandoned(lease)),
    durationMs: durationMs ?? null,
    error: error ?? null,
    resultBytes: resultBytes ?? null,
  }
}

/**
 * Returns the status of a call without a recorded end; `isGone` if its process has ended. Only a tool's effect is then
 * unknown.
 */
function statusBeforeEnd(kind: CallRow['kind'], isGone: boolean): ServerCall['status'] {
  if (!isGone) return 'running'
  return kind === 'tool' ? 'unknown' : 'failed'
}

/** Number of latest calls, and of latest trials, that are searched for results. */
const CALLS = 200
const TRIALS = 50

type Result = RecordedResult & { at: number }

/**
 * Returns the last successful result of each tool of a server, taken from the latest manual calls and trials of the
 * project. Trials refer to servers by name.
 */
function recordedResults(store: Store, projectId: string, server: { id: string; name: string }): Result[] {
  const latest = new Map<string, Result>()
  const note = (found: Pick<Result, 'tool' | 'of' | 'at'>, result: unknown): void => {
    const known = latest.get(found.tool)
    if (!isPlainObject(result) || result['isError'] === true || (known && known.at >= found.at)) return
    const { structuredContent } = result
    latest.set(found.tool, { ...found, ...(structuredContent !== undefined && { structuredContent }) })
  }
  for (const { kind, target: tool, startedAt: at, status, result } of store.calls.page(server.id, undefined, CALLS))
    // A result from which secrets were removed may no longer match its schema.
    if (kind === 'tool' && status === 'answered' && result !== undefined && !result.includes(SECRET))
      note({ tool, of: 'call', at }, parseStored(result))
  for (const { transcript } of store.trials.latestOutcomes(projectId, TRIALS))
    for (const { serverName, toolName: tool, startedAt: at, result } of transcript.toolCalls)
      if (serverName === server.name) note({ tool, of: 'trial', at }, result)
  return [...latest.values()]
}

/** A call's target and the arguments that were sent. */
export type CallMade = Pick<CallRow, 'kind' | 'target'> & { input?: Record<string, unknown> }

/** Id of a call, its server, and the secrets of the server, which are never stored. */
type CallPlace = { id: string; serverId: string; secrets: readonly string[]; signal: AbortSignal }

/** Stores manual calls before they are sent and once they have ended. */
type CallHistory = {
  /** Stores the call, does the work and returns its result. The work is done even if the call cannot be stored. */
  record<T>(call: CallMade & CallPlace, work: () => Promise<T>): Promise<T>
}

declare module '../core/context.ts' {
  interface ServiceContext {
    history: CallHistory
  }
}

type Needs = { store: Store; now: () => number; onError: (error: unknown) => void }

/** Milliseconds after which processes of other hosts no longer count a call as in progress. */
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
      const result = await work().catch((error: unknown) => {
        end(refused(error, { isAct: kind === 'tool', isGivenUp: signal.aborted, secrets }))
        throw error
      })
      const status = isPlainObject(result) && result['isError'] === true ? 'tool_error' : 'answered'
      try {
        end({ status, ...answered(result, secrets) })
      } catch (error) {
        onError(error)
        end({ status })
      }
      return result
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
  const { durationMs } = isPlainObject(result) ? result : {}
  return {
    resultBytes,
    ...(typeof durationMs === 'number' && { durationMs }),
    ...(resultBytes <= BOUNDS.callResult.most && { result: struckOut(result, secrets) }),
  }
}

/**
 * Returns the end of a failed call. A call with effects counts as possibly carried out unless the server clearly
 * refused it.
 */
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

/**
 * Returns the value as JSON without secrets. Removed are known secrets, text that looks like a secret, and texts and
 * numbers whose property has the name of a secret. The names themselves, `blob`, and `data` beside a `mimeType` are not
 * searched.
 */
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

/** Number of texts that are searched as one text. Most contain no secret, and each search has a fixed cost. */
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

/** Whether a property has a name for which the rules remove every text. */
function isSecretName(name: string): boolean {
  return name.length <= 60 && withoutSecrets(`"${name}":"x"`).includes(SECRET)
}

/** Whether a value is text that is searched. The encoded content of images, audio and files is not searched. */
function isText(holder: unknown, key: string, value: unknown): value is string {
  if (typeof value !== 'string') return false
  if (!isPlainObject(holder)) return true
  return key !== 'blob' && (key !== 'data' || typeof holder['mimeType'] !== 'string')
}
