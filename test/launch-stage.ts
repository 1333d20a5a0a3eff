import type { Client } from '../src/api/client/client.ts'
import type { EvalTestStep } from '../src/api/contract/eval-shapes.ts'

type Case = { title: string; steps: EvalTestStep[] }

function callCase(title: string, toolName: string, args: Record<string, unknown>): Case {
  return { title, steps: [{ id: 'call', kind: 'toolCall', serverName: 'everything', toolName, arguments: args }] }
}

/** A case that ends at once. */
export function quickCase(title: string): Case {
  return callCase(title, 'echo', { message: title })
}

/** A case that takes the given number of seconds. */
export function slowCase(title: string, seconds: number): Case {
  return callCase(title, 'trigger-long-running-operation', { duration: seconds, steps: 1 })
}

/** A case that never passes. */
export function failingCase(title: string): Case {
  const { steps } = quickCase(title)
  const assertion = { type: 'responseContains', needle: 'something else' }
  return { title, steps: [...steps, { id: 'text', kind: 'assert', assertion }] }
}

/** Records that launches need, created with the client: a project with a reachable server and an unreachable one. */
export async function launchStage(client: Client) {
  const projectId = (await client.projects.list()).items[0]!.id
  const serverId = (await client.servers.list({ projectId })).items[0]!.id

  /** A server that cannot be reached, so that a run on it ends at once. */
  const deadServer = async (): Promise<string> => {
    const url = 'http://127.0.0.1:9/mcp'
    const body = { name: 'dead', enabled: true, transportType: 'http' as const, url }
    return (await client.servers.create({ projectId, body })).id
  }
  const mcpClient = async (name: string, config: object = {}): Promise<string> => {
    const body = { name, config: { modelId: 'openai/gpt-x', serverIds: [serverId], ...config } }
    return (await client.clients.create({ projectId, body })).id
  }
  const environment = async (name: string, hostId: string): Promise<string> =>
    (await client.environments.create({ projectId, body: { name, hostId } })).id
  const archive = async (environmentId: string): Promise<void> => {
    const { revision } = await client.environments.get({ projectId, environmentId })
    await client.environments.archive({ projectId, environmentId, body: { expectedRevision: revision } })
  }
  /** Creates a suite with these cases and attachments. */
  const suite = async (
    name: string,
    more: {
      environmentIds?: readonly string[]
      hosts?: readonly string[]
      servers?: readonly string[]
      tests?: Case[]
    } = {},
  ): Promise<string> => {
    const { environmentIds, hosts = [], servers = [serverId], tests = [quickCase('one')] } = more
    const body = { name, serverIds: servers.length > 0 ? [...servers] : [serverId], model: 'none', tests }
    const { suiteId } = await client.suites.create({ projectId, body })
    await client.suites.update({
      projectId,
      suiteId,
      body: {
        hosts: hosts.map(host => ({ host })),
        ...(environmentIds?.length && { environmentIds: [...environmentIds] }),
        ...(servers.length === 0 && { environment: { servers: [] } }),
      },
    })
    return suiteId
  }
  return { projectId, serverId, deadServer, mcpClient, environment, archive, suite }
}
