import { describe, expect, test } from 'vitest'
import { ApiError } from '../../src/api/client/errors/api-error.ts'
import { allEndpoints, contract } from '../../src/api/contract/contract.ts'
import { scriptedModel } from '../service/scripted-model.ts'
import { open, shown } from './faulty-line.ts'

/** What every project of these tests has, by name. */
async function furnish({ direct, projectId, suiteId, serverId }: Awaited<ReturnType<typeof open>>) {
  const project = await direct.projects.create({ body: { name: 'To change' } })
  const { items } = await direct.cases.list({ projectId, suiteId })
  return { projectId, suiteId, serverId, caseId: items[0]!.id, projectId2: project.id }
}

type Ids = Awaited<ReturnType<typeof furnish>>
const step = { id: 's', kind: 'toolCall', serverName: 'everything', toolName: 'echo', arguments: { message: 'm' } }
const test1 = { title: 'one', steps: [step] }
const stdio = { name: 'new', enabled: true, transportType: 'stdio', command: 'node' }

const keyless: [operation: string, input: (ids: Ids) => object][] = [
  ['createProject', () => ({ body: { name: 'Fresh' } })],
  ['updateProject', ids => ({ projectId: ids.projectId2, body: { name: 'Changed', description: 'd' } })],
  ['deleteProject', ids => ({ projectId: ids.projectId2 })],
  ['createProjectServer', ({ projectId }) => ({ projectId, body: { ...stdio, env: { TOKEN: 'hush' } } })],
  ['updateProjectServer', ({ projectId, serverId }) => ({ projectId, serverId, body: { enabled: false } })],
  ['deleteProjectServer', ({ projectId, serverId }) => ({ projectId, serverId })],
  [
    'createEvalSuite',
    ({ projectId, serverId }) => ({
      projectId,
      body: { name: 'Fresh', serverIds: [serverId], model: 'm', tests: [test1] },
    }),
  ],
  [
    'updateEvalSuite',
    ({ projectId, suiteId }) => ({ projectId, suiteId, body: { name: 'Changed', settings: { minimumAccuracy: 7 } } }),
  ],
  ['deleteEvalSuite', ({ projectId, suiteId }) => ({ projectId, suiteId })],
  ['createEvalCase', ({ projectId, suiteId }) => ({ projectId, suiteId, body: { ...test1, title: 'Fresh' } })],
  ['updateEvalCase', ({ projectId, suiteId, caseId }) => ({ projectId, suiteId, caseId, body: { title: 'Changed' } })],
  ['deleteEvalCase', ({ projectId, suiteId, caseId }) => ({ projectId, suiteId, caseId })],
]

describe('a write without a key is read back', () => {
  test.each(
    keyless.flatMap(([operation, input]) => [
      [operation, 'lost', 'did-not-happen', input] as const,
      [operation, 'answer-lost', 'happened', input] as const,
    ]),
  )('%s, %s: %s', async (operation, fate, finding, input) => {
    const opened = await open()
    const { start, meet, seen } = opened
    const ids = await furnish(opened)
    const { client, resolve } = start()
    const endpoint = allEndpoints().find(other => other.operation === operation)!
    void meet(fate)
    await expect(client.call(endpoint, input(ids))).rejects.toMatchObject({ sent: true })
    expect(await resolve()).toMatchObject([{ finding }])
    expect(seen).toHaveLength(1)
    // What would be lost for good is offered; a record can simply be written once more.
    const waits = finding === 'did-not-happen' && endpoint.risk === 'delete'
    expect(await resolve()).toMatchObject(waits ? [{ finding, isOpen: true }] : [])
    expect(seen).toHaveLength(1)
  })

  test.each([
    ['callTool', { body: { toolName: 'echo', parameters: { message: 'm' } } }, 'the contract shows no trace of it'],
    ['updateProjectServer', { body: { env: { A: 'b' } } }, 'the service does not show these fields'],
  ])('%s may have happened, and says so', async (operation, input, because) => {
    const { start, meet, projectId, serverId } = await open()
    const { client, resolve } = start()
    const endpoint = allEndpoints().find(other => other.operation === operation)!
    void meet('answer-lost')
    const place: object = { projectId, serverId }
    await expect(client.call(endpoint, { ...place, ...input })).rejects.toBeInstanceOf(ApiError)
    const [told] = await resolve()
    expect(told).toMatchObject({ finding: 'cannot-be-known' })
    expect(told!.sentence).toMatch(new RegExp(`may have happened: ${because}\\.$`))
  })

  test('a turn of the agent and a message of a chat are found where they are stored', async () => {
    const model = await scriptedModel(() => ({ text: 'Hello.' }))
    const { start, meet, projectId, serverId, direct } = await open({ models: { ...model.settings, model: 'small' } })
    const { id: hostId } = await direct.clients.create({ projectId, body: { name: 'Desk', template: 'claude' } })
    await direct.hosts.setServers({ projectId, hostId, body: { serverIds: [serverId] } })
    const { client, resolve } = start()
    const turn = (content: string) =>
      client.agent.turn({ projectId, body: { messages: [{ role: 'user', content }], conversationId: 'c' } })
    const say = (text: string) => client.chats.say({ projectId, body: { text, clientId: hostId } })
    for (const [send, fate, finding] of [
      [turn, 'lost', 'did-not-happen'],
      [turn, 'answer-lost', 'happened'],
      [say, 'lost', 'did-not-happen'],
      [say, 'answer-lost', 'happened'],
    ] as const) {
      void meet(fate)
      await expect(send(fate)).rejects.toBeInstanceOf(ApiError)
      const { operation } = send === turn ? contract.agent.turn : contract.chats.say
      expect((await resolve()).map(each => [each.entry.operation, each.finding])).toContainEqual([operation, finding])
    }
  })

  test('a cancel is offered again while its run is in flight', async () => {
    const { start, meet, projectId, serverId, direct, seen } = await open()
    const slow = { ...step, toolName: 'trigger-long-running-operation', arguments: { duration: 60, steps: 1 } }
    const body = { name: 'slow', serverIds: [serverId], model: 'm', tests: [{ title: 'slow', steps: [slow] }] }
    const { suiteId } = await direct.suites.create({ projectId, body: body as never })
    const { runId } = await direct.runs.create({ projectId, body: { suiteId } })
    const { client, resolve, sendAll } = start()
    void meet('lost', 'lost')
    await expect(client.runs.cancel({ projectId, runId })).rejects.toBeInstanceOf(ApiError)
    expect(shown(await resolve())).toEqual([
      ['did-not-happen', 'Cancel eval run did not happen: run #1 is still running.'],
    ])
    expect(seen).toHaveLength(2)
    expect(shown(await sendAll())).toEqual([['happened', `Cancel eval run was sent again: ${runId} (cancelled).`]])
    expect((await direct.runs.get({ projectId, runId })).status).toBe('cancelled')
    expect(seen).toHaveLength(3)
  })
})
