import { isMissing } from '../../api/client/errors/api-error.ts'
import type { Client } from '../../api/client/client.ts'
import { contract } from '../../api/contract/contract.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { ReadBack } from './proof.ts'

/** Returns the number of open sessions, if the service reports them. A 404 counts as none: nobody ever visited. */
export async function liveSessionsOf(client: Client, input: { projectId: string; scenarioId: string }) {
  try {
    const { liveSessions } = await client.userTestingInsights.metrics(input)
    return typeof liveSessions === 'number' ? liveSessions : undefined
  } catch (error) {
    return isMissing(error) ? 0 : undefined
  }
}

/** Reads what is readable of a scenario after a change, including the time of its last change in epoch milliseconds. */
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
