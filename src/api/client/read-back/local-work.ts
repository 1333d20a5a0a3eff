import { callStatusWord } from '../../contract/calls.ts'
import { contract } from '../../contract/contract.ts'
import type { InputOf } from '../../contract/endpoint.ts'
import { toEpochMs } from '../../contract/shapes.ts'
import { localMoment } from '../../../lib/times.ts'
import { ApiError } from '../errors/api-error.ts'
import { serviceOffset } from '../transport/service-time.ts'
import {
  inList,
  isFromThen,
  type ReadBack,
  type ReadBackAnswer,
  type ReadBackContext,
  sign,
  timeOf,
  UNKNOWN,
  unlessMissing,
} from './lookups.ts'

const { servers, liveServers, signIns, calls, serverRequests } = contract
type Place = { projectId: string; serverId: string }

/**
 * How to read back each operation on servers of a local workspace, and each call, which only such a workspace lists.
 */
export const localWork: Readonly<Record<string, ReadBack>> = {
  [liveServers.restart.operation]: connectionReadBack,
  [liveServers.end.operation]: connectionReadBack,
  [servers.callTool.operation]: callReadBack,
  [calls.clear.operation]: clearedReadBack,
  [serverRequests.answer.operation]: answeredReadBack,
  [signIns.delete.operation]: async ({ client, entry, options }) => {
    const { signedIn } = await client.signIns.get(placeOf(entry.input), options)
    return signedIn
      ? { finding: 'cannot-be-known', because: 'tokens are stored for it; whether since then is not known' }
      : { finding: 'happened', because: 'no tokens are stored for it' }
  },
}

/** Milliseconds by which two clocks may still differ after the `Date` header compared them. */
const CLOSE_MS = 1_000

/**
 * Reads back whether the connection of a server was ended. It was if there is none. A new connection proves the same,
 * because a restart connects again, and so does the next request after an end.
 */
async function connectionReadBack({ client, entry, now, options }: ReadBackContext): Promise<ReadBackAnswer> {
  // Reading back must not extend the connection that should end.
  const place = { ...placeOf(entry.input), keepsConnection: false }
  const live = await unlessMissing(client.liveServers.get(place, options))
  if (live?.startedAt == null) return { finding: 'happened', because: 'no connection from before is left' }
  const began = toEpochMs(live.startedAt)!
  const { earliest } = timeOf(entry)
  const since = `since ${localMoment(began - (serviceOffset() ?? 0), now)}`
  if (began >= earliest) return { finding: 'happened', because: `its connection is a new one, ${since}` }
  return began < earliest - CLOSE_MS
    ? { finding: 'did-not-happen', because: `its connection is the one from before, ${since}`, endsByItself: true }
    : {
        finding: 'cannot-be-known',
        because: `its connection began within a second of the request, ${since}`,
        isOver: true,
      }
}

/**
 * Reads back a call of a tool. Calls are listed with their input, newest first, but others may have made the same one.
 * A listed call that had ended before the lost one proves that the list is complete since then; a running one does not,
 * because it is kept when the list is cleared or shortened.
 */
async function callReadBack(context: ReadBackContext): Promise<ReadBackAnswer> {
  const { entry, now } = context
  const { body } = entry.input as InputOf<typeof servers.callTool>
  const { first } = timeOf(entry)
  let reachesBack = false
  try {
    const call = await inList(calls.list, context, ({ kind, target, startedAt, durationMs }) => {
      reachesBack = typeof durationMs === 'number' && startOf(startedAt) + durationMs < first
      const isOurs = kind === 'tool' && target === body.toolName && isFromThen({ createdAt: startedAt }, entry)
      return reachesBack || isOurs
    })
    if (call && !reachesBack) {
      const at = localMoment(startOf(call['startedAt']) - (serviceOffset() ?? 0), now)
      const word = callStatusWord(String(call['status']))
      return sign(`a call of ${body.toolName} at ${at} is listed as ${word}`, 'who made it')
    }
  } catch (error) {
    if (error instanceof ApiError && error.code === 'local-only') return UNKNOWN
    throw error
  }
  // A list that does not reach back so far was cleared, or lost its oldest calls.
  return reachesBack ? { finding: 'did-not-happen', because: 'no call of it is listed' } : UNKNOWN
}

/**
 * Reads back the clearing of calls, which removes only calls that had ended by then. The end of a call that lost its
 * program is not stored.
 */
async function clearedReadBack(context: ReadBackContext): Promise<ReadBackAnswer> {
  const { earliest } = timeOf(context.entry)
  let mayHaveRun = false
  const left = await inList(calls.list, context, ({ startedAt, durationMs, status }) => {
    const began = startOf(startedAt)
    if (began >= earliest || status === 'running') return false
    if (typeof durationMs === 'number' && began + durationMs < earliest) return true
    mayHaveRun = true
    return false
  })
  if (left) return { finding: 'did-not-happen', because: 'calls from before are still listed' }
  return mayHaveRun
    ? { finding: 'cannot-be-known', because: 'a call from before is listed that may still have run then' }
    : { finding: 'happened', because: 'no call from before is listed' }
}

function startOf(startedAt: unknown): number {
  return toEpochMs(startedAt as number)!
}

/**
 * Reads back an answer to a server's request. If the request still waits, Now shows it anyway. If it no longer waits,
 * it cannot be answered.
 */
async function answeredReadBack({ client, entry, options }: ReadBackContext): Promise<ReadBackAnswer> {
  const { requestId } = entry.input
  const { items } = await client.serverRequests.list(placeOf(entry.input), options)
  return items.some(({ id }) => id === requestId)
    ? { finding: 'did-not-happen', because: 'the server still waits for an answer', endsByItself: true }
    : { finding: 'cannot-be-known', because: 'the server waits for no answer any more', isOver: true }
}

function placeOf(input: Readonly<Record<string, unknown>>): Place {
  const { projectId, serverId } = input as Place
  return { projectId, serverId }
}
