import type { KnownResult } from '../servers/findings.ts'
import type { Client } from '../../api/client/client.ts'
import { ApiError } from '../../api/client/errors/api-error.ts'
import { callLogOf, type CallRecord } from './call-log.ts'

/**
 * Returns the last result of each tool of a server. If the service does not return them, for whatever reason, only
 * calls of this session are known.
 */
export async function knownResults(
  client: Client,
  target: { projectId: string; serverId: string },
): Promise<readonly KnownResult[]> {
  try {
    return (await client.calls.results(target)).items
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return ofSession(callLogOf(client).of(target.serverId))
  }
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
