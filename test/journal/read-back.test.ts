import { describe, expect, onTestFinished, test } from 'vitest'
import { ApiError } from '../../src/api/client/errors/api-error.ts'
import { allEndpoints, contract } from '../../src/api/contract/contract.ts'
import { scriptedModel } from '../service/scripted-model.ts'
import { open, shown, TOO_LATE } from './faulty-line.ts'
import { PATIENCE } from '../patience.ts'

/** Records that every project of these tests has, by name. */
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
      // A name proves nothing: another person may have created a record with the same name.
      [operation, 'answer-lost', operation.startsWith('create') ? 'cannot-be-known' : 'happened', input] as const,
    ]),
  )('%s, %s: %s', async (operation, fate, finding, input) => {
    const opened = await open()
    const { start, meet, seen, clock } = opened
    const ids = await furnish(opened)
    const { client, resolve } = start()
    const endpoint = allEndpoints().find(other => other.operation === operation)!
    void meet(fate)
    await expect(client.call(endpoint, input(ids))).rejects.toMatchObject({ sent: true })
    if (fate === 'lost') {
      const [early] = await resolve()
      expect(early).toMatchObject({ finding: 'cannot-be-known', isOpen: true, isEarly: true })
      expect(early!.sentence).toMatch(/may have happened: .*; the service may still act on it until /)
      clock.advance(TOO_LATE)
    }
    const [told] = await resolve()
    expect(told).toMatchObject({ finding })
    if (finding === 'cannot-be-known')
      expect(told!.sentence).toMatch(/ is there; the service does not say who created it\.$/)
    expect(seen).toHaveLength(1)
    // A write that would otherwise be lost is offered; a record can be written again.
    const waits = finding === 'cannot-be-known' || (finding === 'did-not-happen' && endpoint.risk === 'delete')
    expect(await resolve()).toMatchObject(waits ? [{ finding, isOpen: true }] : [])
    expect(seen).toHaveLength(1)
  })

  test.each([
    [
      'callTool',
      { body: { toolName: 'echo', parameters: { message: 'm' } } },
      String.raw`a call of echo at [-\d ]*\d\d:\d\d is listed as answered; the service does not say who made it`,
    ],
    ['updateProjectServer', { body: { env: { A: 'b' } } }, 'the service does not show these fields'],
  ])('%s may have happened, and this is reported', async (operation, input, because) => {
    const { start, meet, projectId, serverId } = await open()
    const { client, resolve } = start()
    const endpoint = allEndpoints().find(other => other.operation === operation)!
    void meet('answer-lost')
    const place: object = { projectId, serverId }
    await expect(client.call(endpoint, { ...place, ...input })).rejects.toBeInstanceOf(ApiError)
    const [told] = await resolve()
    expect(told).toMatchObject({ finding: 'cannot-be-known' })
    expect(told!.sentence).toMatch(new RegExp(`may have happened: ${because}\\.$`))
    // A call is recognised by its tool, and not by its server alone.
    if (operation === 'callTool') expect(told!.sentence).toMatch(/^Call tool “echo of [^”]+” \(/)
  })

  test('a turn of the agent and a message of a chat are found where they are stored', async () => {
    const model = await scriptedModel(() => ({ text: 'Hello.' }))
    const opened = await open({ models: { ...model.settings, model: 'small' } })
    const { start, meet, projectId, serverId, direct, clock } = opened
    const { id: hostId } = await direct.clients.create({ projectId, body: { name: 'Desk', template: 'claude' } })
    await direct.hosts.setServers({ projectId, hostId, body: { serverIds: [serverId] } })
    const { client, resolve } = start()
    const turn = (content: string) =>
      client.agent.turn({ projectId, body: { messages: [{ role: 'user', content }], conversationId: 'c' } })
    const say = (text: string) => client.chats.say({ projectId, body: { text, clientId: hostId } })
    const found = async () =>
      (await resolve()).map(({ entry, finding, isEarly }) => [entry.operation, finding, isEarly ?? false])
    for (const [{ operation }, send] of [
      [contract.agent.turn, turn],
      [contract.chats.say, say],
    ] as const) {
      void meet('lost')
      await expect(send('lost')).rejects.toBeInstanceOf(ApiError)
      expect(await found()).toContainEqual([operation, 'cannot-be-known', true])
      void meet('answer-lost')
      await expect(send('answer-lost')).rejects.toBeInstanceOf(ApiError)
      // The conversation of a turn belongs to one person; other people can send the same messages in a chat.
      expect(await found()).toContainEqual([operation, send === turn ? 'happened' : 'cannot-be-known', false])
    }
    clock.advance(TOO_LATE)
    expect(await found()).toContainEqual([contract.chats.say.operation, 'did-not-happen', false])
  })

  test('a launch of a journey is found by its wave, and no other run is mistaken for it', async () => {
    const model = await scriptedModel(() => ({ text: 'Hello.' }))
    const opened = await open({ models: { ...model.settings, model: 'small' } })
    const { start, meet, projectId, serverId, direct, clock } = opened
    const config = { modelId: 'small', serverIds: [serverId] }
    const { id: hostId } = await direct.clients.create({ projectId, body: { name: 'Desk', config } })
    const { id: environmentId } = await direct.environments.create({ projectId, body: { name: 'Desk', hostId } })
    const { id: personaId } = await direct.personas.create({ projectId, body: { name: 'Ada', role: 'r', notes: 'n' } })
    const { id: journeyId } = await direct.journeys.create({
      projectId,
      body: { name: 'J', goal: 'g', personaId, sessionsPerTarget: 1, maxTurns: 1, environmentIds: [environmentId] },
    })
    const { client, resolve } = start()
    const launch = (waveId: string) =>
      client.journeyRuns.launch({ projectId, journeyId, body: { waveId } }, { idempotencyKey: waveId })
    void meet('answer-lost', 'answer-lost')
    await expect(launch('one')).rejects.toBeInstanceOf(ApiError)
    const [run] = (await direct.journeyRuns.list({ projectId, journeyId })).items
    expect(shown(await resolve())).toEqual([['happened', `Launch journey run happened: it is run ${run!.id}.`]])
    void meet('lost', 'lost')
    await expect(launch('two')).rejects.toBeInstanceOf(ApiError)
    expect(await resolve()).toMatchObject([{ finding: 'cannot-be-known', isOpen: true, isEarly: true }])
    clock.advance(TOO_LATE)
    expect(shown(await resolve())).toEqual([
      ['did-not-happen', 'Launch journey run did not happen: no run of its wave is there.'],
    ])
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
    const still = 'run #1 is still running; the service may still act on it until then'
    expect(shown(await resolve())).toEqual([['cannot-be-known', `Cancel eval run may have happened: ${still}.`]])
    expect(seen).toHaveLength(2)
    expect(shown(await sendAll())).toEqual([['happened', `Cancel eval run was sent again: ${runId} (cancelled).`]])
    expect((await direct.runs.get({ projectId, runId })).status).toBe('cancelled')
    expect(seen).toHaveLength(3)
  })

  test('a cancel is settled as not done if the run ended by itself', async () => {
    const { start, meet, projectId, suiteId, direct } = await open()
    const { runId } = await direct.runs.create({ projectId, body: { suiteId } })
    await expect.poll(async () => (await direct.runs.get({ projectId, runId })).status, PATIENCE).toBe('completed')
    const { client, resolve } = start()
    void meet('lost', 'lost')
    await expect(client.runs.cancel({ projectId, runId })).rejects.toBeInstanceOf(ApiError)
    expect(shown(await resolve())).toEqual([['did-not-happen', 'Cancel eval run did not happen: run #1 is completed.']])
    expect(await resolve()).toEqual([])
  })

  test('a write about a deleted thing is no longer checked at each start', async () => {
    const { start, meet, projectId, suiteId, direct } = await open()
    const { client, resolve } = start()
    void meet('answer-lost', 'answer-lost')
    await expect(client.runs.create({ projectId, body: { suiteId } })).rejects.toBeInstanceOf(ApiError)
    await direct.suites.delete({ projectId, suiteId })
    expect(shown(await resolve())).toEqual([
      ['cannot-be-known', 'Create eval run may have happened: what it is about is gone.'],
    ])
  })
})

