import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CLIENT_TEMPLATES } from '../../src/api/contract/clients.ts'
import { contract } from '../../src/api/contract/contract.ts'
import { MODEL_KINDS, type ModelKind, type ModelSettings } from '../../src/service/models/endpoint.ts'
import { open, sandbox } from './harness.ts'

const { models, hostCatalog, plugins, images, clients } = contract
const KEY = 'key-of-the-endpoint'

/** An endpoint that gives the same answer at every path, and the requests it received. */
async function endpoint(kind: ModelKind, status: number, body: string) {
  const seen: { url: string | undefined; headers: Record<string, unknown> }[] = []
  const server = createServer((request, response) => {
    seen.push({ url: request.url, headers: request.headers })
    response.writeHead(status, { 'content-type': 'application/json', location: '/elsewhere' }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return { seen, settings: { kind, baseUrl, apiKey: KEY, model: 'small' } satisfies ModelSettings }
}

describe('the model catalog', () => {
  test.each(MODEL_KINDS)('lists the models of an endpoint of kind %s, the configured one first', async kind => {
    const data = [{ id: 'large', display_name: 'The\nlarge one' }, { id: 'small' }]
    const { settings, seen } = await endpoint(kind, 200, JSON.stringify({ data }))
    const { api } = await open({ models: settings })
    const catalog = await api.call(models.list)
    expect(catalog).toEqual({
      items: [
        { id: 'small', isDefault: true },
        { id: 'large', name: 'The large one', isDefault: false },
      ],
      endpoint: { kind, baseUrl: settings.baseUrl },
    })
    const header = kind === 'anthropic' ? { 'x-api-key': KEY } : { authorization: `Bearer ${KEY}` }
    expect(seen).toMatchObject([{ url: '/v1/models', headers: header }])
  })

  test.each([
    [404, '{}', 'HTTP 404'],
    [200, 'hello', 'the answer is not a list'],
    [200, '{"data":[{"id":7}]}', 'the answer is not a list'],
    [302, '{}', 'cannot be read'],
  ])('names the configured model if the endpoint answers %i %s', async (status, body, words) => {
    const { settings, seen } = await endpoint('openai-compatible', status, body)
    const { api } = await open({ models: settings })
    const catalog = await api.call(models.list)
    expect(catalog).toMatchObject({ items: [{ id: 'small', isDefault: true }], note: expect.stringContaining(words) })
    expect(JSON.stringify(catalog)).not.toContain(KEY)
    expect(seen).toHaveLength(1)
  })

  test('is empty without a model, and says how to configure one', async () => {
    const { api } = await open()
    expect(await api.call(models.list)).toMatchObject({
      items: [],
      endpoint: null,
      note: expect.stringContaining('MCPDECK_MODEL_BASE_URL'),
    })
    expect(await api.refused(models.list, {}, { key: 'sk_wrong' })).toMatchObject({ status: 401 })
  })
})

test('the client catalog holds exactly the clients that can be created here', async () => {
  const { api } = await open()
  const { projectId } = await sandbox(api)
  const { catalog, ...publish } = await api.call(hostCatalog.get)
  expect(publish).toEqual({ schemaVersion: 2, version: 0, contentHash: '', publishedAt: 0, source: 'bundled' })
  expect(Object.keys(catalog.hostsById)).toEqual([...CLIENT_TEMPLATES])
  for (const template of CLIENT_TEMPLATES) {
    const entry = catalog.hostsById[template]
    expect(entry).toMatchObject({ id: template, label: expect.stringMatching(/\S/), provenance: 'assumed' })
    const made = await api.call(clients.create, { projectId, body: { name: template, template } })
    expect(entry).not.toHaveProperty('config')
    expect(entry).toMatchObject(made.config)
  }
})

test('a local workspace has no plugins and no images', async () => {
  const { api } = await open()
  const { projectId } = await sandbox(api)
  expect(await api.call(plugins.list, { projectId })).toEqual({ items: [] })
  expect(await api.call(images.list, { projectId })).toEqual({ items: [] })
  const image = { projectId, imageId: 'img_1' }
  for (const [operation, input] of [
    [plugins.version, { pluginVersionId: 'plv_1' }],
    [images.get, image],
    [images.builds, image],
    [plugins.list, { projectId: 'prj_none' }],
  ] as const)
    expect(await api.refused(operation, input)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
})
