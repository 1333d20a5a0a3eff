import { createListeners } from '../../lib/listeners.ts'
import { onceFor } from '../../lib/once-for.ts'
import type { Client } from '../../api/client/client.ts'
import { ApiError } from '../../api/client/errors/api-error.ts'
import type { ServerCall } from '../../api/contract/calls.ts'
import type { OnProgress, Progress } from '../../api/contract/message.ts'
import { spaced } from '../../lib/spaced.ts'
import type { CallToolResult, GetPromptResult, ResourceContents } from '../../api/contract/server-operations.ts'

/** A server's answer, by the kind of request. */
export type Answer =
  | { kind: 'tool'; value: CallToolResult }
  | { kind: 'prompt'; value: GetPromptResult }
  | { kind: 'resource'; value: ResourceContents }

export type Outcome =
  /** `progress` is the latest report of the server. */
  | { state: 'running'; progress?: Progress }
  | { state: 'answered'; answer: Answer; text: string; durationMs: number }
  | { state: 'failed'; error: unknown; durationMs: number }
  /** The call was answered, but the answer is too large to store. */
  | { state: 'withheld'; bytes: number; isError: boolean; durationMs: number }

export type CallSubject = {
  kind: Answer['kind']
  serverId: string
  serverName: string
  /** Name of the tool or prompt, or the resource's URI. */
  target: string
  input: Record<string, unknown> | undefined
}

/** A call, render or read made from this program. Times are epoch milliseconds, durations milliseconds. */
export type CallRecord = CallSubject & {
  id: string
  startedAt: number
  outcome: Outcome
  /** Id of the request. The local workspace stores the result under it. */
  requestId?: string | undefined
  /** Why `input` differs from what was sent. */
  incomplete?: ServerCall['incomplete']
  /** The eval case that the call was saved as. */
  savedAs?: { suiteId: string; caseId: string }
  /** Cancels the call at the server, which may already have acted on it. */
  stop: () => void
}

/** Sends the request. Resolves to the answer and to the body as received. */
export type Send = (
  signal: AbortSignal,
  onProgress: OnProgress,
) => Promise<{ answer: Answer; text: string; requestId?: string | undefined }>

export type CallLog = {
  /** Sends the request once, without retries, and records the outcome. Resolves when the outcome is known. */
  start: (subject: CallSubject, send: Send) => { record: CallRecord; settled: Promise<void> }
  /** Records the eval case that a call was saved as. */
  saved: (id: string, savedAs: NonNullable<CallRecord['savedAs']>) => void
  /** Adds a stored call with its result. */
  adopt: (record: CallRecord) => void
  /** Removes the calls to one server that have ended. */
  clear: (serverId: string) => void
  /** Returns the calls to one server, newest first; the same array until any call changes. */
  of: (serverId: string) => readonly CallRecord[]
  get: (id: string) => CallRecord | undefined
  subscribe: (listener: () => void) => () => void
}

/** Number of calls kept, and maximum total length of their answers. */
const MOST_RECORDS = 200
const MOST_CHARACTERS = 30_000_000

/** Minimum milliseconds between two progress reports, however many a server sends. */
const PROGRESS_MS = 100

/** The calls of this session: one log for each client, kept while the person moves between screens. */
export const callLogOf = onceFor((_client: Client) => createCallLog())

export function createCallLog(clock: () => number = Date.now): CallLog {
  let records: readonly CallRecord[] = []
  const byServer = new Map<string, readonly CallRecord[]>()
  const { subscribe, notify } = createListeners()
  let next = 1
  const set = (changed: readonly CallRecord[]): void => {
    records = withinLimits(changed)
    byServer.clear()
    notify()
  }
  const change = (id: string, changed: Partial<CallRecord>): void =>
    set(records.map(record => (record.id === id ? { ...record, ...changed } : record)))
  return {
    start(subject, send) {
      const controller = new AbortController()
      const record: CallRecord = {
        ...subject,
        id: String(next),
        startedAt: clock(),
        outcome: { state: 'running' },
        stop: () => controller.abort(),
      }
      next += 1
      set([record, ...records])
      const began = performance.now()
      const took = (): number => performance.now() - began
      const reports = spaced(PROGRESS_MS, (progress: Progress) =>
        change(record.id, { outcome: { state: 'running', progress } }),
      )
      const end = (outcome: Outcome, requestId: string | undefined): void => {
        reports.end()
        change(record.id, { outcome, requestId })
      }
      const settled = send(controller.signal, reports.note).then(
        ({ answer, text, requestId }) => end({ state: 'answered', answer, text, durationMs: took() }, requestId),
        (error: unknown) => {
          const requestId = error instanceof ApiError ? error.requestId : undefined
          end({ state: 'failed', error, durationMs: took() }, requestId)
        },
      )
      return { record, settled }
    },
    saved: (id, savedAs) => change(id, { savedAs }),
    adopt(record) {
      const others = records.filter(({ id }) => id !== record.id)
      set([...others, record].toSorted((one, other) => other.startedAt - one.startedAt))
    },
    clear: serverId =>
      set(records.filter(record => record.serverId !== serverId || record.outcome.state === 'running')),
    of(serverId) {
      const known = byServer.get(serverId)
      if (known) return known
      const found = records.filter(record => record.serverId === serverId)
      byServer.set(serverId, found)
      return found
    },
    get: id => records.find(record => record.id === id),
    subscribe,
  }
}

/** Drops the oldest calls; running calls and the newest are kept whatever their size. */
function withinLimits(records: readonly CallRecord[]): readonly CallRecord[] {
  let characters = 0
  return records.filter(({ outcome }, index) => {
    if (outcome.state === 'running') return true
    characters += outcome.state === 'answered' ? outcome.text.length : 0
    return index === 0 || (index < MOST_RECORDS && characters <= MOST_CHARACTERS)
  })
}
