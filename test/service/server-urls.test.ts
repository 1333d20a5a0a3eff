import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { makeKey } from '../../src/service/core/access.ts'
import { openStore } from '../../src/service/workspace/store.ts'
import { answer, startHttpServer } from '../servers/http-server.ts'
import { createApi, open, sandbox, temporaryDirectory, untilEnded, type Api } from './harness.ts'

const { calls, connections, readiness, runs, servers, suites, traffic } = contract

const url = 'https://key:word@mcp.example/mcp?api_key=s3cr3t&mode=sse'
const shown = 'https://redacted:redacted@mcp.example/mcp?api_key=redacted&mode=redacted'
const hidden = /s3cr3t|key:word/

async function saved(api: Api, address: string) {
  const { projectId } = await sandbox(api)
  const body = { name: 'secretive', enabled: true, transportType: 'http', url: address, useOAuth: true }
  const { id: serverId } = await api.call(servers.create, { projectId, body })
  return { projectId, serverId }
}

test('users who may not change servers see no secret of an address', async () => {
  const { api, store } = await open()
  const target = await saved(api, url)
  const { projectId } = target
  for (const [role, expected] of [
    ['member', shown],
    ['editor', url],
    ['admin', url],
  ] as const) {
    const { key } = makeKey(store, role, { grants: { [projectId]: role } })
    const own = createApi(api.fetch, key)
    expect(await own.call(servers.get, target)).toMatchObject({ url: expected })
    const { items } = await own.call(servers.list, { projectId })
    expect(items.find(({ id }) => id === target.serverId)).toMatchObject({ url: expected })
    expect(await own.call(servers.checkOAuth, target)).toMatchObject({ serverUrl: expected })
  }
})

test.each([
  ['another host', { transportType: 'http', url: 'https://a.example/mcp' }, { url: 'https://b.example/mcp' }, false],
  ['another path', { transportType: 'http', url: 'https://a.example/one' }, { url: 'https://a.example/two' }, false],
  ['the same address', { transportType: 'http', url: 'https://a.example/' }, { url: 'https://a.example/' }, true],
  ['another program', { transportType: 'stdio', command: 'one' }, { command: 'two' }, false],
  ['other arguments', { transportType: 'stdio', command: 'one' }, { args: ['other.js'] }, false],
  ['another name', { transportType: 'stdio', command: 'one' }, { name: 'renamed' }, true],
] as const)('%s: data stored for the former place is kept only for that place: %o', async (_, reach, change, stays) => {
  const { api, store } = await open()
  const { projectId } = await sandbox(api)
  const secrets =
    reach.transportType === 'stdio' ? { env: { TOKEN: 'hush' } } : { headers: { A: 'hush' }, clientSecret: 'hush' }
  const body = { name: 'moved', enabled: true, ...reach, ...secrets }
  const { id: serverId } = await api.call(servers.create, { projectId, body })
  await api.call(servers.update, { projectId, serverId, body: change })
  expect(JSON.stringify(store.servers.require(projectId, serverId).secrets).includes('hush')).toBe(stays)
  const given =
    reach.transportType === 'stdio'
      ? { command: 'three', env: { B: 'new' } }
      : { url: 'https://c.example', headers: { B: 'new' } }
  await api.call(servers.update, { projectId, serverId, body: given })
  expect(JSON.stringify(store.servers.require(projectId, serverId).secrets)).toContain('"B":"new"')
})

test('arguments stay with their program: another command gets them only if they are entered again', async () => {
  const { api, store } = await open()
  const { projectId } = await sandbox(api)
  const body = { name: 'moved', enabled: true, transportType: 'stdio', command: 'one', args: ['--token', 'hush'] }
  const { id: serverId } = await api.call(servers.create, { projectId, body })
  const argsAfter = async (change: object) => {
    await api.call(servers.update, { projectId, serverId, body: change })
    return store.servers.require(projectId, serverId).secrets.args
  }
  expect(await argsAfter({ command: 'one', name: 'renamed' })).toEqual(body.args)
  expect(await argsAfter({ command: 'two', args: ['--verbose'] })).toEqual(['--verbose'])
  expect(await argsAfter({ command: 'three' })).toBeUndefined()
})

