import { join } from 'node:path'
import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { saveServer } from '../edited-server.ts'
import { open, temporaryDirectory, untilEnded, type Api } from './harness.ts'
import { cast, journey, runJourney } from './journey-cast.ts'
import { KEY } from './model-runs.ts'
import { scriptedModel } from './scripted-model.ts'

const { runs, servers, suites, clients, environments } = contract

/** A suite of two trials that call a server in a file, and a function that launches it and waits for its end. */
async function suiteOnFile(api: Api, env: Record<string, string> = {}) {
  const projectId = (await api.call(contract.projects.list)).items[0]!.id
  const file = join(temporaryDirectory(), 'a server.mjs')
  saveServer(file)
  const stdio = { transportType: 'stdio', command: process.execPath, args: [file], env }
  const { id: serverId } = await api.call(servers.create, {
    projectId,
    body: { name: 'edited', enabled: true, ...stdio },
  })
  const call = { id: 'call', kind: 'toolCall', serverName: 'edited', toolName: 'weather', arguments: {} }
  const judged = { id: 'judged', kind: 'assert', assertion: { type: 'responseContains', needle: 'sunny' } }
  const tests = [{ title: 'answers', runs: 2, steps: [call, { ...call, id: 'again' }, judged] }]
  const body = { name: 'Own', model: 'none', serverIds: [serverId], tests }
  const { suiteId } = await api.call(suites.create, { projectId, body })
  const runOnce = async () => {
    const { runId } = await api.call(runs.create, { projectId, body: { suiteId } })
    return untilEnded(api, projectId, runId)
  }
  return { projectId, serverId, file, runOnce }
}

test.each([false, true])(
  'a run grades the server as it is on disk, even if it was called just before (executed here: %s)',
  async executeHere => {
    const { api } = await open({ executeHere })
    const { projectId, serverId, file, runOnce } = await suiteOnFile(api)
    expect(await runOnce()).toMatchObject({ result: 'passed' })
    await api.call(servers.tools, { projectId, serverId, body: {} })
    saveServer(file, { answer: 'It rains.' })
    expect(await runOnce()).toMatchObject({ result: 'failed', summary: { failed: 1 } })
    saveServer(file)
    expect(await runOnce()).toMatchObject({ result: 'passed' })
  },
)

test('a run starts each server once, however long it is unused meanwhile, and reports the start', async () => {
  const { api } = await open({ trialConcurrency: 1, connections: { idleMs: 1 } })
  const { file, runOnce } = await suiteOnFile(api, { API_KEY: 'hunter2-and-more' })
  const { startedServers, createdAt, completedAt } = await runOnce()
  expect(startedServers).toEqual([
    {
      name: 'edited',
      startedAt: expect.any(Number),
      transport: 'stdio',
      command: [process.execPath, file],
      serverInfo: { name: 'edited', version: '1' },
      protocolVersion: expect.stringMatching(/^\d{4}-/),
    },
  ])
  const startedAt = startedServers?.[0]?.startedAt
  expect(startedAt).toBeGreaterThanOrEqual(Number(createdAt))
  expect(startedAt).toBeLessThanOrEqual(Number(completedAt))
})

test('a swarm runs against the server as it is on disk', async () => {
  const weather = { name: 'weather', args: {} }
  const roles = cast({ assistant: ({ results }) => (results.length === 0 ? { calls: [weather] } : { text: 'Done.' }) })
  const model = await scriptedModel(roles)
  const { api } = await open({ models: { ...model.settings, apiKey: KEY, model: 'player' } })
  const { projectId, serverId, file } = await suiteOnFile(api)
  const config = { modelId: 'player', serverIds: [serverId] }
  const { id: hostId } = await api.call(clients.create, { projectId, body: { name: 'one', config } })
  const { id } = await api.call(environments.create, { projectId, body: { name: 'one', hostId } })
  const place = await journey(api, { environmentIds: [id] })
  await runJourney(api, place)
  saveServer(file, { answer: 'It rains.' })
  await runJourney(api, place)
  const told = model.asked.flatMap(({ results }) => results)
  expect(told.at(0)).toContain('It is sunny.')
  expect(told.at(-1)).toContain('It rains.')
})
