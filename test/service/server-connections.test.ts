import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { isTerminalConnectionStatus, type ServerConnection } from '../../src/api/contract/connections.ts'
import { contract } from '../../src/api/contract/contract.ts'
import { makeKey } from '../../src/service/core/access.ts'
import { answer, startHttpServer } from '../servers/http-server.ts'
import { guardedServer } from './guarded-server.ts'
import { createApi, open, sandbox, temporaryDirectory, until, type Api } from './harness.ts'

const { connections, servers, projects } = contract

afterEach(() => void vi.useRealTimers())

async function workspace(options: Parameters<typeof open>[0] = {}) {
  const service = await open(options)
  return { ...service, ...(await sandbox(service.api)) }
}

async function localServer(overrides?: Parameters<typeof startHttpServer>[0]) {
  const server = await startHttpServer(overrides)
  onTestFinished(() => server.close())
  return server
}

/** An address at which nothing listens any more. */
async function deadAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return `http://127.0.0.1:${port}/mcp`
}

function untilIs(api: Api, { connectionRequestId: requestId }: ServerConnection, status: string) {
  return until(
    () => api.call(connections.get, { requestId }),
    now => now.status === status || isTerminalConnectionStatus(now.status),
  )
}

describe('a request to connect', () => {
  test('saves a server that needs no authorization, which works at once', async () => {
    const { api, projectId } = await workspace()
    const { url } = await localServer()
    const asked = Date.now()
    const begun = await api.call(connections.create, { body: { url, projectId, name: 'Mine' } })
    expect(begun).toMatchObject({ status: 'discovering', projectId })
    expect(begun.connectionRequestId).toMatch(/^scr_/)
    expect(Date.parse(String(begun.expiresAt)) - asked).toBeGreaterThan(59 * 60_000)
    const ready = await untilIs(api, begun, 'ready')
    expect(ready).toMatchObject({ status: 'ready', server: { name: 'Mine', url, enabled: true } })
    expect(ready.error).toBeUndefined()
    const { items } = await api.call(servers.tools, { projectId, serverId: ready.serverId! })
    expect(items).toMatchObject([{ name: 'count' }])
  })

  test('uses the saved server with that address, and names a new server by its host', async () => {
    const { api, projectId } = await workspace()
    const { url, origin } = await localServer()
    const connect = async () => untilIs(api, await api.call(connections.create, { body: { url, projectId } }), 'ready')
    const first = await connect()
    expect(first.server?.name).toBe(new URL(origin).host)
    const second = await connect()
    expect(second).toMatchObject({ status: 'ready', serverId: first.serverId })
    expect(second.connectionRequestId).not.toBe(first.connectionRequestId)
  })

  test('that matches several servers names them, and goes through when one is chosen', async () => {
    const { api, projectId } = await workspace()
    const { url } = await localServer()
    const keyed = `${url}?key=secret`
    const save = (name: string) =>
      api.call(servers.create, { projectId, body: { name, enabled: true, transportType: 'http', url: keyed } })
    const [one, two] = [await save('one'), await save('two')]
    const create = (body: object) => api.call(connections.create, { body: { url: keyed, projectId, ...body } })
    const failed = await untilIs(api, await create({}), 'failed')
    expect(failed).toMatchObject({
      status: 'failed',
      error: {
        code: 'AMBIGUOUS_SERVER',
        retryable: false,
        candidates: [
          { id: one.id, name: 'one', url: `${url}?key=redacted` },
          { id: two.id, name: 'two', url: `${url}?key=redacted` },
        ],
      },
    })
    const ready = await untilIs(api, await create({ serverId: two.id }), 'ready')
    expect(ready).toMatchObject({ status: 'ready', serverId: two.id, server: { url: `${url}?key=redacted` } })
    expect(JSON.stringify([failed, ready])).not.toContain('secret')
  })

  test('without a project waits for one, and continues with the same create that names it', async () => {
    const { api, projectId } = await workspace()
    const { url } = await localServer()
    const waiting = await api.call(connections.create, { body: { url, name: 'Later' } })
    expect(waiting).toMatchObject({ status: 'awaiting_project', error: { retryable: true } })
    expect(waiting.error?.message).toContain('projectId')
    const bound = await api.call(connections.create, { body: { url, projectId } })
    expect(bound).toMatchObject({ connectionRequestId: waiting.connectionRequestId, status: 'discovering' })
    expect(await untilIs(api, bound, 'ready')).toMatchObject({ status: 'ready', server: { name: 'Later' } })
  })

  test('is answered again while it is open, unless a new authorization is requested', async () => {
    const { api, projectId } = await workspace()
    const { url } = await guardedServer()
    const create = (body: object = {}) => api.call(connections.create, { body: { url, projectId, ...body } })
    const first = await untilIs(api, await create(), 'awaiting_authorization')
    expect((await create()).connectionRequestId).toBe(first.connectionRequestId)
    expect((await create({ reauthorize: true })).connectionRequestId).not.toBe(first.connectionRequestId)
  })
})

