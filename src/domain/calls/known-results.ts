import type { KnownResult } from '../servers/findings.ts'
import type { Client } from '../../api/client/client.ts'
import { ApiError } from '../../api/client/errors/api-error.ts'
import { callLogOf, type CallRecord } from './call-log.ts'

/**
 * Returns the last result of each tool of a server. If the service does not return them, only calls of this session are
 * known. `unread` says why they could not be read; it is undefined if the service has no such operation.
 */
export async function knownResults(
  client: Client,
  { projectId, serverId }: { projectId: string; serverId: string },
): Promise<{ results: readonly KnownResult[]; unread?: string }> {
  try {
    return { results: (await client.calls.results({ projectId, serverId })).items }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const results = ofSession(callLogOf(client).of(serverId))
    return isNotOffered(error) ? { results } : { results, unread: error.message }
  }
}

function isNotOffered({ code, status }: ApiError): boolean {
  return code === 'local-only' || code === 'FEATURE_NOT_SUPPORTED' || status === 404
}

/** Returns the newest successful result of each tool. `records` are newest first. */
function ofSession(records: readonly CallRecord[]): KnownResult[] {
  const known = new Map<string, KnownResult>()
  for (const { target, outcome } of records) {
    if (outcome.state !== 'answered' || outcome.answer.kind !== 'tool' || outcome.answer.value.isError === true)
      continue
    const { structuredContent } = outcome.answer.value
    if (!known.has(target)) known.set(target, { tool: target, structuredContent })
  }
  return [...known.values()]
}
