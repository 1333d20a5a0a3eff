import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { modelSettings } from '../../src/cli/config/model-settings.ts'
import { UsageError } from '../../src/cli/config/settings.ts'
import { chooseEndpoint, MODEL_KINDS, type ModelSettings } from '../../src/service/models/endpoint.ts'
import { loadModelLibrary, openModel } from '../../src/service/models/library.ts'
import { nameTools } from '../../src/service/conversations/model-turn.ts'
import { toToolOutput } from '../../src/service/models/tool-output.ts'
import { scriptedModel } from './scripted-model.ts'
const OPENAI = 'https://api.openai.com/v1'
const ANTHROPIC = 'https://api.anthropic.com/v1'
const gateway: ModelSettings = { kind: 'openai-compatible', baseUrl: 'http://gateway.test/v1', apiKey: 'own' }

describe('choosing the endpoint of a model', () => {
  const choose = (
    model: string | undefined,
    provider: string | undefined,
    configured: ModelSettings | undefined,
    keys: Record<string, string> = {},
  ) => chooseEndpoint({ model, provider }, { configured, keys })

  test.each([
    ['openai/gpt', undefined, undefined, { openai: 'k' }, OPENAI, 'k', 'gpt'],
    ['gpt', 'openai', undefined, { openai: 'k', anthropic: 'other' }, OPENAI, 'k', 'gpt'],
    ['gpt', undefined, undefined, { openai: 'k' }, OPENAI, 'k', 'gpt'],
    ['anthropic/claude', undefined, gateway, { anthropic: 'k' }, ANTHROPIC, 'k', 'claude'],
    ['anthropic/claude', undefined, gateway, {}, gateway.baseUrl, 'own', 'anthropic/claude'],
    ['meta-llama/llama', 'local', gateway, {}, gateway.baseUrl, 'own', 'meta-llama/llama'],
    ['large', 'mistral', gateway, { mistral: 'k' }, gateway.baseUrl, 'k', 'large'],
    ['large', undefined, gateway, {}, gateway.baseUrl, 'own', 'large'],
    ['openai/gpt', undefined, { ...gateway, baseUrl: OPENAI }, {}, OPENAI, 'own', 'gpt'],
    ['x', 'toString', gateway, {}, gateway.baseUrl, 'own', 'x'],
  ])('finds it for model %s of provider %s', (...[model, provider, configured, keys, baseUrl, apiKey, modelId]) => {
    const chosen = choose(model, provider, configured, keys)
    expect(chosen).toMatchObject({ baseUrl, apiKey, modelId })
  })

  test.each([
    [undefined, undefined, {}, 'has no model'],
    ['openai/gpt', undefined, { anthropic: 'k' }, 'modelApiKeys.openai'],
    ['large', 'mistral', { mistral: 'k' }, 'has no known address'],
    ['large', undefined, { mistral: 'k', openai: 'k' }, 'name its provider'],
    ['x', 'constructor', {}, 'modelApiKeys.constructor'],
  ])('fails for model %s of provider %s without a configured endpoint', (model, provider, keys, reason) => {
    expect(() => choose(model, provider, undefined, keys as Record<string, string>)).toThrow(reason)
  })
})

describe('the model settings in the environment', () => {
  const address = 'http://127.0.0.1:11434/v1'

  test.each([
    [{}, undefined],
    [{ MCPDECK_MODEL_BASE_URL: `${address}/` }, { kind: 'openai-compatible', baseUrl: address }],
    [
      { MCPDECK_MODEL_KIND: 'anthropic', MCPDECK_MODEL_API_KEY: ' k\n' },
      { kind: 'anthropic', baseUrl: ANTHROPIC, apiKey: 'k' },
    ],
    [
      { MCPDECK_MODEL_KIND: 'anthropic', MCPDECK_MODEL_BASE_URL: address },
      { kind: 'anthropic', baseUrl: address },
    ],
  ])('are read from %j', (env, settings) => {
    expect(modelSettings(env)).toEqual(settings)
  })

  test.each([
    { MCPDECK_MODEL_KIND: 'other' },
    { MCPDECK_MODEL_BASE_URL: 'localhost:11434' },
    { MCPDECK_MODEL_BASE_URL: 'http://user:secret@host/v1' },
    { MCPDECK_MODEL_API_KEY: 'k' },
    { MCPDECK_MODEL_BASE_URL: address, MCPDECK_MODEL_API_KEY: 'two words' },
  ])('are refused if they are %j', env => {
    expect(() => modelSettings(env)).toThrow(UsageError)
  })
})

const asSent = (name: string) => name.replaceAll(/[^\w-]/g, '_').slice(0, 64)

test('names of tools are unique, valid, stable, and the tool’s own if possible', () => {
  const name = fc.oneof(
    fc.constantFrom('a', 'a_2', 'one__a', 'b.c', 'b c', 'x'.repeat(80)),
    fc.string({ minLength: 1 }),
  )
  const tools = fc.uniqueArray(fc.record({ serverName: name, toolName: name }), {
    selector: ({ serverName, toolName }) => JSON.stringify([serverName, toolName]),
  })
  fc.assert(
    fc.property(tools, list => {
      const named = nameTools(list)
      expect([...named.values()]).toEqual(list)
      for (const [sent, tool] of named) {
        expect(sent).toMatch(/^[\w-]{1,64}$/)
        const alike = list.filter(({ toolName }) => asSent(toolName) === asSent(tool.toolName))
        if (alike.length === 1) expect(sent).toBe(asSent(tool.toolName))
      }
      expect([...nameTools(list)]).toEqual([...named])
    }),
  )
})

test.each([
  [
    {
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    },
    'text',
    'a\nb',
  ],
  [{ content: [{ type: 'text', text: 'no' }], isError: true }, 'error-text', 'no'],
  [{ content: [], structuredContent: { a: 1 } }, 'text', '{"a":1}'],
  [{ content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }] }, 'text', '[image/png, 3 bytes]'],
  [{ content: [{ type: 'resource', resource: { uri: 'x:', text: 'inside' } }] }, 'text', 'inside'],
  [{ content: [{ type: 'resource', resource: { uri: 'x:', blob: 'AAAA' } }] }, 'text', '[binary data, 3 bytes]'],
  [{ content: [{ type: 'resource_link', uri: 'x:' }] }, 'text', '{"type":"resource_link","uri":"x:"}'],
  [{}, 'text', ''],
])('the result %j is given to the model as %s', (result, type, value) => {
  expect(toToolOutput(result)).toEqual({ type, value })
})

describe.each(MODEL_KINDS)('an endpoint of kind %s', kind => {
  test('is not followed if it redirects to another address, which would get the key', async () => {
    const { settings, asked } = await scriptedModel(() => ({ text: 'caught' }), kind)
    const redirecting = createServer((request, response) => {
      const port = settings.baseUrl.replace(/\/v1$/, '')
      response.writeHead(307, { location: `${port}${request.url}` }).end()
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void redirecting.close())
    await once(redirecting, 'listening')
    const baseUrl = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}/v1`
    const model = await openModel({ kind, baseUrl, apiKey: 'k', provider: 'p', modelId: 'm' })
    const { generateText } = await loadModelLibrary()
    await expect(generateText({ model, prompt: 'x', maxRetries: 0 })).rejects.toThrow(
      /redirect|fetch failed|Cannot connect/,
    )
    expect(asked).toEqual([])
  })
})
