import { ApiError } from '../../api/client/errors/api-error.ts'
import type { Client } from '../../api/client/client.ts'
import { contract } from '../../api/contract/contract.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { ReadBack } from './proof.ts'

/** Number of live sessions, if the service reports them; not found means that nobody ever visited. */
export async function liveSessionsOf(client: Client, input: { projectId: string; scenarioId: string }) {
  try {
    const { liveSessions } = await client.userTestingInsights.metrics(input)
    return typeof liveSessions === 'number' ? liveSessions : undefined
  } catch (error) {
    return error instanceof ApiError && error.status === 404 ? 0 : undefined
  }
}

/** What can be read of a scenario after a change, and when it last changed, in epoch milliseconds. */
export async function readBack(
  client: Client,
  projectId: string,
  scenarioId: string,
  isGone: boolean,
): Promise<ReadBack & { changedAt?: number | undefined }> {
  const input = { projectId, scenarioId }
  if (isGone) {
    const listed = await client.items(contract.scenarios.list, { projectId }).catch(() => undefined)
    return { published: listed?.some(({ id }) => id === scenarioId) }
  }
  const [read, liveSessions] = await Promise.all([
    client.scenarios.get(input).catch(() => undefined),
    liveSessionsOf(client, input),
  ])
  return { mode: read?.mode, liveSessions, changedAt: toEpochMs(read?.updatedAt) }
}
