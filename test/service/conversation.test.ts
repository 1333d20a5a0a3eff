import { expect, onTestFinished, test } from 'vitest'
import { createConnections } from '../../src/service/connections/engine.ts'
import type { ServerTarget } from '../../src/service/connections/types.ts'
import { openConversation, type ConversationOptions } from '../../src/service/conversations/conversation.ts'
import { referenceServerCommand } from '../../src/service/sandbox/sandbox.ts'
import { until } from './harness.ts'
import { adder, soon, sum } from './model-runs.ts'
import { scriptedModel, TOKENS, type Answer, type Asked } from './scripted-model.ts'

const everything: ServerTarget = {
  id: 'srv_everything',
  name: 'everything',
  enabled: true,
  transport: { type: 'stdio', ...referenceServerCommand(), env: {} },
  useOAuth: false,
}
const { signal: never } = new AbortController()
const slow = { name: 'trigger-long-running-operation', args: { duration: 60, steps: 1 } }

async function talk(script: (asked: Asked) => Answer, options: Partial<ConversationOptions> = {}) {
  const model = await scriptedModel(script)
  const connections = createConnections()
  onTestFinished(() => connections.close())
  const access = { configured: { ...model.settings, model: 'small' }, keys: {} }
  const conversation = openConversation({ access, model: undefined, servers: [everything], connections, ...options })
  return { ...model, conversation, connections }
}

test('an assistant uses real tools, remembers every turn, and reports its usage', async () => {
  const { conversation, asked } = await talk(adder, {
    model: 'large',
    systemPrompt: 'Be brief.',
    temperature: 0.5,
    history: [
      { role: 'user', text: 'Hello' },
      { role: 'assistant', text: 'Hi.' },
    ],
  })
  const first = await conversation.say('Add 2 and 3', never)
  expect(first).toEqual({
    text: 'It says: The sum of 2 and 3 is 5.',
    toolCalls: [
      {
        serverName: 'everything',
        toolName: 'get-sum',
        arguments: { a: 2, b: 3 },
        isError: false,
        resultText: 'The sum of 2 and 3 is 5.',
        startedAt: expect.any(Number),
        durationMs: expect.any(Number),
      },
    ],
    usage: {
      inputTokens: 2 * TOKENS.input,
      outputTokens: 2 * TOKENS.output,
      totalTokens: 2 * (TOKENS.input + TOKENS.output),
    },
    durationMs: expect.any(Number),
  })
  expect(first.durationMs).toBeGreaterThan(first.toolCalls[0]!.durationMs)
  await conversation.say('Once more', never)
  expect(asked.at(-1)).toMatchObject({
    model: 'large',
    system: 'Be brief.',
    temperature: 0.5,
    prompts: ['Hello', 'Add 2 and 3', 'Once more'],
    turns: ['prompt', 'model', 'prompt', 'model', 'result', 'model', 'prompt', 'model', 'result'],
  })
})

test('failing calls are recorded, reported to the assistant, and end nothing', async () => {
  const { conversation, asked } = await talk(
    ({ results }) =>
      results.length === 0
        ? { calls: [{ name: 'get-sum', args: { a: 'two' } }, slow, sum] }
        : { text: results.join(' | ') },
    { servers: [{ ...everything, timeoutMs: 8000 }] },
  )
  const { toolCalls, text } = await conversation.say('Try', never)
  expect(toolCalls.map(({ toolName, isError }) => [toolName, isError])).toEqual([
    ['get-sum', true],
    ['trigger-long-running-operation', true],
    ['get-sum', false],
  ])
  expect(toolCalls[1]?.resultText).toContain('did not answer within')
  expect(text).toBe(toolCalls.map(({ resultText }) => resultText).join(' | '))
  expect(asked).toHaveLength(2)
})

test('calls over the limit are refused, and a model that never stops calling has not answered', async () => {
  const script = ({ results, prompts }: Asked): Answer =>
    results.length < 2 || prompts.at(-1) === 'Loop' ? { calls: [sum, sum] } : { text: results.join(' | ') }
  const { conversation, asked } = await talk(script, { maxToolCalls: 1 })
  const { toolCalls, text } = await conversation.say('Twice', never)
  expect(toolCalls).toHaveLength(1)
  expect(text).toContain('No more than 1 tool calls a turn')
  await expect(conversation.say('Loop', never)).rejects.toMatchObject({
    code: 'INTERNAL_ERROR',
    message: 'The model still called tools after 3 steps and never answered.',
  })
  await conversation.say('Again', never)
  expect(asked.at(-1)?.prompts).toEqual(['Twice', 'Again'])
})

test('a call that is sent to no server is recorded, also over the limit', async () => {
  const gone = { name: 'delete_everything', args: { path: '/' } }
  const { conversation } = await talk(
    ({ results }) => (results.length === 0 ? { calls: [gone, sum, sum, slow, slow] } : { text: 'Done.' }),
    { maxToolCalls: 2 },
  )
  const { toolCalls } = await conversation.say('Try', never)
  expect(toolCalls.map(({ serverName, toolName, isError }) => [serverName, toolName, isError])).toEqual([
    ['', 'delete_everything', true],
    ['everything', 'get-sum', false],
    ['everything', 'trigger-long-running-operation', true],
  ])
})

test('a refusal of the model rejects with its code, and the same message may be sent again', async () => {
  let refusals = 0
  const { conversation, asked } = await talk(() => {
    refusals += 1
    return refusals <= 3 ? { status: 429, headers: soon } : { text: 'Here I am.' }
  })
  await expect(conversation.say('Hello?', never)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  expect(await conversation.say('Hello?', never)).toMatchObject({ text: 'Here I am.', toolCalls: [] })
  expect(asked.at(-1)?.prompts).toEqual(['Hello?'])
})

test('a server whose tools cannot be listed rejects before the model is asked', async () => {
  const transport = { type: 'http' as const, url: 'http://127.0.0.1:1/mcp', headers: {} }
  const { conversation, asked } = await talk(() => ({ text: 'never' }), { servers: [{ ...everything, transport }] })
  await expect(conversation.say('Hello', never)).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' })
  expect(asked).toEqual([])
})

test('a conversation without a model rejects with how to configure one', async () => {
  const { conversation } = await talk(() => ({ text: 'never' }), { access: { configured: undefined, keys: {} } })
  await expect(conversation.say('Hello', never)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
})

test.each([
  ['a silent model', (): Answer => 'silence'],
  ['an endless tool', (): Answer => ({ calls: [slow] })],
])('a stop during %s closes the connection at once, with its reason', async (_what, script) => {
  const { conversation, asked } = await talk(script)
  const stop = new AbortController()
  const said = conversation.say('Hello', stop.signal)
  await until(
    () => asked.length,
    length => length === 1,
  )
  stop.abort(new Error('enough'))
  await expect(said).rejects.toThrow('enough')
  expect(asked).toHaveLength(1)
})
