import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { BOUNDS } from '../../src/lib/bounds.ts'
import { createCallHistory, struckOut } from '../../src/service/calls/calls.ts'
import { takeLease } from '../../src/service/core/lease.ts'
import { storedCall } from '../kept-calls.ts'
import { open, sandbox, temporaryDirectory, until, untilEnded, type Api } from './harness.ts'

const { servers, calls } = contract
const talkative = fileURLToPath(new URL('../servers/talkative-server.mjs', import.meta.url))
const small = fileURLToPath(new URL('../servers/stdio-server.mjs', import.meta.url))
const SECRET = 'hunter2-and-more'

async function talkativeServer(api: Api) {
  const { projectId } = await sandbox(api)
  const transport = { transportType: 'stdio', command: process.execPath, args: [talkative] }
  const body = { name: 'talkative', enabled: true, ...transport, env: { SERVICE_SECRET: SECRET } }
  const { id: serverId } = await api.call(servers.create, { projectId, body })
  const ids = { projectId, serverId }
  const call = (toolName: string, parameters = {}, extra = {}) =>
    api.send(servers.callTool, { ...ids, body: { toolName, parameters } }, extra)
  return { ids, call }
}

test('the doctor knows the last result of each tool, from calls and from trials', async () => {
  const { api } = await open()
  const { projectId } = await sandbox(api)
  const transport = { transportType: 'stdio', command: process.execPath, args: [small, 'promises'] }
  const { id: serverId } = await api.call(servers.create, {
    projectId,
    body: { name: 'promises', enabled: true, ...transport },
  })
  const ids = { projectId, serverId }
  // Another program may report any result, so its report proves nothing about the server.
  const actualToolCalls = [{ toolName: 'breaks', serverName: 'promises', result: { content: [] } }]
  const results = [{ caseTitle: 'reported', passed: true, actualToolCalls }]
  await api.call(contract.evalIngest.report, { projectId, body: { suiteName: 'Reported', results } })
  expect(await api.call(calls.results, ids)).toEqual({ items: [] })
  const step = { id: 'call', kind: 'toolCall', serverName: 'promises', toolName: 'breaks', arguments: {} }
  const suite = { name: 'Own', model: 'none', serverIds: [serverId], tests: [{ title: 'breaks', steps: [step] }] }
  const { suiteId } = await api.call(contract.suites.create, { projectId, body: suite })
  const { runId } = await api.call(contract.runs.create, { projectId, body: { suiteId } })
  await untilEnded(api, projectId, runId)
  const ofTrial = { tool: 'breaks', of: 'trial', structuredContent: { count: 'many' } }
  expect(await api.call(calls.results, ids)).toMatchObject({ items: [ofTrial] })
  for (const toolName of ['breaks', 'keeps']) await api.call(servers.callTool, { ...ids, body: { toolName } })
  expect(await api.call(calls.results, ids)).toMatchObject({
    items: [
      { tool: 'keeps', of: 'call', structuredContent: { count: 1 } },
      { tool: 'breaks', of: 'call', structuredContent: { count: 'many' } },
    ],
  })
})

