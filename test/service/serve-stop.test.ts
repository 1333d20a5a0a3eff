import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { descendantsOf } from '../journeys/processes.ts'
import { longCase, open, sandbox, temporaryDirectory, until, type Api } from './harness.ts'
import { startServe } from './start-child.ts'
import { PATIENCE } from '../patience.ts'

const { account, servers, runs, iterations } = contract

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** A saved server over HTTP that holds every request to it open, and sends no notifications. */
async function holdingServer(api: Api, projectId: string) {
  const held: ServerResponse[] = []
  const http = createServer(({ url }, response) => {
    if (url === '/mcp') held.push(response)
    else response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  onTestFinished(() => void http.close())
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
  const body = { name: 'holds', enabled: true, transportType: 'http', url }
  const { id: serverId } = await api.call(servers.create, { projectId, body })
  return { held, target: { projectId, serverId } }
}

type Said = { key: string; path: string; projectId: string }

const written = (socket: Socket, text: string) => new Promise<void>(resolve => socket.write(text, () => resolve()))

/** Requests that were started and left unfinished. */
const UNFINISHED: Record<string, (socket: Socket, said: Said) => Promise<void>> = {
  'a connection that says nothing': () => Promise.resolve(),
  'half-sent headers': (socket, { path }) => written(socket, `GET ${path}/me HTTP/1.1\r\nHost: 127.0.0.1\r\n`),
  'a half-sent body': (socket, { key, path }) =>
    written(
      socket,
      `POST ${path}/projects HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"name":',
    ),
  'a half-sent chunk': (socket, { key, path }) =>
    written(
      socket,
      `POST ${path}/projects HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n` +
        'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n{"name":\r\n',
    ),
  'a body of a visitor that does not come': (socket, { path }) =>
    written(
      socket,
      `POST ${path}/../../visit/nothing/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
        'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
    ),
  'a reader that reads nothing': (socket, { key, path, projectId }) => {
    socket.pause()
    const request =
      `GET ${path}/projects/${projectId}/servers HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
      `Authorization: Bearer ${key}\r\n\r\n`
    return written(socket, request.repeat(5000))
  },
}

describe('mcpdeck serve', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('ends cleanly on %s', async signal => {
    const { child, next, api } = await startServe(temporaryDirectory())
    const { projectId, serverId } = await sandbox(api)
    const target = { projectId, serverId }
    await api.call(servers.validate, target)
    const exited = once(child, 'exit')
    const body = { toolName: 'trigger-long-running-operation', parameters: { duration: 0.5, steps: 1 } }
    const pending = api.send(servers.callTool, { ...target, body })
    const second = await api.send(account.me)
    expect(second.status).toBe(200)
    child.kill(signal)
    expect((await pending).status).toBe(200)
    expect(await next()).toEqual({ stopped: true })
    expect(await exited).toEqual([0, null])
  })

  test.each(Object.entries(UNFINISHED))('ends despite %s', async (_what, say) => {
    const { child, next, api, baseUrl } = await startServe(temporaryDirectory(), { rateLimit: 0 })
    const { projectId } = await sandbox(api)
    const { hostname, port } = new URL(baseUrl)
    const socket = connect(Number(port), hostname)
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    await once(socket, 'connect')
    await say(socket, { key: api.key, path: new URL(baseUrl).pathname, projectId })
    // The service answers this request after the earlier data, which shows that the data has arrived.
    expect((await api.send(account.me)).status).toBe(200)
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await next()).toEqual({ stopped: true })
    expect(await exited).toEqual([0, null])
  })

  test('under load answers open requests, settles its runs and leaves no program behind', async () => {
    const dataDir = temporaryDirectory()
    const { child, next, api, pid } = await startServe(dataDir, { rateLimit: 0 })
    const { projectId, serverId } = await sandbox(api)
    const tests = [{ ...longCase('slow', 60), model: 'm', provider: 'm', runs: 3 }]
    const launch = (suiteName: string) =>
      api.call(runs.create, { projectId, body: { suiteName, tests, serverIds: [serverId] } })
    const launched = await Promise.all([launch('First'), launch('Second')])
    for (const { runId } of launched)
      await until(
        () => api.call(iterations.list, { projectId, runId }),
        ({ items }) => items.every(({ status }) => status === 'running'),
      )
    // A trial counts as running from the start of its server.
    const programs = await until(
      () => descendantsOf(pid).map(each => each.pid),
      found => found.length > 1,
    )
    const exited = once(child, 'exit')
    const { held, target } = await holdingServer(api, projectId)
    const asked = Array.from({ length: 6 }, () => api.send(servers.checkOAuth, target))
    await until(
      () => held.length,
      count => count === asked.length,
    )
    child.kill('SIGTERM')
    await until(
      () =>
        api.send(account.me).then(
          ({ status }) => status,
          () => 'refused',
        ),
      answer => answer !== 200,
    )
    const [left, ...answered] = held
    for (const response of answered) response.writeHead(401).end()
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 200, 200, 200, 200, 502])
    left?.destroy()
    expect(await next()).toEqual({ stopped: true })
    expect(await exited).toEqual([0, null])
    await vi.waitFor(() => expect(programs.filter(isAlive)).toEqual([]), PATIENCE)

    const { api: later, store } = await open({ dataDir })
    expect(store.runs.inFlight()).toEqual([])
    for (const { runId } of launched) {
      expect(await later.call(runs.get, { projectId, runId })).toMatchObject({ status: 'completed', result: null })
      const { items } = await later.call(iterations.list, { projectId, runId })
      for (const { status, error } of items)
        expect({ status, error }).toEqual({ status: 'failed', error: expect.stringContaining(`(${pid} on `) })
    }
  })
})
