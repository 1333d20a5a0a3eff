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
} from './looking.ts'

const { servers, liveServers, signIns, calls, serverRequests } = contract
type Place = { projectId: string; serverId: string }

/** Writes about the servers of a local workspace, and calls, which only such a workspace lists; by operation. */
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

/** How far clocks may differ that `Date` has compared, in milliseconds. */
const CLOSE_MS = 1_000

/**
 * Whether the connection of a server is from before it was to end. A restart connects anew, and so does the next
 * request after it, so that no connection at all shows as much as a new one.
 */
async function connectionReadBack({ client, entry, now, options }: ReadBackContext): Promise<ReadBackAnswer> {
  const live = await unlessMissing(client.liveServers.get(placeOf(entry.input), options))
  if (live?.startedAt == null) return { finding: 'happened', because: 'no connection from before is left' }
  const began = toEpochMs(live.startedAt)!
  const { earliest } = timeOf(entry)
  const since = `since ${localMoment(began - (serviceOffset() ?? 0), now)}`
  if (began >= earliest) return { finding: 'happened', because: `its connection is a new one, ${since}` }
  return began < earliest - CLOSE_MS
    ? { finding: 'did-not-happen', because: `its connection is the one from before, ${since}`, endsByItself: true }
    : { finding: 'cannot-be-known', because: `its connection began in that second, ${since}`, isOver: true }
}

/** Calls of a tool are listed with their input; others may have made the same one. */
async function callReadBack(context: ReadBackContext): Promise<ReadBackAnswer> {
  const { entry, now } = context
  const { body } = entry.input as InputOf<typeof servers.callTool>
  let oldest = Infinity
  try {
    const call = await inList(calls.list, context, item => {
      const startedAt = toEpochMs(item['startedAt'] as number)!
      oldest = Math.min(oldest, startedAt)
      return item['kind'] === 'tool' && item['target'] === body.toolName && isFromThen({ createdAt: startedAt }, entry)
    })
    if (call) {
      const at = localMoment(toEpochMs(call['startedAt'] as number)! - (serviceOffset() ?? 0), now)
      return sign(`a call of ${body.toolName} at ${at} is ${said(String(call['status']))}`, 'who made it')
    }
  } catch (error) {
    if (error instanceof ApiError && error.code === 'local-only') return UNKNOWN
    throw error
  }
  // A list that does not reach back so far was cleared, or lost its oldest.
  return oldest < timeOf(entry).first ? { finding: 'did-not-happen', because: 'no call of it is listed' } : UNKNOWN
}

function said(status: string): string {
  const words: Readonly<Record<string, string>> = {
    tool_error: 'answered with an error',
    given_up: 'given up',
    unknown: 'without an end',
  }
  return words[status] ?? status
}

/** Only calls that had ended by then were to go. */
async function clearedReadBack(context: ReadBackContext): Promise<ReadBackAnswer> {
  const { earliest } = timeOf(context.entry)
  const left = await inList(calls.list, context, ({ startedAt, durationMs }) => {
    if (typeof durationMs !== 'number') return false
    return toEpochMs(startedAt as number)! + durationMs < earliest
  })
  return left
    ? { finding: 'did-not-happen', because: 'calls from before are still listed' }
    : { finding: 'happened', because: 'no call from before is listed' }
}

/** A request of a server that still waits stands on Now by itself; one that does not can be answered no more. */
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
