import { setTimeout as delay } from 'node:timers/promises'
import { createBudget } from '../../src/api/client/budget/budget.ts'
import { createClient, type Client } from '../../src/api/client/client.ts'
import { API_PREFIX } from '../../src/api/contract/contract.ts'
import { isTerminalRunStatus } from '../../src/api/contract/runs.ts'
import { createService, type Service } from '../../src/service/workspace/service.ts'
import { dataDirOf } from '../../test/prepared-workspace.ts'

/** Milliseconds that exceed any recording. */
const RECORDING_MS = 60 * 60 * 1000
const LOOK_MS = 100

/** A workspace in use: its samples, a failed run, a run in flight, servers, clients and environments. */
export type PicturesStage = { projectId: string; [Symbol.asyncDispose](): Promise<void> }

/** Prepares the workspace of a home, and executes the run in flight until it is disposed of. */
export async function prepareStage(home: string): Promise<PicturesStage> {
  // Another thread would not have the recording's clock.
  const options = { samples: true, executeHere: true, trialDeadlineMs: RECORDING_MS }
  const service = await createService({ dataDir: dataDirOf(home), ...options })
  try {
    const projectId = await fill(service)
    return { projectId, [Symbol.asyncDispose]: () => service.close() }
  } catch (error) {
    await service.close()
    throw error
  }
}

async function fill(service: Service): Promise<string> {
  const client = createClient({
    fetch: service.answer,
    baseUrl: `http://local.invalid${API_PREFIX}`,
    key: service.localKey,
    budget: createBudget({ unlimited: true }),
  })
  while (service.store.samples.due().length > 0) await delay(LOOK_MS)
  const projectId = (await client.projects.list()).items[0]!.id
  const serverId = (await client.servers.list({ projectId })).items[0]!.id
  await addServers(client, projectId)
  await addEnvironments(client, projectId, serverId)
  const suites = (await client.suites.list({ projectId })).items
  const smoke = suites.find(({ name }) => name === 'Reference server smoke')!
  const { runId } = await client.runs.create({ projectId, body: { suiteId: smoke.id } })
  while (!isTerminalRunStatus((await client.runs.get({ projectId, runId })).status)) await delay(LOOK_MS)
  await launchLasting(client, projectId, serverId)
  return projectId
}

async function addServers(client: Client, projectId: string): Promise<void> {
  const add = (
    name: string,
    more: { transportType: 'http'; url: string } | { transportType: 'stdio'; command: string },
  ) => client.servers.create({ projectId, body: { name, enabled: true, ...more } })
  await add('orders', { transportType: 'http', url: 'https://orders.example/mcp' })
  await add('customer-records', { transportType: 'http', url: 'https://records.example/mcp' })
  await add('files', { transportType: 'stdio', command: 'mcp-server-filesystem' })
}

async function addEnvironments(client: Client, projectId: string, serverId: string): Promise<void> {
  const config = { modelId: 'small', serverIds: [serverId] }
  const { id: hostId } = await client.clients.create({ projectId, body: { name: 'Support desk', config } })
  for (const name of ['Staging', 'Before the release'])
    await client.environments.create({ projectId, body: { name, hostId } })
}

/** Launches a suite in which most trials pass at once and some wait for their server. */
async function launchLasting(client: Client, projectId: string, serverId: string): Promise<void> {
  const call = (toolName: string, args: Record<string, unknown>) => ({
    id: 'call',
    kind: 'toolCall' as const,
    serverName: 'everything',
    toolName,
    arguments: args,
  })
  const echoes = ['Greets a customer', 'Repeats an order number', 'Says what it cannot do'].map(title => ({
    title,
    steps: [
      call('echo', { message: title }),
      { id: 'text', kind: 'assert' as const, assertion: { type: 'responseContains', needle: title } },
    ],
  }))
  const waiting = ['Exports a year of orders', 'Rebuilds the search index'].map(title => ({
    title,
    steps: [call('trigger-long-running-operation', { duration: RECORDING_MS / 1000, steps: RECORDING_MS / 1000 })],
  }))
  const { suiteId } = await client.suites.create({
    projectId,
    body: { name: 'Order desk', model: 'none', serverIds: [serverId], tests: [...echoes, ...waiting] },
  })
  const { runId } = await client.runs.create({ projectId, body: { suiteId, iterationOverride: 8 } })
  const passed = echoes.length * 8
  for (;;) {
    const { items } = await client.iterations.list({ projectId, runId })
    if (items.filter(({ status }) => status === 'completed').length >= passed) return
    await delay(LOOK_MS)
  }
}
