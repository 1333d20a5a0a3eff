import { failureSentence } from '../../api/client/errors/error-text.ts'
import { ApiError, isMissing } from '../../api/client/errors/api-error.ts'
import type { CallOptions, Client } from '../../api/client/client.ts'
import { contract } from '../../api/contract/contract.ts'

/** A record that names environments. */
export type EnvironmentUse = {
  kind: 'suite' | 'journey' | 'swarm' | 'scenario'
  id: string
  name: string
  environmentIds: readonly string[]
}

/** Everything that refers to environments, and a sentence for each part that could not be read. */
export type EnvironmentUses = { uses: readonly EnvironmentUse[]; unread: readonly string[] }

/**
 * Returns what uses the environments of a project. Lists do not contain the environments of suites and scenarios, so at
 * most `most` of each are read one by one.
 */
export async function readEnvironmentUses(
  client: Client,
  projectId: string,
  { most, ...call }: CallOptions & { most: number },
): Promise<EnvironmentUses> {
  const unread: string[] = []
  const attempt = async (kind: string, read: () => Promise<EnvironmentUse[]>): Promise<EnvironmentUse[]> => {
    try {
      return await read()
    } catch (error) {
      call.signal?.throwIfAborted()
      // Only a refusal by the service itself says why a feature is off.
      const isGated = error instanceof ApiError && error.code === 'FEATURE_NOT_SUPPORTED'
      unread.push(`The ${kind} were not read: ${isGated ? error.message : failureSentence(error)}`)
      return []
    }
  }
  /** Reads each item. An item that was deleted meanwhile uses nothing. */
  const each = async <T>(kind: string, all: readonly T[], read: (one: T) => Promise<EnvironmentUse>) => {
    if (all.length > most) unread.push(`Only ${most} of ${all.length} ${kind} were read.`)
    const found: EnvironmentUse[] = []
    for (const one of all.slice(0, most)) {
      try {
        found.push(await read(one))
      } catch (error) {
        if (!isMissing(error)) throw error
      }
    }
    return found
  }
  const suites = await attempt('suites', async () =>
    each('suites', await client.items(contract.suites.list, { projectId }, call), async ({ id: suiteId }) => {
      const { id, name, environmentIds } = await client.suites.get({ projectId, suiteId }, call)
      return { kind: 'suite', id, name: name ?? id, environmentIds: environmentIds ?? [] }
    }),
  )
  const journeys = await attempt('journeys', async () =>
    (await client.items(contract.journeys.list, { projectId }, call)).map(({ id, name, environmentIds }) => ({
      kind: 'journey',
      id,
      name,
      environmentIds: environmentIds ?? [],
    })),
  )
  const swarms = await attempt('swarms', async () =>
    (await client.items(contract.swarms.list, { projectId }, call)).map(({ id, name, environmentIds }) => ({
      kind: 'swarm',
      id,
      name: name ?? id,
      environmentIds: environmentIds ?? [],
    })),
  )
  const scenarios = await attempt('scenarios', async () =>
    each('scenarios', await client.items(contract.scenarios.list, { projectId }, call), async ({ id, name }) => {
      const { environmentId } = await client.userTesting.get({ projectId, scenarioId: id }, call)
      return { kind: 'scenario', id, name, environmentIds: environmentId ? [environmentId] : [] }
    }),
  )
  return { uses: [...suites, ...journeys, ...swarms, ...scenarios], unread }
}
