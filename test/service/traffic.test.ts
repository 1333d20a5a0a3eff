import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import type { ConsoleLine, TrafficFrame } from '../../src/api/contract/traffic.ts'
import { createClient } from '../../src/api/client/client.ts'
import { describeError } from '../../src/api/client/errors/error-text.ts'
import { answering } from '../answering.ts'
import { openService } from '../harness.tsx'
import { startHttpServer } from '../servers/http-server.ts'
import { open, sandbox, until, type Api } from './harness.ts'

const { servers, traffic } = contract
const talkative = fileURLToPath(new URL('../servers/talkative-server.mjs', import.meta.url))
const SECRET = 'hunter2-and-more'

async function frames(api: Api, ids: object): Promise<TrafficFrame[]> {
  const all: TrafficFrame[] = []
  let cursor: string | null | undefined
  do {
    const page = await api.call(traffic.list, { ...ids, ...(cursor && { cursor }) })
    all.push(...page.items)
    cursor = page.nextCursor
  } while (cursor)
  return all
}

async function talkativeServer(api: Api) {
  const { projectId } = await sandbox(api)
  const transport = { transportType: 'stdio', command: process.execPath, args: [talkative] }
  const body = { name: 'talkative', enabled: true, ...transport, env: { SERVICE_SECRET: SECRET } }
  const { id: serverId } = await api.call(servers.create, { projectId, body })
  const call = (toolName: string, parameters = {}) =>
    api.call(servers.callTool, { projectId, serverId, body: { toolName, parameters } })
  return { ids: { projectId, serverId }, call }
}

describe('traffic over stdio', () => {
  test('has each message with its time, its size and its answer', async () => {
    const { api } = await open()
    const { projectId, serverId } = await sandbox(api)
    const ids = { projectId, serverId }
    const body = { toolName: 'echo', parameters: { message: 'hi' } }
    await api.call(servers.callTool, { ...ids, body })
    const all = await frames(api, ids)
    const [initialize, initialized] = all
    expect(initialize).toMatchObject({ direction: 'sent', kind: 'request', method: 'initialize', failed: false })
    expect(initialized).toMatchObject({ kind: 'result', method: 'initialize', answers: initialize!.id })
    const sent = all.find(({ method, kind }) => method === 'tools/call' && kind === 'request')!
    const answer = all.find(({ answers }) => answers === sent.id)!
    expect(sent.summary).toContain('"message":"hi"')
    expect(answer).toMatchObject({ direction: 'received', kind: 'result', rpcId: sent.rpcId, failed: false })
    expect(answer.durationMs).toBeGreaterThan(0)
    const message = await api.call(traffic.get, { ...ids, frameId: answer.id })
    expect(JSON.parse(message.text)).toMatchObject({ result: { content: [{ type: 'text', text: 'Echo: hi' }] } })
    expect(Buffer.byteLength(message.text)).toBe(answer.size)
    expect(message.exchange).toBeNull()
  })

  test('continues where the last page ended, and leaves out cleared messages', async () => {
    const { api } = await open()
    const { ids, call } = await talkativeServer(api)
    await call('echo')
    const first = await api.call(traffic.list, { ...ids, limit: 2 })
    expect(first.items).toHaveLength(2)
    const rest = await api.call(traffic.list, { ...ids, cursor: first.latest })
    expect((await api.call(traffic.list, { ...ids, cursor: rest.latest })).items).toEqual([])
    await call('echo')
    const news = await api.call(traffic.list, { ...ids, cursor: rest.latest })
    expect(news.items.map(({ method, kind }) => [method, kind])).toEqual([
      ['tools/call', 'request'],
      ['tools/call', 'result'],
    ])
    await api.call(traffic.clear, ids)
    const cleared = await api.call(traffic.list, ids)
    expect(cleared).toMatchObject({ items: [], dropped: false })
    expect(Number(cleared.keptFrom)).toBeGreaterThan(Number(news.items.at(-1)!.id))
    expect(await api.refused(traffic.get, { ...ids, frameId: first.items[0]!.id })).toMatchObject({ status: 404 })
  })

  test('cuts an answer of megabytes, but has its size and its request', async () => {
    const { api } = await open()
    const { ids, call } = await talkativeServer(api)
    await call('large')
    const answer = (await frames(api, ids)).at(-1)!
    expect(answer).toMatchObject({ kind: 'result', method: 'tools/call' })
    expect(answer.size).toBeGreaterThan(3 * 1024 * 1024)
    const { text, end, leftOut } = await api.call(traffic.get, { ...ids, frameId: answer.id })
    expect(Buffer.byteLength(text + end) + leftOut).toBe(answer.size)
    expect(text.length).toBeLessThan(300_000)
  })

  test('keeps the latest of ten thousand notifications, in their order', async () => {
    const { api } = await open()
    const { ids, call } = await talkativeServer(api)
    await call('logs')
    const all = await frames(api, ids)
    expect(all).toHaveLength(1000)
    expect(all.at(-1)).toMatchObject({ kind: 'result' })
    expect(all.slice(0, -1).map(({ summary }) => /log (\d+)/.exec(summary)?.[1])).toEqual(
      Array.from({ length: 999 }, (_, index) => String(9001 + index)),
    )
    expect(await api.call(traffic.list, { ...ids, limit: 1 })).toMatchObject({ dropped: true })
  })

  test('shows lines that are not protocol messages in the console, without secrets', async () => {
    const { api } = await open()
    const { ids, call } = await talkativeServer(api)
    await call('binary', { key: SECRET })
    const ask = async () => (await api.call(contract.console.list, ids)).items
    const lines = await until(ask, items => items.some(({ text }: ConsoleLine) => text.startsWith('last words')))
    const of = (stream: string) => lines.filter(line => line.stream === stream)
    expect(of('process')[0]?.text).toMatch(/^started as process \d+$/)
    expect(of('stdout').map(({ text }) => text)).toContain('a banner on stdout')
    expect(of('stderr').map(({ leftOut }) => leftOut)).toContain(10_000 - 4096)
    expect(of('stderr').at(-1)?.text).toBe('last words [secret]')
    const messages = await Promise.all(
      (await frames(api, ids)).map(({ id }) => api.call(traffic.get, { ...ids, frameId: id })),
    )
    expect(JSON.stringify([lines, messages])).not.toContain(SECRET)
    await api.call(contract.console.clear, ids)
    expect(await ask()).toEqual([])
  })
})

