import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { makeKey } from '../../src/service/core/access.ts'
import type { ServiceOptions } from '../../src/service/workspace/service.ts'
import { open, sandbox, until } from './harness.ts'
import { soon } from './model-runs.ts'
import { scriptedModel, TOKENS, type Answer, type Asked } from './scripted-model.ts'
import { environmentFor, helper } from './visits.ts'

const { chats, clients, sessions, traceExports } = contract

const TWO_DAYS = 48 * 60 * 60 * 1000

/** An environment with its client, and a model that answers by the script. */
async function stage(script: (asked: Asked) => Answer = helper, options: Partial<ServiceOptions> = {}) {
  const model = await scriptedModel(script)
  const service = await open({ ...options, models: model.settings })
  const place = await environmentFor(service.api, 'Study', { systemPrompt: 'Be brief.' })
  const { projectId } = place
  const input = (text: string, target: object) => ({ projectId, body: { text, ...target } })
  return {
    ...service,
    ...place,
    model,
    input,
    say: (text: string, target: object) => service.api.call(chats.say, input(text, target)),
    refused: (text: string, target: object) => service.api.refused(chats.say, input(text, target)),
  }
}

test('a chat calls real tools, remembers, and is a session with its transcript and trace', async () => {
  // The feed exports a chat once it has been idle for a day.
  const { api, projectId, clientId, environmentId, say, model } = await stage(helper, {
    now: () => Date.now() - TWO_DAYS,
  })
  const first = await say('add the numbers', { clientId })
  const call = { serverName: 'everything', toolName: 'get-sum', arguments: { a: 2, b: 3 }, isError: false }
  expect(first).toMatchObject({
    title: 'Study client',
    clientId,
    environmentId: null,
    status: 'idle',
    modelId: 'small',
    messages: [
      { role: 'user', text: 'add the numbers', toolCalls: [] },
      { role: 'assistant', toolCalls: [{ ...call, result: 'The sum of 2 and 3 is 5.' }] },
    ],
  })
  const sessionId = first.id
  expect((await say('and now?', { sessionId })).messages).toMatchObject([
    { role: 'user' },
    { text: 'You said: and now?' },
  ])
  expect(model.asked.at(-1)).toMatchObject({ prompts: ['add the numbers', 'and now?'], system: 'Be brief.' })
  expect((await api.call(chats.get, { projectId, sessionId })).messages).toHaveLength(4)
  expect((await say('hello', { environmentId })).title).toBe('Study')

  const { items } = await api.call(sessions.list, { projectId, sourceType: 'direct' })
  expect(items.map(({ title }) => title)).toEqual(['Study', 'Study client'])
  expect(items[1]).toMatchObject({
    id: sessionId,
    firstMessagePreview: 'add the numbers',
    messageCount: 4,
    cumulativeUserMessageCount: 2,
    cumulativeToolCallCount: 1,
    cumulativeInputTokens: 30,
  })
  const query = { projectId, sourceTypes: 'direct', includeContent: true }
  const traces = JSON.stringify(await api.call(traceExports.otlp, query))
  expect(traces).toContain('The sum of 2 and 3 is 5.')
  expect(traces).toContain(clientId)
})

test('a chat that fails keeps its calls, and continues without the messages that were never answered', async () => {
  const script = ({ prompts, results }: Asked): Answer => {
    if (prompts.at(-1) === 'again') return { text: 'Here.' }
    if (prompts.at(-1) === 'wait') return 'silence'
    return results.length > 0 ? { status: 500, headers: soon } : { calls: [{ name: 'get-sum', args: { a: 2, b: 3 } }] }
  }
  const { api, projectId, clientId, say, refused, model, input } = await stage(script, { log: () => undefined })
  const failure = await refused('add', { clientId })
  expect(failure.message).toContain('failed with HTTP 500')
  const sessionId = failure.details?.['sessionId'] as string
  expect((await api.call(chats.get, { projectId, sessionId })).messages).toMatchObject([
    { role: 'user', text: 'add' },
    {
      role: 'system',
      text: failure.message,
      toolCalls: [{ toolName: 'get-sum', isError: false }],
      totalTokens: TOKENS.input + TOKENS.output,
    },
  ])

  const stop = new AbortController()
  const waiting = api.send(chats.say, input('wait', { sessionId }), { signal: stop.signal }).catch(() => undefined)
  await until(
    () => model.waiting,
    count => count === 1,
  )
  expect(await refused('again', { sessionId })).toMatchObject({ status: 409 })
  expect((await api.call(chats.get, { projectId, sessionId })).status).toBe('answering')
  stop.abort()
  await waiting
  await until(
    () => api.call(chats.get, { projectId, sessionId }),
    ({ status }) => status === 'idle',
  )
  expect((await say('again', { sessionId })).messages.at(-1)).toMatchObject({ text: 'Here.' })
  expect(model.asked.at(-1)?.prompts).toEqual(['again'])
})

