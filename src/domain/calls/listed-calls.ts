import { ApiError } from '../../api/client/errors/api-error.ts'
import { isServerFault } from '../../api/client/errors/error-kinds.ts'
import type { ServerCall, ServerCallDetail } from '../../api/contract/calls.ts'
import { CallToolResult, GetPromptResult, ResourceContents } from '../../api/contract/server-operations.ts'
import { readShape, toEpochMs } from '../../api/contract/shapes.ts'
import { SECRET } from '../../lib/redaction/redaction.ts'
import { isSameJson } from '../json/same-json.ts'
import type { Answer, CallRecord, CallSubject, Outcome } from './call-log.ts'

export type CallStatus = ServerCall['status']

/** A manual call as listed: of this session, stored, or both. */
export type ListedCall = Pick<CallSubject, 'kind' | 'target' | 'input'> & {
  id: string
  startedAt: number
  status: CallStatus
  /** Undefined while the call runs, or if the duration is unknown. */
  durationMs: number | undefined
  incomplete: ServerCall['incomplete']
  /** The call as it was made in this session, or as it was read from the service. */
  record: CallRecord | undefined
}

/** Why a stored call has no answer. */
export class StoredFailure extends Error {
  override readonly name = 'StoredFailure'
  readonly status: CallStatus

  constructor({ status, error }: Pick<ServerCall, 'status' | 'error'>) {
    super(error?.message ?? 'The program that made it ended before it was known what came of it.')
    this.status = status
  }
}

/**
 * Returns the status of a call. An error reported by the tool is an answer. If a request failed, the call may still
 * have happened.
 */
export function statusOf({ kind, outcome }: Pick<CallRecord, 'kind' | 'outcome'>): CallStatus {
  if (outcome.state === 'running') return 'running'
  if (outcome.state === 'withheld') return outcome.isError ? 'tool_error' : 'answered'
  if (outcome.state === 'answered')
    return outcome.answer.kind === 'tool' && outcome.answer.value.isError ? 'tool_error' : 'answered'
  const { error } = outcome
  if (error instanceof StoredFailure) return error.status
  if (error instanceof ApiError && error.kind === 'aborted') return 'given_up'
  return kind === 'tool' && leavesDoubt(error) ? 'unknown' : 'failed'
}

/**
 * Whether a call without an answer may have happened. Only tools have effects, and only if the request was sent. An
 * error that is not the client's is a fault of this program, which may have come after the answer.
 */
function leavesDoubt(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true
  if (!error.sent || error.risk === 'read') return false
  return error.kind !== 'http' || isServerFault(error)
}

/** Returns the duration that the service reports, else the one measured here; undefined while the call runs. */
export function callDuration({ outcome }: CallRecord): { ms: number; by: 'service' | 'here' } | undefined {
  if (outcome.state === 'running') return undefined
  const reported =
    outcome.state === 'answered' && outcome.answer.kind === 'tool' ? outcome.answer.value.durationMs : null
  return reported == null ? { ms: outcome.durationMs, by: 'here' } : { ms: reported, by: 'service' }
}

/** Returns stored calls and those of this session in one list, newest first, without duplicates. */
export function listedCalls(stored: readonly ServerCall[], session: readonly CallRecord[]): ListedCall[] {
  const known = new Set(session.map(({ requestId, id }) => requestId ?? id))
  const free = stored.filter(({ id }) => !known.has(id))
  const paired = new Set<string>()
  for (const record of session.toReversed()) {
    if (record.requestId !== undefined) continue
    // A call without an answer has no id. Of several equal calls the nearest in time is taken.
    const alike = free.filter(call => !paired.has(call.id) && isAlike(call, record))
    const [nearest] = alike.toSorted((one, other) => distance(one, record) - distance(other, record))
    if (nearest) paired.add(nearest.id)
  }
  const others = free.filter(({ id }) => !paired.has(id)).map(listedStored)
  return [...session.map(listedRecord), ...others].toSorted((one, other) => other.startedAt - one.startedAt)
}

function isAlike(call: ServerCall, { kind, target, input }: CallRecord): boolean {
  if (call.kind !== kind || call.target !== target) return false
  return call.incomplete != null || isSameJson(call.input ?? {}, input ?? {})
}

function distance({ startedAt }: ServerCall, record: CallRecord): number {
  return Math.abs((toEpochMs(startedAt) ?? 0) - record.startedAt)
}

function listedRecord(record: CallRecord): ListedCall {
  const { id, kind, target, input, startedAt, incomplete } = record
  const durationMs = callDuration(record)?.ms
  return { id, kind, target, input, startedAt, incomplete, status: statusOf(record), durationMs, record }
}

function listedStored(call: ServerCall): ListedCall {
  const { id, target, incomplete, status } = call
  const durationMs = status === 'running' ? undefined : (call.durationMs ?? undefined)
  const startedAt = toEpochMs(call.startedAt) ?? 0
  const input = call.input ?? undefined
  return { id, kind: kindOf(call), target, input, startedAt, incomplete, status, durationMs, record: undefined }
}

const KINDS: readonly Answer['kind'][] = ['tool', 'prompt', 'resource']

function kindOf({ kind }: ServerCall): Answer['kind'] {
  return KINDS.find(each => each === kind) ?? 'tool'
}

/** Converts a stored call to one of this session. */
export function storedRecord(call: ServerCallDetail, server: { id: string; name: string }): CallRecord {
  const { id, target, incomplete } = call
  return {
    id,
    requestId: id,
    kind: kindOf(call),
    serverId: server.id,
    serverName: server.name,
    target,
    input: call.input ?? undefined,
    startedAt: toEpochMs(call.startedAt) ?? 0,
    incomplete,
    outcome: storedOutcome(call),
    stop: () => undefined,
  }
}

function storedOutcome(call: ServerCallDetail): Outcome {
  const { status, result } = call
  const durationMs = call.durationMs ?? 0
  if (status === 'running') return { state: 'running' }
  if (status !== 'answered' && status !== 'tool_error')
    return { state: 'failed', error: new StoredFailure(call), durationMs }
  const answer = result === undefined ? undefined : answerOf(kindOf(call), result)
  if (!answer) return { state: 'withheld', bytes: call.resultBytes ?? 0, isError: status === 'tool_error', durationMs }
  return { state: 'answered', answer, text: JSON.stringify(result), durationMs }
}

function answerOf(kind: Answer['kind'], result: unknown): Answer | undefined {
  const shape = { tool: CallToolResult, prompt: GetPromptResult, resource: ResourceContents }[kind]()
  const { success, data } = readShape(shape, result)
  return success ? ({ kind, value: data } as Answer) : undefined
}

/** Returns the arguments except those from which secrets were removed, which have to be typed again. */
export function withoutStruck(input: Record<string, unknown> = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => !JSON.stringify(value).includes(SECRET)))
}