test('no recorded message or call by hand holds a secret of an address, even if the server repeats it', async () => {
  const { api, store } = await open()
  const http = await startHttpServer({
    'tools/call': (message, request, response) => {
      const shown = ['authorization', 'x-team'].map(name => String(request.headers[name]).replace(/^\w+ /, ''))
      const text = `${request.url} was asked with ${shown.join(' and ')}`
      answer(response, message, { content: [{ type: 'text', text }] })
    },
  })
  onTestFinished(() => http.close())
  const serverUrl = `${http.url}?k=s3cr3t-of-tunnel&mode=sse`
  const target = await saved(api, serverUrl)
  await api.call(servers.update, { ...target, body: { headers: { 'x-team': 'Basic s3cr3t-of-header' } } })
  await api.call(servers.importTokens, { ...target, body: { serverUrl, tokens: { access_token: 's3cr3t-of-token' } } })
  await api.call(servers.callTool, { ...target, body: { toolName: 'count' } })
  const { key } = makeKey(store, 'member', { grants: { [target.projectId]: 'member' } })
  const member = createApi(api.fetch, key)
  const frames = (await member.call(traffic.list, target)).items
  const messages = await Promise.all(frames.map(({ id }) => member.call(traffic.get, { ...target, frameId: id })))
  expect(messages.at(-1)?.exchange?.url).toBe(`${http.url}?k=redacted&mode=redacted`)
  const [made] = (await member.call(calls.list, target)).items
  const call = await member.call(calls.get, { ...target, callId: made!.id })
  expect(JSON.stringify([frames, messages, call])).not.toMatch(hidden)
  expect(JSON.stringify(call.result)).toContain('was asked with [secret] and [secret]')
})

test('a run holds no secret of an address, however short', async () => {
  const { api } = await open()
  const http = await startHttpServer({
    'tools/call': (message, _request, response) => answer(response, message, { content: [] }),
  })
  onTestFinished(() => http.close())
  const { projectId, serverId } = await saved(api, `${http.url}?k=s3cr3t&mode=sse`)
  const steps = [{ id: 'call', kind: 'toolCall', serverName: 'secretive', toolName: 'count', arguments: {} }]
  const tests = [{ title: 'counts', runs: 1, steps }]
  const body = { name: 'Own', model: 'none', serverIds: [serverId], tests }
  const { suiteId } = await api.call(suites.create, { projectId, body })
  const { runId } = await api.call(runs.create, { projectId, body: { suiteId } })
  const run = await untilEnded(api, projectId, runId)
  expect(run.startedServers).toMatchObject([{ url: `${http.url}?k=redacted&mode=redacted` }])
})

test('readiness runs and connection requests hold no secret of an address either', async () => {
  const { api, store } = await open()
  const http = await startHttpServer()
  try {
    const target = await saved(api, `${http.url}?api_key=s3cr3t`)
    await api.call(readiness.startClaude, target)
    const body = { url: `${http.url}?api_key=s3cr3t`, projectId: target.projectId }
    const { connectionRequestId: requestId } = await api.call(connections.create, { body })
    const answers = [
      await api.call(readiness.list, { projectId: target.projectId }),
      await api.call(connections.get, { requestId }),
    ]
    expect(JSON.stringify(answers)).not.toMatch(hidden)
    expect(store.serverConnections.find(requestId)?.url).toContain('s3cr3t')
    await api.call(connections.cancel, { requestId })
  } finally {
    await http.close()
  }
})

test('addresses with secrets are encrypted at rest, and those of an older workspace at its next start', async () => {
  const dataDir = temporaryDirectory()
  const { api, store, close } = await open({ dataDir })
  const target = await saved(api, url)
  await close()
  const file = store.directory!.database
  const stored = () => {
    const database = new DatabaseSync(file)
    const row = database.prepare('SELECT url FROM server WHERE id = ?').get(target.serverId)
    database.close()
    return String(row?.['url'])
  }
  expect(stored()).not.toMatch(hidden)
  const older = new DatabaseSync(file)
  older.prepare('UPDATE server SET url = ? WHERE id = ?').run(url, target.serverId)
  older.close()
  const reopened = openStore({ dataDir })
  expect(reopened.servers.get(target.projectId, target.serverId)?.url).toBe(url)
  reopened.close()
  expect(stored()).not.toMatch(hidden)
  expect(readFileSync(file, 'latin1')).not.toMatch(hidden)
})