describe('a request to connect to a server that asks for OAuth', () => {
  const importTokens = (api: Api, { projectId, serverId }: ServerConnection, url: string, token: string) =>
    api.call(servers.importTokens, {
      projectId,
      serverId,
      body: {
        serverUrl: url,
        clientInformation: { clientId: 'mcpdeck' },
        tokens: { access_token: token, refresh_token: 'r' },
      },
    })

  test('keeps waiting after wrong tokens, and continues by itself after right ones', async () => {
    const { api, store, projectId } = await workspace()
    const { url } = await guardedServer()
    const begun = await api.call(connections.create, { body: { url, projectId, name: 'guarded' } })
    const waiting = await untilIs(api, begun, 'awaiting_authorization')
    expect(waiting).toMatchObject({
      status: 'awaiting_authorization',
      server: { name: 'guarded', enabled: true },
      error: { code: 'OAUTH_REQUIRED', retryable: true },
    })
    expect(waiting.error?.message).toContain(`/servers/${waiting.serverId}/oauth/import-tokens`)
    await importTokens(api, waiting, url, 'wrong')
    await until(
      () => store.serverConnections.find(begun.connectionRequestId),
      row => row?.status === 'awaiting_authorization' && row.tokensSeen !== null,
    )
    await importTokens(api, waiting, url, 'token-0')
    expect(await untilIs(api, begun, 'ready')).toMatchObject({ status: 'ready', serverId: waiting.serverId })
    const authorized = await api.call(connections.create, { body: { url, projectId } })
    expect(await untilIs(api, authorized, 'ready')).toMatchObject({ status: 'ready' })
    const again = await api.call(connections.create, { body: { url, projectId, reauthorize: true } })
    expect(await untilIs(api, again, 'awaiting_authorization')).toMatchObject({ status: 'awaiting_authorization' })
  })

  test('fails if the server is deleted meanwhile, and a 401 without more is not taken for OAuth', async () => {
    const { api, projectId } = await workspace()
    const { url } = await guardedServer()
    const begun = await api.call(connections.create, { body: { url, projectId } })
    const waiting = await untilIs(api, begun, 'awaiting_authorization')
    await api.call(servers.delete, { projectId, serverId: waiting.serverId! })
    expect(await untilIs(api, begun, 'failed')).toMatchObject({ status: 'failed', error: { code: 'NOT_FOUND' } })
    const basic = await localServer({
      '*': (_message, _request, response) => void response.writeHead(401, { 'www-authenticate': 'Basic' }).end(),
    })
    const refused = await api.call(connections.create, { body: { url: basic.url, projectId } })
    expect(await untilIs(api, refused, 'failed')).toMatchObject({
      status: 'failed',
      error: { code: 'FORBIDDEN', retryable: false },
    })
    expect((await api.call(servers.list, { projectId })).items.map(({ url }) => url)).not.toContain(basic.url)
  })
})

test('a server that does not answer is tried again, at once if asked to, and fails in the end', async () => {
  const { api, projectId } = await workspace()
  const url = await deadAddress()
  const begun = await api.call(connections.create, { body: { url, projectId } })
  const requestId = begun.connectionRequestId
  const stalled = await until(
    () => api.call(connections.get, { requestId }),
    ({ error }) => error != null,
  )
  expect(stalled).toMatchObject({ status: 'validating', error: { code: 'SERVER_UNREACHABLE', retryable: true } })
  const failed = await until(
    () => api.call(connections.retryValidation, { requestId }),
    ({ status }) => isTerminalConnectionStatus(status),
  )
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'SERVER_UNREACHABLE', retryable: false } })
  expect(failed.serverId).toBeUndefined()
  expect(await api.call(connections.retryValidation, { requestId })).toEqual(failed)
  expect(await api.call(connections.cancel, { requestId })).toEqual(failed)
})

test('a server that starts in time is ready after a retry', async () => {
  const { api, projectId } = await workspace()
  let isUp = false
  const { url } = await localServer({
    initialize(message, _request, response) {
      if (!isUp) return void response.writeHead(503).end()
      const { protocolVersion } = message.params ?? {}
      answer(response, message, { protocolVersion, capabilities: {}, serverInfo: { name: 'late', version: '1' } })
    },
    'notifications/initialized': (_message, _request, response) => void response.writeHead(202).end(),
  })
  const begun = await api.call(connections.create, { body: { url, projectId } })
  const requestId = begun.connectionRequestId
  await until(
    () => api.call(connections.get, { requestId }),
    ({ error }) => error?.message?.includes('503') ?? false,
  )
  isUp = true
  await until(
    () => api.call(connections.retryValidation, { requestId }),
    ({ status }) => status === 'ready',
  )
  expect(await api.call(connections.get, { requestId })).toMatchObject({ status: 'ready', server: { url } })
})