describe('a launch is found among the runs of its time by the service’s clock', () => {
  test.each([
    ['ahead', 3_600_000],
    ['behind', -3_600_000],
  ])('if this machine’s clock is %s', async (_words, offset) => {
    const { start, meet, clock, projectId, suiteId, tell } = await open()
    const { client, resolve } = start()
    clock.advance(offset)
    // Answers show the time of the service's clock while this machine's clock differs by the given time.
    tell(() => Date.now() - offset)
    onTestFinished(async () => {
      tell(() => Date.now())
      await client.projects.list()
    })
    void meet('answer-lost')
    await expect(client.runs.create({ projectId, body: { suiteId } })).rejects.toBeInstanceOf(ApiError)
    expect(await resolve()).toMatchObject([{ finding: 'cannot-be-known', isOpen: true }])
  })

  test('even if this machine’s clock was set between the request and the check', async () => {
    const { start, meet, clock, projectId, suiteId, tell } = await open()
    const { client, resolve } = start()
    onTestFinished(async () => {
      tell(() => Date.now())
      await client.projects.list()
    })
    clock.advance(3_600_000)
    tell(() => Date.now() - 3_600_000)
    await client.projects.list()
    void meet('answer-lost')
    await expect(client.runs.create({ projectId, body: { suiteId } })).rejects.toMatchObject({ sent: true })
    clock.advance(-3_600_000)
    tell(() => Date.now())
    await client.projects.list()
    expect(await resolve()).toMatchObject([{ finding: 'cannot-be-known', isOpen: true }])
  })
})