describe('a call by hand', () => {
  test('is listed after a restart, newest first, with its arguments, time and result', async () => {
    const dataDir = temporaryDirectory()
    const first = await open({ dataDir })
    const { projectId, serverId } = await sandbox(first.api)
    const ids = { projectId, serverId }
    const body = { toolName: 'echo', parameters: { message: 'hi' } }
    const answer = await first.api.send(servers.callTool, { ...ids, body })
    await first.api.call(servers.readResource, { ...ids, body: { uri: 'demo://resource/static/document/features.md' } })
    await first.api.refused(servers.getPrompt, { ...ids, body: { promptName: 'none' } })
    await first.close()
    const { api } = await open({ dataDir })
    const { items } = await api.call(calls.list, ids)
    expect(items).toMatchObject([
      { kind: 'prompt', target: 'none', status: 'failed' },
      { kind: 'resource', target: 'demo://resource/static/document/features.md', input: null, status: 'answered' },
      { kind: 'tool', target: 'echo', input: { message: 'hi' }, incomplete: null, status: 'answered' },
    ])
    const called = items[2]!
    expect(called.id).toBe(answer.headers.get('x-request-id'))
    expect(called.durationMs).toBeGreaterThanOrEqual(0)
    const { result } = await api.call(calls.get, { ...ids, callId: called.id })
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'Echo: hi' }] })
  })

  test('is listed as running while it runs, and is not a success if its caller gave up', async () => {
    const { api } = await open({ log: () => undefined })
    const { projectId, serverId } = await sandbox(api)
    const ids = { projectId, serverId }
    const given = new AbortController()
    const body = { toolName: 'trigger-long-running-operation', parameters: { duration: 60, steps: 1 } }
    const sent = api.send(servers.callTool, { ...ids, body }, { signal: given.signal }).catch(() => undefined)
    const status = async () => (await api.call(calls.list, ids)).items[0]?.status
    await until(status, now => now === 'running')
    expect(await api.call(calls.clear, ids)).toEqual({ cleared: 0 })
    given.abort()
    await sent
    await until(status, now => now === 'given_up')
    expect(await api.call(calls.clear, ids)).toEqual({ cleared: 1 })
    expect((await api.call(calls.list, ids)).items).toEqual([])
  })

  test('whose process is gone is unknown, and never a success', async () => {
    const { api, store } = await open()
    const { projectId, serverId } = await sandbox(api)
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    const { status: _status, ...row } = storedCall(serverId, '{}')
    store.calls.insert({ ...row, lease: { ...takeLease(), token: 'of another process', pid } })
    const { items } = await api.call(calls.list, { projectId, serverId })
    expect(items).toMatchObject([{ status: 'unknown' }])
    expect(await api.call(calls.clear, { projectId, serverId })).toEqual({ cleared: 1 })
  })

  test('on a connection that ended is unknown if the tool may have acted', async () => {
    const { api } = await open({ log: () => undefined })
    const { ids, call } = await talkativeServer(api)
    await call('none')
    expect((await api.call(calls.list, ids)).items).toMatchObject([{ status: 'unknown', resultBytes: null }])
  })

  test('returns its result even if it cannot be prepared for storing', async () => {
    const problems: unknown[] = []
    const { store, api } = await open()
    const { serverId } = await sandbox(api)
    const history = createCallHistory({ store, now: Date.now, onError: problem => problems.push(problem) })
    const unusual = { isError: true, toJSON: () => assert.fail('not this one') }
    const place = { id: 'req_1', serverId, secrets: [], signal: new AbortController().signal }
    const result = await history.record({ kind: 'tool', target: 'echo', ...place }, () => Promise.resolve(unusual))
    expect(result).toBe(unusual)
    expect(problems).toHaveLength(1)
    expect(store.calls.get(serverId, 'req_1')).toMatchObject({ status: 'tool_error' })
  })

  test('is stored without secrets: of the settings, or recognised by form or by name', async () => {
    const dataDir = temporaryDirectory()
    const { api, store } = await open({ dataDir })
    const { ids, call } = await talkativeServer(api)
    const token = `ghp_${'a1'.repeat(18)}`
    await call('echo', { password: 'correct horse', note: `see ${token}`, about: SECRET, city: 'Bern' })
    const [item] = (await api.call(calls.list, ids)).items
    expect(item).toMatchObject({
      input: { password: '[secret]', note: 'see [secret]', about: '[secret]', city: 'Bern' },
      incomplete: 'secrets',
    })
    const row = JSON.stringify(store.calls.get(ids.serverId, item!.id))
    for (const secret of ['correct horse', token, SECRET]) expect(row).not.toContain(secret)
    expect(row).toContain('Bern')
  })

  test('with a result of megabytes is listed with its size and without the result', async () => {
    const { api } = await open()
    const { ids, call } = await talkativeServer(api)
    await call('large')
    const [item] = (await api.call(calls.list, ids)).items
    expect(item!.resultBytes).toBeGreaterThan(3_000_000)
    expect(await api.call(calls.get, { ...ids, callId: item!.id })).not.toHaveProperty('result')
  })

  test('is deleted with its server, and is not found under another server', async () => {
    const { api, store } = await open()
    const { ids, call } = await talkativeServer(api)
    await call('echo')
    const { id: callId } = (await api.call(calls.list, ids)).items[0]!
    const { serverId } = await sandbox(api)
    expect(await api.refused(calls.get, { ...ids, serverId, callId })).toMatchObject({ status: 404 })
    await api.call(servers.delete, ids)
    expect(store.calls.get(ids.serverId, callId)).toBeUndefined()
  })
})

test('both limits hold for calls of any size in any order, and the newest call is kept', async () => {
  const { api, store } = await open()
  const { serverId } = await sandbox(api)
  const [most, mostBytes] = [BOUNDS.serverCalls.most, BOUNDS.serverCallBytes.most]
  const sizes = fc.array(fc.constantFrom(10, 1000, 700_000, BOUNDS.callResult.most), { minLength: 1, maxLength: 250 })
  fc.assert(
    fc.property(sizes, all => {
      store.calls.clear(serverId, () => false)
      const rows = all.map(size => storedCall(serverId, 'r'.repeat(size)))
      store.write(() => rows.forEach(row => store.calls.insert(row)))
      const kept = store.calls.page(serverId, undefined, 1000)
      expect(kept.length).toBeLessThanOrEqual(most)
      expect(kept.reduce((sum, { result = '' }) => sum + result.length, 0)).toBeLessThanOrEqual(mostBytes)
      expect(kept.map(({ id }) => id)).toEqual(
        rows
          .toReversed()
          .slice(0, kept.length)
          .map(({ id }) => id),
      )
      const next = all.at(-1 - kept.length)
      if (next === undefined || kept.length === most) return
      expect(all.slice(-1 - kept.length).reduce((sum, size) => sum + size, 0)).toBeGreaterThan(mostBytes)
    }),
    { numRuns: 8 },
  )
})

test('text without secrets is stored unchanged', () => {
  const json = fc.jsonValue({ maxDepth: 4 })
  fc.assert(
    fc.property(json, value => {
      const struck = struckOut(value, [])
      if (!struck.includes('[secret]')) expect(JSON.parse(struck)).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
  const picture = { type: 'image', mimeType: 'image/png', data: `/AKIA${'x'.repeat(20)}` }
  expect(JSON.parse(struckOut(picture, []))).toEqual(picture)
  expect(JSON.parse(struckOut({ max_tokens: 100, pin_token: 5 }, []))).toEqual({
    max_tokens: 100,
    pin_token: '[secret]',
  })
})