describe('open connection requests', () => {
  test('are limited to five an account; the next one is refused with their ids until one is cancelled', async () => {
    const { api } = await workspace()
    const create = (number: number) => ({ body: { url: `https://server-${number}.example/mcp` } })
    const ids: string[] = []
    for (const number of [1, 2, 3, 4, 5])
      ids.push((await api.call(connections.create, create(number))).connectionRequestId)
    expect(await api.refused(connections.create, create(6))).toMatchObject({
      status: 429,
      code: 'ACTIVE_REQUEST_LIMIT',
      details: { limit: 5, requestIds: ids },
    })
    expect((await api.call(connections.create, create(3))).connectionRequestId).toBe(ids[2])
    const cancelled = await api.call(connections.cancel, { requestId: ids[0]! })
    expect(cancelled.status).toBe('cancelled')
    expect(await api.call(connections.cancel, { requestId: ids[0]! })).toEqual(cancelled)
    expect((await api.call(connections.create, create(6))).status).toBe('awaiting_project')
  })

  test('end after an hour and free their places', async () => {
    const { api } = await workspace()
    const body = { url: 'https://server.example/mcp' }
    const begun = await api.call(connections.create, { body })
    const requestId = begun.connectionRequestId
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(String(begun.expiresAt)) - 1 })
    expect((await api.call(connections.get, { requestId })).status).toBe('awaiting_project')
    vi.setSystemTime(Date.parse(String(begun.expiresAt)))
    expect(await api.call(connections.get, { requestId })).toMatchObject({
      status: 'expired',
      error: { retryable: false },
    })
    expect((await api.call(connections.create, { body })).connectionRequestId).not.toBe(requestId)
  })

  test('can be cancelled during a validation', async () => {
    const { api, projectId } = await workspace()
    const asked = Promise.withResolvers<void>()
    const { url } = await localServer({ initialize: () => asked.resolve() })
    const { connectionRequestId: requestId } = await api.call(connections.create, { body: { url, projectId } })
    await asked.promise
    expect(await api.call(connections.cancel, { requestId })).toMatchObject({ status: 'cancelled' })
    expect(await api.call(connections.get, { requestId })).toMatchObject({ status: 'cancelled' })
    expect((await api.call(servers.list, { projectId })).items).toHaveLength(1)
  })

  test('continue after the process that served them ended', async () => {
    const dataDir = temporaryDirectory()
    const asked = Promise.withResolvers<void>()
    let isSilent = true
    const { url } = await localServer({
      ping(_message, _request, response) {
        asked.resolve()
        if (!isSilent) response.writeHead(400).end()
      },
    })
    const first = await workspace({ dataDir })
    const { connectionRequestId: requestId } = await first.api.call(connections.create, {
      body: { url, projectId: first.projectId },
    })
    await asked.promise
    await first.close()
    isSilent = false
    const { api } = await open({ dataDir })
    const ready = await until(
      () => api.call(connections.get, { requestId }),
      ({ status }) => isTerminalConnectionStatus(status),
    )
    expect(ready).toMatchObject({ status: 'ready' })
  })
})

test('polls of connection requests count against a budget of their own', async () => {
  const { api } = await open({ rateLimit: { perMinute: 1, burst: 3 } })
  const { connectionRequestId: requestId } = await api.call(connections.create, {
    body: { url: 'https://server.example/mcp' },
  })
  for (let poll = 0; poll < 3; poll += 1) expect((await api.send(connections.get, { requestId })).status).toBe(200)
  const refused = await api.refused(connections.get, { requestId })
  expect(refused).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
  expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
  expect((await api.send(projects.list)).status).toBe(200)
})

test('contradictory fields are refused by name, and items of other projects are not found', async () => {
  const { api, store, projectId, serverId } = await workspace()
  const url = 'https://server.example/mcp'
  const { id: otherId } = await api.call(projects.create, { body: { name: 'Other' } })
  for (const [body, status, field] of [
    [{ url: 'server.example', projectId }, 400, 'url'],
    [{ url: 'ftp://server.example', projectId }, 400, 'url'],
    [{ url: 'https://me:pass@server.example', projectId }, 400, 'url'],
    [{ url, projectId, name: ' ' }, 400, 'name'],
    [{ url, serverId }, 400, 'serverId'],
    [{ url, projectId, serverId }, 400, 'serverId'],
    [{ url, projectId, secret: 'x' }, 400, 'secret'],
  ] as const)
    expect(await api.refused(connections.create, { body })).toMatchObject({ status, details: { field } })
  for (const body of [
    { url, projectId: 'prj_none' },
    { url, projectId: otherId, serverId },
  ])
    expect(await api.refused(connections.create, { body })).toMatchObject({ status: 404 })
  const member = createApi(api.fetch, makeKey(store, 'm', { grants: { [projectId]: 'member' } }).key)
  expect(await member.refused(connections.create, { body: { url, projectId } })).toMatchObject({ status: 403 })
  const { connectionRequestId: requestId } = await api.call(connections.create, {
    body: { url: await deadAddress(), projectId: otherId },
  })
  expect(await member.refused(connections.get, { requestId })).toMatchObject({ status: 404 })
  expect(await api.refused(connections.get, { requestId: 'scr_none' })).toMatchObject({ status: 404 })
})
