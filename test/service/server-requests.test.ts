import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { open, sandbox, until } from './harness.ts'
import { scriptedModel } from './scripted-model.ts'

const { roots, servers, serverRequests } = contract
const asking = fileURLToPath(new URL('../servers/asking-server.mjs', import.meta.url))

/** A server that sends requests, and a person who can answer. */
async function workspace(models?: Parameters<typeof open>[0]) {
  const { api } = await open({ onServerRequests: () => undefined, ...models })
  const { projectId } = await sandbox(api)
  const body = { name: 'asking', enabled: true, transportType: 'stdio', command: process.execPath, args: [asking] }
  const { id: serverId } = await api.call(servers.create, { projectId, body })
  const ids = { projectId, serverId }
  const call = (toolName: string) => api.call(servers.callTool, { ...ids, body: { toolName, parameters: {} } })
  const waits = async () => {
    const { items } = await until(
      () => api.call(serverRequests.list, ids),
      page => page.items.length > 0,
    )
    return { ...ids, requestId: items[0]!.id, request: items[0]! }
  }
  return { api, ids, call, waits }
}

test('a form is listed with its purpose, answered once, and then removed', async () => {
  const { api, ids, call, waits } = await workspace()
  const called = call('form')
  const { request, ...at } = await waits()
  expect(request).toMatchObject({ kind: 'form', serverName: 'asking', call: 'tools/call form', model: null })
  const body = { action: 'accept', content: { name: 'Ada' } }
  expect(await api.call(serverRequests.answer, { ...at, body })).toEqual({ answered: true })
  expect((await called).content).toMatchObject([{ text: '{"action":"accept","content":{"name":"Ada"}}' }])
  expect(await api.call(serverRequests.list, ids)).toEqual({ items: [] })
  expect(await api.refused(serverRequests.answer, { ...at, body })).toMatchObject({ status: 404 })
})

test('sampling is drafted by the configured model without being sent, and needs a text and its author', async () => {
  const { settings } = await scriptedModel(() => ({ text: 'Drafted.' }))
  const { api, call, waits } = await workspace({ models: { ...settings, model: 'small' } })
  const called = call('sample')
  const { request, ...at } = await waits()
  expect(request.model).toMatch(/^small at 127\.0\.0\.1:/)
  expect(await api.call(serverRequests.draft, at)).toMatchObject({ text: 'Drafted.', model: 'small' })
  expect(await api.refused(serverRequests.answer, { ...at, body: { action: 'accept' } })).toMatchObject({ status: 400 })
  await api.call(serverRequests.answer, { ...at, body: { action: 'decline' } })
  expect(JSON.stringify((await called).content)).toContain('The person rejected the request.')
})

test('without a configured model nothing is drafted, and the request stays open', async () => {
  const { api, call, waits } = await workspace()
  const called = call('sample')
  const { request: _request, ...at } = await waits()
  expect(await api.refused(serverRequests.draft, at)).toMatchObject({ code: 'FEATURE_NOT_SUPPORTED' })
  await api.call(serverRequests.answer, { ...at, body: { action: 'accept', text: 'Hi', model: 'human' } })
  expect(JSON.stringify((await called).content)).toContain('human')
})

test('roots are saved, and a root that is not a file URL is refused', async () => {
  const { api, ids, call } = await workspace()
  expect(await api.call(roots.get, ids)).toEqual({ roots: [] })
  const body = { roots: [{ uri: 'file:///srv', name: 'srv' }] }
  expect(await api.call(roots.set, { ...ids, body })).toEqual(body)
  expect(await api.call(roots.get, ids)).toEqual(body)
  expect(JSON.stringify((await call('roots')).content)).toContain('file:///srv')
  const wrong = { roots: [{ uri: 'https://a.example/' }] }
  expect(await api.refused(roots.set, { ...ids, body: wrong })).toMatchObject({ code: 'VALIDATION_ERROR' })
})
