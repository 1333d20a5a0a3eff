import { once } from 'node:events'
import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { inWorkspace } from '../prepared-workspace.ts'
import { echoCase, open, sandbox, temporaryDirectory, until } from '../service/harness.ts'
import { scriptedModel } from '../service/scripted-model.ts'
import { startServe } from '../service/start-child.ts'
import { openHome } from './program.ts'

test('ask prints the answer and what is only proposed, and --approve carries it out once', async () => {
  const home = await openHome()
  try {
    const { suiteId } = await inWorkspace(home.home, async ({ client, projectId }) => {
      const [suite] = (await client.suites.list({ projectId })).items
      const [server] = (await client.servers.list({ projectId })).items
      const config = { modelId: 'small', serverIds: [server!.id] }
      await client.clients.create({ projectId, body: { name: 'Plain', config } })
      return { suiteId: suite!.id }
    })
    const calls: Record<string, { name: string; args: object }> = {
      'Rename it': { name: 'updateEvalSuite', args: { suiteId, body: { name: 'Renamed' } } },
      'Add 2 and 3': { name: 'get-sum', args: { a: 2, b: 3 } },
    }
    const model = await scriptedModel(({ results, prompts }) => {
      if (prompts.at(-1) === 'Fail') return { raw: '<html>' }
      const call = calls[prompts.at(-1)!]
      return results.length > 0 || !call ? { text: `You said: ${prompts.join()}` } : { calls: [call] }
    })
    const env = { MCPDECK_MODEL_BASE_URL: model.settings.baseUrl, MCPDECK_MODEL: 'small' }
    expect(await home.run(['ask', 'Hello'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('MCPDECK_MODEL_BASE_URL'),
    })
    expect(await home.run(['ask'], { env, input: 'Hello\n' })).toMatchObject({ code: 0, stdout: 'You said: Hello\n' })

    expect(await home.run(['ask', '--continue', 'Fail'], { env })).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/^No answer from the model: The model endpoint .*cannot be used(?!.*may have)/m),
    })
    const goesOn = await home.run(['ask', '--continue', 'Again'], { env })
    expect(goesOn).toMatchObject({ code: 0, stdout: 'You said: Hello,Again\n' })
    expect(goesOn.stderr).toContain('Today, since 00:00 UTC: 3 turns, 20 tokens in and 10 out.')

    const asked = await home.run(['ask', 'Rename it'], { env })
    expect(asked).toMatchObject({ code: 0, stdout: 'You said: Rename it\n' })
    expect((await home.run(['get', 'suites'])).stdout).not.toContain('Renamed')
    const actionId = /--approve (act_\w+)/.exec(asked.stderr)?.[1] ?? ''
    const unseen = await home.run(['ask', '--approve', actionId])
    expect(unseen).toMatchObject({ code: 2, stderr: expect.stringContaining('name: "') })
    expect(unseen.stderr).toContain('-> "Renamed"')
    expect((await home.run(['get', 'suites'])).stdout).not.toContain('Renamed')
    expect(await home.run(['ask', '--approve', actionId, '--yes'])).toMatchObject({ code: 0 })
    expect((await home.run(['get', 'suites'])).stdout).toContain('Renamed')
    expect(await home.run(['ask', '--approve', actionId, '--yes'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('no pending proposal'),
    })

    const said = await home.run(['chat', '--client', 'Plain', 'Add 2 and 3'], { env })
    expect(said).toMatchObject({ code: 0, stdout: 'You said: Add 2 and 3\n' })
    expect(said.stderr).toContain('Called get-sum of everything.')
    const sessionId = /--session (ses_\w+)/.exec(said.stderr)?.[1] ?? ''
    expect(await home.run(['chat', '--session', sessionId], { env, input: 'Thanks\n' })).toMatchObject({
      code: 0,
      stdout: 'You said: Add 2 and 3,Thanks\n',
    })
  } finally {
    await home.close()
  }
}, 60_000)

test('the next start reports what a killed ask was doing, and a repeat creates nothing twice', async () => {
  const { agent, agentTurns, chats, clients, sessions, suites } = contract
  const home = await openHome()
  const dataDir = temporaryDirectory()
  let kill: (() => void) | undefined
  const model = await scriptedModel(({ results, prompts }) => {
    if (prompts.at(-1) === 'Add') return results.length > 0 ? 'silence' : { calls: [{ name: 'get-sum', args: sum }] }
    if (prompts.at(-1) !== 'Write it') return { text: 'Yes.' }
    const suite = { name: 'Smoke', model: 'none', serverIds: [serverId], tests: [echoCase('says yes', 'yes')] }
    if (results.length === 0) return { calls: [{ name: 'createEvalSuite', args: { body: suite } }] }
    kill?.()
    return kill ? 'silence' : { text: 'Written.' }
  })
  const sum = { a: 2, b: 3 }
  const models = { ...model.settings, model: 'small' }
  const served = await startServe(dataDir, { models })
  const { projectId, serverId } = await sandbox(served.api)
  const config = { modelId: 'small', serverIds: [serverId] }
  const { id: clientId } = await served.api.call(clients.create, { projectId, body: { name: 'Plain', config } })
  const isBrokenOff = async (sending: Promise<unknown>) =>
    await sending.then(
      () => false,
      () => true,
    )
  const chatting = isBrokenOff(served.api.send(chats.say, { projectId, body: { text: 'Add', clientId } }))
  await until(
    () => model.asked.length,
    count => count === 2,
  )
  kill = () => served.child.kill('SIGKILL')
  const exited = once(served.child, 'exit')
  const messages = [{ role: 'user', content: 'Write it' }]
  const turn = { projectId, body: { messages, conversationId: 'here', idempotencyKey: 'trigger' } }
  expect(await isBrokenOff(served.api.send(agent.turn, turn))).toBe(true)
  expect(await chatting).toBe(true)
  await exited
  kill = undefined

  const env = { MCPDECK_MODEL_BASE_URL: model.settings.baseUrl, MCPDECK_MODEL: 'small' }
  const asked = await home.run(['ask', 'Are you there?', '--data-dir', dataDir], { env })
  await home.close()
  expect(asked).toMatchObject({ code: 0, stdout: 'Yes.\n' })
  expect(asked.stderr).toMatch(/The last turn was interrupted: Write it\nCreated: eval suite "Smoke" \(ste_\w+\)\./)

  const { api } = await open({ dataDir, models })
  const { items } = await api.call(agentTurns.list, { projectId })
  expect(items.map(({ status }) => status)).toEqual(['answered', 'interrupted'])
  const again = await api.call(agent.turn, turn, { key: served.api.key })
  const [suite] = items[1]!.createdResources!
  expect(again).toMatchObject({ reply: 'Written.', createdResources: [{ id: suite!.id }] })
  const { items: made } = await api.call(suites.list, { projectId })
  expect(made.filter(({ name }) => name === 'Smoke')).toHaveLength(1)

  const [session] = (await api.call(sessions.list, { projectId, sourceType: 'direct' })).items
  const chat = { projectId, sessionId: session!.id }
  const broken = { role: 'system', toolCalls: [{ toolName: 'get-sum', arguments: sum }] }
  expect(await api.call(chats.get, chat)).toMatchObject({
    status: 'interrupted',
    messages: [{ text: 'Add', toolCalls: [] }, broken],
  })
  await api.call(chats.say, { projectId, body: { text: 'Thanks', sessionId: session!.id } })
  expect((await api.call(chats.get, chat)).messages).toMatchObject([
    { text: 'Add' },
    broken,
    { text: 'Thanks' },
    { text: 'Yes.' },
  ])
}, 60_000)
