import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import type { LiveServer } from '../../src/api/contract/live-servers.ts'
import { open, sandbox, until, type Api } from './harness.ts'

const { servers, liveServers, console } = contract
const telling = fileURLToPath(new URL('../servers/telling-server.mjs', import.meta.url))
const URI = 'telling://counter'

const tellingServer = (api: Api) => connected(api, telling)

async function connected(api: Api, server: string) {
  const { projectId } = await sandbox(api)
  const transport = { transportType: 'stdio', command: process.execPath, args: [server] }
  const { id: serverId } = await api.call(servers.create, {
    projectId,
    body: { name: 'telling', enabled: true, ...transport },
  })
  const ids = { projectId, serverId }
  return {
    ids,
    call: (toolName: string) => api.call(servers.callTool, { ...ids, body: { toolName, parameters: {} } }),
    live: () => api.call(liveServers.get, ids),
    /** Waits for notifications, which arrive independently of the server's answers. */
    heard: (condition: (live: LiveServer) => boolean) => until(() => api.call(liveServers.get, ids), condition),
    /** Makes the next request open a new connection. */
    reconnect: () => api.call(servers.update, { ...ids, body: { env: { TURN: String(Math.random()) } } }),
    lines: async () => (await api.call(console.list, ids)).items.filter(({ stream }) => stream === 'log'),
  }
}

describe('log messages', () => {
  test('are in the console with level and logger, whatever they contain', async () => {
    const { api } = await open()
    const { call, lines } = await tellingServer(api)
    await call('log')
    expect(await lines()).toMatchObject([
      { level: 'warning', logger: 'index', text: expect.stringContaining('disk is full') },
      { level: 'info', logger: null, text: '{"rows":3}' },
    ])
  })

  test('have a level that applies to later connections too', async () => {
    const { api } = await open()
    const { ids, call, lines, live, reconnect } = await tellingServer(api)
    const set = await api.call(liveServers.setLogLevel, { ...ids, body: { level: 'error' } })
    expect(set).toMatchObject({ logLevel: 'error', problem: null, offers: { logging: true } })
    await reconnect()
    await call('log')
    const said = (await lines()).filter(({ logger }) => logger === 'telling')
    expect(said.map(({ text, connection }) => [text, connection])).toEqual([
      ['logs from error on', expect.any(Number)],
      ['logs from error on', said[0]!.connection + 1],
    ])
    expect(await live()).toMatchObject({ logLevel: 'error', problem: null })
  })

  test('cannot be given a level if the server does not support levels', async () => {
    const { api } = await open()
    const { projectId } = await sandbox(api)
    const small = fileURLToPath(new URL('../servers/stdio-server.mjs', import.meta.url))
    const transport = { transportType: 'stdio', command: process.execPath, args: [small, 'healthy'] }
    const { id: serverId } = await api.call(servers.create, {
      projectId,
      body: { name: 'quiet', enabled: true, ...transport },
    })
    const refusal = await api.refused(liveServers.setLogLevel, { projectId, serverId, body: { level: 'info' } })
    expect(refusal).toMatchObject({ code: 'FEATURE_NOT_SUPPORTED' })
  })
})

test('templates and suggestions are those of the reference server', async () => {
  const { api } = await open()
  const { projectId, serverId } = await sandbox(api)
  const ids = { projectId, serverId }
  const { items } = await api.call(liveServers.templates, { ...ids, body: {} })
  const template = 'demo://resource/dynamic/text/{resourceId}'
  expect(items).toContainEqual(expect.objectContaining({ uriTemplate: template }))
  const complete = async (body: object) => (await api.call(liveServers.complete, { ...ids, body })).values
  expect(await complete({ of: 'template', name: template, argument: 'resourceId', value: '3' })).toEqual(['3'])
  const name = { of: 'prompt', name: 'completable-prompt', argument: 'name', value: 'D' }
  expect(await complete({ ...name, others: { department: 'Sales' } })).toEqual(['David'])
  expect(await complete({ ...name, others: { department: 'Support' } })).toEqual([])
})

test('a restart opens a new connection, which is counted, and ending a connection is not counted', async () => {
  const { api } = await open()
  const { ids, call } = await tellingServer(api)
  await call('asked')
  expect(await api.call(liveServers.get, ids)).toMatchObject({ starts: 1 })
  const restarted = await api.call(liveServers.restart, { ...ids, body: {} })
  expect(restarted).toMatchObject({ starts: 2, startedAt: expect.any(Number) })
  expect(await api.call(liveServers.end, { ...ids, body: {} })).toMatchObject({ starts: 2, startedAt: null })
  await api.call(servers.update, { ...ids, body: { enabled: false } })
  expect(await api.refused(liveServers.restart, { ...ids, body: {} })).toMatchObject({ code: 'VALIDATION_ERROR' })
})

test('a live server counts every change of a list and nothing else', async () => {
  const { api } = await open()
  const { call, live, heard } = await tellingServer(api)
  await call('asked')
  expect((await live()).listChanges).toEqual({ tools: 0, prompts: 0, resources: 0 })
  await call('change')
  expect((await heard(({ listChanges }) => listChanges.tools === 1000)).listChanges.prompts).toBe(0)
})