test.each([200, 500])(
  'an answer with HTTP %i changes nothing after another process took over the chat',
  async status => {
    let takeOver = () => undefined as unknown
    const { api, store, projectId, clientId, say, refused } = await stage(
      ({ prompts }) => {
        if (prompts.at(-1) !== 'slow') return { text: 'Here.' }
        takeOver()
        return status === 200 ? { text: 'Too late.' } : { status, headers: soon }
      },
      { log: () => undefined },
    )
    const { id: sessionId } = await say('hello', { clientId })
    const lease = { token: 'theirs', host: 'elsewhere', pid: 1, expiresAt: Date.now() + TWO_DAYS }
    takeOver = () => store.write(() => store.chats.change(sessionId, { lease }))
    expect(await refused('slow', { sessionId })).toMatchObject(status === 200 ? { code: 'CONFLICT' } : {})
    const { status: state, messages } = await api.call(chats.get, { projectId, sessionId })
    expect([state, messages.map(({ text }) => text)]).toEqual(['answering', ['hello', 'Here.', 'slow']])
  },
)

test('a model that answers nothing or never stops counts as one without an answer, and its usage is kept', async () => {
  const script = ({ prompts }: Asked): Answer =>
    prompts.at(-1) === 'loop' ? { calls: [{ name: 'get-sum', args: { a: 2, b: 3 } }] } : { text: ' ' }
  const { api, projectId, clientId, refused } = await stage(script, { log: () => undefined })
  for (const [text, why, answers] of [
    ['hello', 'without an answer', 1],
    ['loop', 'after 22 steps', 22],
  ] as const) {
    const failure = await refused(text, { clientId })
    expect(failure).toMatchObject({ message: expect.stringContaining(why), details: { reason: 'MODEL_ENDPOINT' } })
    const sessionId = failure.details?.['sessionId'] as string
    const { messages } = await api.call(chats.get, { projectId, sessionId })
    expect(messages.at(-1)).toMatchObject({ role: 'system', totalTokens: answers * (TOKENS.input + TOKENS.output) })
  }
})

test('an answer that is cut off ends with a note about that', async () => {
  const { say, clientId } = await stage(() => ({ text: 'It will be', isCut: true }))
  const { messages } = await say('weather?', { clientId })
  expect(messages.at(-1)?.text).toBe('It will be\n\n(The model ran out of tokens: this answer is cut off.)')
})

test('a chat that is not possible is refused, and leaves no session behind', async () => {
  const { api, store, projectId, clientId, environmentId, refused, input } = await stage()
  const clientOf = async (name: string, config: object) =>
    (await api.call(clients.create, { projectId, body: { name, config } })).id
  const careful = await clientOf('Careful', {
    ...(await api.call(clients.get, { projectId, clientId })).config,
    requireToolApproval: true,
  })
  expect(await refused('Hi', { clientId: careful })).toMatchObject({ code: 'FEATURE_NOT_SUPPORTED' })
  expect(await refused('Hi', { clientId: await clientOf('Bare', { modelId: 'small' }) })).toMatchObject({
    code: 'CONFLICT',
  })
  expect(await refused('Hi', { clientId, environmentId })).toMatchObject({ code: 'VALIDATION_ERROR' })
  expect(await refused('Hi', { sessionId: 'ses_none' })).toMatchObject({ code: 'NOT_FOUND' })
  const { key } = makeKey(store, 'guest', { role: 'guest' })
  expect(await api.refused(chats.say, input('Hi', { clientId }), { key })).toMatchObject({ status: 403 })
  expect((await api.call(sessions.list, { projectId, sourceType: 'direct' })).items).toEqual([])

  const bare = await open()
  const place = await environmentFor(bare.api)
  const body = { text: 'Hi', clientId: place.clientId }
  const { projectId: other } = await sandbox(bare.api)
  expect(await bare.api.refused(chats.say, { projectId: other, body })).toMatchObject({
    status: 422,
    message: expect.stringContaining('MCPDECK_MODEL_BASE_URL'),
  })
})
