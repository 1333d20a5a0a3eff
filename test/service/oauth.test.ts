import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import type { ServerRow } from '../../src/service/servers/rows.ts'
import { createServerTargets } from '../../src/service/servers/targets.ts'
import { guardedServer } from './guarded-server.ts'
import { answer, startHttpServer } from '../servers/http-server.ts'
import { startOAuthServer } from '../servers/oauth-server.ts'
import { open, sandbox, until, untilEnded } from './harness.ts'

const { servers, signIns, traffic } = contract

test('imported tokens are sent along, and refreshed before they expire, once for all processes', async () => {
  const { api, store } = await open()
  const { projectId } = await sandbox(api)
  const { url, state } = await guardedServer()
  const body = { name: 'guarded', enabled: true, transportType: 'http', url, useOAuth: true }
  const { id: serverId } = await api.call(servers.create, { projectId, body })
  const target = { projectId, serverId }
  expect(await api.refused(servers.tools, target)).toMatchObject({ status: 401, code: 'OAUTH_REQUIRED' })

  const importTokens = (expires_in: number) =>
    api.call(servers.importTokens, {
      ...target,
      body: {
        serverUrl: url,
        clientInformation: { clientId: 'mcpdeck' },
        tokens: { access_token: 'token-0', refresh_token: 'refresh-0', expires_in },
      },
    })
  await importTokens(3600)
  expect((await api.call(servers.tools, target)).items.length).toBeGreaterThan(0)
  expect(state.refreshes).toEqual([])

  await importTokens(1)
  const answers = await Promise.all(Array.from({ length: 4 }, () => api.send(servers.tools, target)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(state.refreshes).toEqual(['refresh-0'])
  expect(store.servers.get(projectId, serverId)?.tokens).toMatchObject({
    accessToken: 'token-1',
    refreshToken: 'refresh-1',
    client: { clientId: 'mcpdeck' },
  })
})

test('a token that is refreshed for a call is not stored with the call', async () => {
  const { api, store } = await open()
  const { projectId } = await sandbox(api)
  const fresh = 'one-that-was-refreshed'
  const echoing = await startHttpServer({
    'tools/call'(message, _request, response) {
      const { tokens } = store.servers.find(serverId)!
      store.write(() => store.servers.setTokens(serverId, { ...tokens!, accessToken: fresh }))
      answer(response, message, { content: [{ type: 'text', text: `It is ${fresh}` }] })
    },
  })
  onTestFinished(() => echoing.close())
  const body = { name: 'echoing', enabled: true, transportType: 'http', url: echoing.url, useOAuth: true }
  const { id: serverId } = await api.call(servers.create, { projectId, body })
  const imported = { clientInformation: { clientId: 'mcpdeck' }, tokens: { access_token: 'an-earlier-one' } }
  const target = { projectId, serverId }
  await api.call(servers.importTokens, { ...target, body: { serverUrl: echoing.url, ...imported } })
  await api.call(servers.callTool, { ...target, body: { toolName: 'count' } })
  const stored = JSON.stringify(store.calls.page(serverId, undefined, 10))
  expect(stored).toContain('It is [secret]')
  expect(stored).not.toContain(fresh)
})

test('signing out deletes the tokens at once, and what used them asks for a sign-in again', async () => {
  const { api, store, target, signIn, origin } = await signedIn()
  expect(await api.call(signIns.get, target)).toMatchObject({ signedIn: false, refreshable: false, issuer: null })
  const { expiresAt } = await signIn(3600)
  expect(await api.call(signIns.get, target)).toEqual({
    signedIn: true,
    expiresAt,
    refreshable: true,
    issuer: origin,
    clientId: 'mcpdeck',
    grant: null,
  })
  expect((await api.call(servers.tools, target)).items.length).toBeGreaterThan(0)
  const { items } = await api.call(traffic.list, target)
  const messages = await Promise.all(items.map(({ id }) => api.call(traffic.get, { ...target, frameId: id })))
  expect(JSON.stringify(messages)).toContain('[secret]')
  expect(JSON.stringify(messages)).not.toContain('token-0')
  expect(await api.call(signIns.delete, target)).toEqual({ signedOut: true })
  expect(store.servers.find(target.serverId)!.tokens).toBeUndefined()
  expect(await api.refused(servers.tools, target)).toMatchObject({ status: 401, code: 'OAUTH_REQUIRED' })
})

test('a run that continues at the former address gets no token of the present one', async () => {
  const { api } = await open()
  const { projectId } = await sandbox(api)
  const present = await startHttpServer()
  const moved = Promise.withResolvers<void>()
  const before = await startHttpServer({
    'tools/call': (message, _request, response) =>
      void moved.promise.then(() => answer(response, message, { content: [] })),
  })
  onTestFinished(() => Promise.all([present.close(), before.close()]).then(() => undefined))
  const body = { name: 'moving', enabled: true, transportType: 'http', url: before.url, useOAuth: true }
  const { id: serverId } = await api.call(servers.create, { projectId, body })
  const target = { projectId, serverId }
  const importTokens = (serverUrl: string, access_token: string) =>
    api.call(servers.importTokens, { ...target, body: { serverUrl, tokens: { access_token } } })
  await importTokens(before.url, 'of-before')
  const step = { kind: 'toolCall' as const, serverName: 'moving', toolName: 'count', arguments: {} }
  const steps = ['one', 'two'].map(id => ({ ...step, id }))
  const suite = { name: 'Moving', model: 'none', serverIds: [serverId], tests: [{ title: 'twice', steps }] }
  const { suiteId } = await api.call(contract.suites.create, { projectId, body: suite })
  const { runId } = await api.call(contract.runs.create, { projectId, body: { suiteId } })
  const callsBefore = () => before.seen.filter(({ method }) => method === 'tools/call')
  await until(callsBefore, ({ length }) => length > 0)
  await api.call(servers.update, { ...target, body: { url: present.url } })
  await importTokens(present.url, 'of-present')
  moved.resolve()
  await untilEnded(api, projectId, runId)
  expect(callsBefore().map(({ headers }) => headers.authorization)).toEqual(['Bearer of-before', undefined])
  expect(before.seen.map(({ headers }) => headers.authorization)).not.toContain('Bearer of-present')
  await api.call(servers.tools, target)
  expect(present.seen.at(-1)?.headers.authorization).toBe('Bearer of-present')
})

test('a refresh in progress does not restore tokens after a sign-out', async () => {
  const { api, store, target, state, oddities } = await refreshable(1)
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<Response>()
  oddities.answers['/token'] = () => {
    asked.resolve()
    return answer.promise
  }
  const listed = api.send(servers.tools, target)
  await asked.promise
  await api.call(signIns.delete, target)
  state.accepted.add('new')
  answer.resolve(Response.json({ access_token: 'new', refresh_token: 'new-refresh', token_type: 'Bearer' }))
  expect((await listed).status).toBe(401)
  expect(store.servers.find(target.serverId)!.tokens).toBeUndefined()
})

test('processes of one workspace that refresh at once use the refresh token once', async () => {
  const { store, api, target, state } = await refreshable(3)
  const row = store.servers.find(target.serverId)!
  // Each process has a separate set of targets for the same database.
  const processes = Array.from({ length: 3 }, () => createServerTargets(store))
  state.refreshTokens.add('old-refresh')
  const tokens = await Promise.all(processes.map(targets => tokenOf(targets, row)))
  expect(new Set(tokens).size).toBe(1)
  expect(tokens[0]).not.toBe('old')
  expect(state.refreshes).toBe(1)
  expect((await api.call(servers.tools, target)).items.length).toBeGreaterThan(0)
  expect(store.jobs.list()).toEqual([])
})

test('a process that ended while it refreshed blocks nobody', async () => {
  const { store, target, state } = await refreshable(3)
  const gone = { token: 'gone', host: 'elsewhere', pid: 1, expiresAt: 0 }
  store.write(() => store.jobs.insert({ kind: 'token-refresh', subjectId: target.serverId, ...gone }))
  state.refreshTokens.add('old-refresh')
  expect(await tokenOf(createServerTargets(store), store.servers.find(target.serverId)!)).not.toBe('old')
})

test('a token endpoint that fails once does not require a new sign-in, and the failure is reported', async () => {
  const { store, api, target, state, oddities } = await refreshable(0)
  state.refreshTokens.add('old-refresh')
  oddities.answers['/token'] = () => new Response('<html>busy</html>', { status: 503 })
  const refused = await api.refused(servers.tools, target)
  expect(refused).toMatchObject({ code: 'SERVER_UNREACHABLE', message: expect.stringMatching(/503.*sign-in is kept/) })
  expect(refused.message).not.toContain('Sign in again')
  delete oddities.answers['/token']
  expect((await api.call(servers.tools, target)).items.length).toBeGreaterThan(0)
  expect(store.servers.find(target.serverId)!.tokens?.refreshToken).not.toBe('old-refresh')
})

test('refreshed tokens that cannot be written, as on a disk that is full, are used and written later', async () => {
  const { store, target, state } = await refreshable(3)
  state.refreshTokens.add('old-refresh')
  const setTokens = vi.spyOn(store.servers, 'setTokens').mockImplementationOnce(() => {
    throw new Error('database or disk is full')
  })
  onTestFinished(() => setTokens.mockRestore())
  const targets = createServerTargets(store)
  const row = store.servers.find(target.serverId)!
  const stored = () => store.servers.find(target.serverId)!.tokens
  const token = await tokenOf(targets, row)
  expect([token, stored()?.refreshToken]).toEqual([expect.not.stringMatching(/^old$/), 'old-refresh'])
  expect(await tokenOf(targets, row)).toBe(token)
  expect(stored()?.accessToken).toBe(token)
  expect(state.refreshes).toBe(1)
})

test('a refresh token that was revoked asks for a new sign-in', async () => {
  const { api, target } = await refreshable(0)
  expect(await api.refused(servers.tools, target)).toMatchObject({
    code: 'OAUTH_REQUIRED',
    message: expect.stringContaining('does not renew the access token (invalid_grant)'),
  })
})

test('a server that wants more scopes is reported with the scopes and how to sign in with them', async () => {
  const { api, store, target, oddities } = await refreshable(3600)
  const refusing = (value: string) => {
    const headers = { 'www-authenticate': value }
    oddities.answers['mcp /mcp'] = () => new Response('', { status: 403, headers })
    return api.refused(servers.tools, target)
  }
  expect(await refusing('Bearer error="insufficient_scope", scope="read write"')).toMatchObject({
    code: 'OAUTH_REQUIRED',
    message:
      'The server "guarded" wants the scope "read write" for this (HTTP 403, insufficient_scope). Sign in with it: ' +
      "mcpdeck sign-in 'guarded' --scope 'read write'.",
  })
  const { tokens } = store.servers.find(target.serverId)!
  store.write(() => store.servers.setTokens(target.serverId, { ...tokens!, scope: 'list read' }))
  // The scopes of the last sign-in would be lost otherwise.
  expect(await refusing('Bearer error="insufficient_scope", scope="read write"')).toMatchObject({
    message: expect.stringContaining('the scope "read write" for this'),
    details: { scope: 'list read write' },
  })
  expect((await refusing('Bearer error="insufficient_scope", scope="write"')).message).toContain(
    "mcpdeck sign-in 'guarded' --scope 'list read write'.",
  )
  // A scope that contains more than names for a shell is not suggested.
  const hostile = await refusing(`Bearer error="insufficient_scope", scope="x'; rm -rf ~ #"`)
  expect(hostile.message).not.toContain('mcpdeck sign-in')
  expect(await refusing('Bearer error="invalid_token"')).toMatchObject({ code: 'FORBIDDEN' })
})

/** A saved server with an access token of the given lifetime in seconds. */
async function refreshable(expires_in: number) {
  const { api, store } = await open({ log: () => undefined })
  const { projectId } = await sandbox(api)
  const { url, state, oddities } = await startOAuthServer()
  const body = { name: 'guarded', enabled: true, transportType: 'http', url, useOAuth: true }
  const { id: serverId } = await api.call(servers.create, { projectId, body })
  const target = { projectId, serverId }
  const tokens = { access_token: 'old', refresh_token: 'old-refresh', expires_in: 3600 }
  const clientInformation = { clientId: 'mcpdeck' }
  await api.call(servers.importTokens, { ...target, body: { serverUrl: url, clientInformation, tokens } })
  const stored = store.servers.find(serverId)!.tokens!
  const ending = { ...stored, expiresAt: Date.now() + expires_in * 1000 }
  store.write(() => store.servers.setTokens(serverId, ending))
  return { api, store, target, state, oddities }
}

async function tokenOf(targets: ReturnType<typeof createServerTargets>, row: ServerRow): Promise<string | undefined> {
  const { transport } = targets.of(row)
  return transport.type === 'http' ? (await transport.accessToken?.())?.value : undefined
}

test('the issuer of tokens is the one named in the refusal of the server', async () => {
  const { api, store } = await open()
  const { projectId } = await sandbox(api)
  const { url, authority, oddities } = await startOAuthServer()
  oddities.resourcePath = '/elsewhere'
  const body = { name: 'guarded', enabled: true, transportType: 'http', url, useOAuth: true }
  const { id: serverId } = await api.call(servers.create, { projectId, body })
  const tokens = { access_token: 'some', refresh_token: 'refresh' }
  const imported = { serverUrl: url, clientInformation: { clientId: 'mcpdeck' }, tokens }
  await api.call(servers.importTokens, { projectId, serverId, body: imported })
  expect(store.servers.find(serverId)!.tokens?.issuer).toBe(authority)
})

/** A server that tries to get refresh tokens. */
async function thief() {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

async function signedIn() {
  const { api, store } = await open()
  const { projectId } = await sandbox(api)
  const { url, state } = await guardedServer()
  const body = { name: 'guarded', enabled: true, transportType: 'http', url, useOAuth: true }
  const { id: serverId } = await api.call(servers.create, { projectId, body })
  const target = { projectId, serverId }
  const signIn = (expires_in: number) =>
    api.call(servers.importTokens, {
      ...target,
      body: {
        serverUrl: url,
        clientInformation: { clientId: 'mcpdeck', clientSecret: 'secret' },
        tokens: { access_token: 'token-0', refresh_token: 'refresh-0', expires_in },
      },
    })
  return { api, store, state, target, signIn, origin: new URL(url).origin }
}

test('a server that switches to another authorization server gets no token until a person signs in', async () => {
  const { api, state, target, signIn, origin } = await signedIn()
  const { origin: other, seen } = await thief()
  await signIn(0)
  state.names = other
  expect(await api.refused(servers.tools, target)).toMatchObject({
    status: 401,
    code: 'OAUTH_REQUIRED',
    message: `The server "guarded" needs a new sign-in: it names ${other}, and its tokens are from ${origin}. Sign in again.`,
  })
  expect(seen).toEqual([])
  expect(state.refreshes).toEqual([])
  // A token that is still valid is used until it expires.
  await signIn(30)
  state.names = undefined
  expect((await api.call(servers.tools, target)).items.length).toBeGreaterThan(0)
})

test('tokens of an older workspace, whose issuer is unknown, are not refreshed anywhere', async () => {
  const { api, store, state, target, signIn } = await signedIn()
  await signIn(0)
  const { issuer, ...tokens } = store.servers.find(target.serverId)!.tokens!
  expect(issuer).toBe(new URL(store.servers.find(target.serverId)!.url!).origin)
  store.servers.setTokens(target.serverId, tokens)
  expect(await api.refused(servers.tools, target)).toMatchObject({
    status: 401,
    code: 'OAUTH_REQUIRED',
    message: expect.stringContaining('not known which authorization server'),
  })
  expect(state.refreshes).toEqual([])
})