describe('traffic over HTTP', () => {
  test('shows an exchange with its messages, and a refusal as one', async () => {
    const server = await startHttpServer({
      'tools/call': (_message, _request, response) => void response.writeHead(500).end('out of order'),
    })
    onTestFinished(() => server.close())
    const { api } = await open({ log: () => undefined })
    const { projectId } = await sandbox(api)
    const headers = { 'x-api-key': SECRET, 'x-team': 'blue' }
    const body = { name: 'http', enabled: true, transportType: 'http', url: server.url, headers }
    const { id: serverId } = await api.call(servers.create, { projectId, body })
    const ids = { projectId, serverId }
    await api.call(servers.tools, ids)
    expect(await api.refused(servers.callTool, { ...ids, body: { toolName: 'count' } })).toMatchObject({ status: 502 })
    const all = await frames(api, ids)
    const list = all.find(({ method, kind }) => method === 'tools/list' && kind === 'result')!
    const { exchange } = await api.call(traffic.get, { ...ids, frameId: list.id })
    expect(exchange).toMatchObject({
      method: 'POST',
      url: server.url,
      status: 200,
      requestHeaders: { 'x-api-key': '[secret]', 'x-team': 'blue', 'mcp-session-id': '[secret]' },
      responseHeaders: { 'content-type': 'application/json' },
    })
    const refused = all.find(({ method }) => method === 'HTTP 500')!
    expect(refused).toMatchObject({ failed: true, summary: 'out of order' })
    expect(all.find(({ id }) => id === refused.answers)).toMatchObject({ method: 'tools/call', kind: 'request' })
  })

  test('shows the reason why a server cannot be reached', async () => {
    const { api } = await open({ log: () => undefined })
    const { projectId } = await sandbox(api)
    const body = { name: 'gone', enabled: true, transportType: 'http', url: 'http://127.0.0.1:1/mcp' }
    const { id: serverId } = await api.call(servers.create, { projectId, body })
    await api.refused(servers.tools, { projectId, serverId })
    const all = await frames(api, { projectId, serverId })
    expect(all.at(-1)).toMatchObject({ failed: true, method: expect.stringContaining('could not be reached') })
  })
})

test('the traffic of a server in another project is not answered', async () => {
  const { api } = await open()
  const { serverId } = await sandbox(api)
  const { id: projectId } = await api.call(contract.projects.create, { body: { name: 'Other' } })
  for (const endpoint of [traffic.list, traffic.clear, contract.console.list])
    expect(await api.refused(endpoint, { projectId, serverId })).toMatchObject({ status: 404 })
})

describe('traffic of a service that does not announce it', () => {
  test.each([
    ['has other capabilities', { '/capabilities': { evalVocabulary: { versions: ['1'] } } }],
    ['announces something else', { '/capabilities': { local: ['other', 7] } }],
  ])('is not requested if the service %s', async (_, answers) => {
    const asked: string[] = []
    const service = await openService()
    onTestFinished(service.close)
    const client = createClient({
      baseUrl: 'http://mcp.example/api/v1',
      key: 'sk_test',
      fetch: answering(answers)(async request => {
        asked.push(request.url)
        return await service.fetch(request)
      }),
    })
    const refused = await client.traffic.list({ projectId: 'p', serverId: 's' }).catch((error: unknown) => error)
    expect(refused).toMatchObject({ kind: 'refused', code: 'local-only', sent: false })
    expect(describeError(refused).title).toBe('Only in a local workspace')
    expect(asked.filter(url => url.includes('/local/'))).toEqual([])
  })
})