describe('subscriptions of a server', () => {
  test('count the updates of a resource, and stop when ended', async () => {
    const { api } = await open()
    const { ids, call, live, heard } = await tellingServer(api)
    const subscribed = await api.call(liveServers.subscribe, { ...ids, body: { uri: URI, subscribed: true } })
    expect(subscribed.subscriptions).toEqual([{ uri: URI, updates: 0, updatedAt: null }])
    await call('touch')
    const [updated] = (await heard(({ subscriptions }) => subscriptions[0]?.updates === 1)).subscriptions
    expect(updated?.updatedAt).toEqual(expect.any(Number))
    const ended = await api.call(liveServers.subscribe, { ...ids, body: { uri: URI, subscribed: false } })
    expect(ended.subscriptions).toEqual([])
    expect(JSON.stringify(await call('touch'))).toContain('updated for "')
    expect((await live()).subscriptions).toEqual([])
  })

  test('are made again on the next connection', async () => {
    const { api } = await open()
    const { ids, call, heard, reconnect } = await tellingServer(api)
    await api.call(liveServers.subscribe, { ...ids, body: { uri: URI, subscribed: true } })
    await reconnect()
    await call('touch')
    const { subscriptions } = await heard(live => live.subscriptions[0]?.updates === 1)
    expect(subscriptions).toHaveLength(1)
  })

  test.each([true, false])('keep the connection open exactly if there are any: %s', async subscribed => {
    const { api } = await open({ connections: { idleMs: 1 } })
    const { ids } = await tellingServer(api)
    const list = () => api.call(servers.tools, { ...ids, body: {} })
    const opened = Date.now()
    if (subscribed) await api.call(liveServers.subscribe, { ...ids, body: { uri: URI, subscribed } })
    else await list()
    // Starting another program meanwhile takes longer than the idle time of the connection.
    const { projectId, serverId } = await sandbox(api)
    await api.call(servers.validate, { projectId, serverId, body: {} })
    await list()
    const { items } = await api.call(console.list, ids)
    const started = items.filter(({ stream, text }) => stream === 'process' && text.startsWith('started'))
    expect(new Set(started.map(({ connection }) => connection)).size).toBe(subscribed ? 1 : 2)
    const { keptUntil } = await api.call(liveServers.get, ids)
    expect(Number(keptUntil) > opened + 50 * 60_000).toBe(subscribed)
  })

  test('are limited in number', async () => {
    const { api } = await open()
    const { ids } = await tellingServer(api)
    const subscribe = (at: number) => ({ ...ids, body: { uri: `telling://${at}`, subscribed: true } })
    for (let at = 0; at < 100; at += 1) await api.call(liveServers.subscribe, subscribe(at))
    expect(await api.refused(liveServers.subscribe, subscribe(100))).toMatchObject({ code: 'VALIDATION_ERROR' })
  })
})

describe('a server without initialize', () => {
  const modern = fileURLToPath(new URL('../servers/modern-server.mjs', import.meta.url))

  test('gets the level with each request, and reports changes over one stream', async () => {
    const { api } = await open()
    const { ids, call, heard } = await connected(api, modern)
    const state = async () => JSON.stringify((await call('state')).content)
    expect(await state()).toContain('0 streams, level undefined')
    await api.call(liveServers.setLogLevel, { ...ids, body: { level: 'notice' } })
    await heard(({ offers }) => offers?.logging === true)
    const watched = await until(state, said => said.includes('1 streams'))
    expect(watched).toContain('level notice')
    await heard(({ listChanges }) => listChanges.tools > 0)
    for (const uri of [URI, 'telling://other'])
      await api.call(liveServers.subscribe, { ...ids, body: { uri, subscribed: true } })
    expect(await state()).toContain('1 streams')
    const { subscriptions } = await heard(live => live.subscriptions.every(({ updates }) => updates === 1))
    expect(subscriptions).toHaveLength(2)
  })

  test('keeps its stream if a further subscription is refused, and closes it with the next', async () => {
    const { api } = await open()
    const { ids, call, live } = await connected(api, modern)
    const state = async () => JSON.stringify((await call('state')).content)
    const subscribe = (uri: string, subscribed: boolean) => ({ ...ids, body: { uri, subscribed } })
    await api.call(liveServers.subscribe, subscribe(URI, true))
    await api.refused(liveServers.subscribe, subscribe('telling://refused', true))
    expect(await state()).toContain('1 streams')
    expect((await live()).subscriptions.map(({ uri }) => uri)).toEqual([URI])
    await api.call(liveServers.subscribe, subscribe(URI, false))
    expect(await state()).toContain('1 streams')
  })

  test('keeps its stream if several further subscriptions are refused at the same time', async () => {
    const { api } = await open()
    const { ids, call } = await connected(api, modern)
    const subscribe = (uri: string) => ({ ...ids, body: { uri, subscribed: true } })
    await api.call(liveServers.subscribe, subscribe(URI))
    const refusals = [1, 2].map(() => api.refused(liveServers.subscribe, subscribe('telling://refused')))
    await Promise.all(refusals)
    expect(JSON.stringify((await call('state')).content)).toContain('1 streams')
  })

  test('reports changes for as long as it is connected, not only until it had to agree', async () => {
    const within = AbortSignal.timeout.bind(AbortSignal)
    const late = new AbortController()
    const timeout = vi
      .spyOn(AbortSignal, 'timeout')
      .mockImplementation(ms => (ms === 30_000 ? late.signal : within(ms)))
    onTestFinished(() => timeout.mockRestore())
    const { api } = await open()
    const { call, heard } = await connected(api, modern)
    const state = async () => JSON.stringify((await call('state')).content)
    await call('state')
    await heard(({ offers }) => offers?.logging === true)
    await until(state, said => said.includes('1 streams'))
    const { listChanges } = await heard(live => live.listChanges.tools > 0)
    late.abort()
    expect(await state()).toContain('1 streams')
    await heard(live => live.listChanges.tools > listChanges.tools)
  })
})
