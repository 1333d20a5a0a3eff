import { writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, test } from 'vitest'
import { isForeign, openBridge, ownerOf, type Bridge } from '../../src/service/bridge/bridge.ts'
import type { ServerTarget } from '../../src/service/connections/types.ts'
import { stillRunning } from '../journeys/processes.ts'
import { PATIENCE } from '../patience.ts'
import { startHttpServer } from '../servers/http-server.ts'
import { everything, httpTarget, small } from '../servers/targets.ts'
import { temporaryDirectory } from './harness.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

async function bridgeTo(target: ServerTarget): Promise<Bridge> {
  const bridge = await openBridge(target)
  closing.push(() => bridge.close())
  return bridge
}

/** A client of the protocol library through the bridge; it answers sampling requests. */
async function connectTo({ url }: Bridge) {
  const client = new Client({ name: 'tester', version: '1' }, { capabilities: { sampling: {} } })
  client.setRequestHandler('sampling/createMessage', () => ({
    role: 'assistant',
    model: 'm',
    content: { type: 'text', text: 'from the client' },
  }))
  const transport = new StreamableHTTPClientTransport(new URL(url))
  closing.push(() => client.close())
  await client.connect(transport)
  return { client, transport }
}

const textOf = ({ content }: { content: unknown }) => (content as { text: string }[])[0]!.text

/** Status of a request with these headers, which `fetch` would not send. */
const statusOf = (url: string, headers: Record<string, string>) =>
  new Promise<number | undefined>((resolve, reject) => {
    httpRequest(url, { method: 'POST', headers }, response => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end('{}')
  })

describe('the bridge to a stdio server', () => {
  test('forwards requests, and the stream of a call carries its progress and the server’s own requests', async () => {
    const { client } = await connectTo(await bridgeTo(everything()))
    expect(client.getServerVersion()).toMatchObject({ name: expect.stringContaining('everything') })
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('trigger-sampling-request')
    const steps: number[] = []
    const long = { name: 'trigger-long-running-operation', arguments: { duration: 0.2, steps: 2 } }
    const asked = client.callTool(
      { name: 'trigger-sampling-request', arguments: { prompt: 'hello', maxTokens: 5 } },
      PATIENCE,
    )
    const done = client.callTool(long, { ...PATIENCE, onprogress: ({ progress }) => steps.push(progress) })
    expect(textOf(await done)).toContain('completed')
    expect(steps).toEqual([1, 2])
    expect(textOf(await asked)).toContain('from the client')
  })

  test('starts a program for each session, which ends with the session or the bridge', async () => {
    const bridge = await bridgeTo(small('healthy'))
    const [one, two] = [await connectTo(bridge), await connectTo(bridge)]
    const pidOf = async ({ client }: typeof one) => {
      const { pid } = JSON.parse(textOf(await client.callTool({ name: 'pid' }))) as { pid: number }
      return pid
    }
    const [first, second] = [await pidOf(one), await pidOf(two)]
    expect(stillRunning([first, second])).toHaveLength(2)
    expect(first).not.toBe(second)
    await one.transport.terminateSession()
    await expect.poll(() => stillRunning([first]), PATIENCE).toEqual([])
    expect(await pidOf(two)).toBe(second)
    await bridge.close()
    expect(stillRunning([second])).toEqual([])
  })

  test('limits sessions that clients leave open: the session unused for longest ends', async () => {
    const bridge = await bridgeTo(small('healthy'))
    const sessions = []
    for (let at = 0; at < 9; at += 1) sessions.push(await connectTo(bridge))
    await expect(sessions[0]!.client.listTools()).rejects.toThrow('Session not found')
    expect((await sessions[1]!.client.listTools()).tools).not.toEqual([])
    expect((await sessions[8]!.client.listTools()).tools).not.toEqual([])
  })

  test('says why a program ended to everyone who waits, and why one cannot be started', async () => {
    const ends = connectTo(await bridgeTo(small('exits')))
    await expect(ends).rejects.toThrow('The server exited with code 3: cannot read the configuration: TOKEN is missing')
    const transport = { type: 'stdio' as const, command: '/no/such/program', args: [], env: {} }
    await expect(connectTo(await bridgeTo({ ...small(''), transport }))).rejects.toThrow('command not found')
  })

  test('ends a session that floods, and drops lines that are not messages', async () => {
    const flooding = await connectTo(await bridgeTo(small('floods-garbage')))
    await expect(flooding.client.callTool({ name: 'echo' }, PATIENCE)).rejects.toThrow('without an answer')
    const huge = await connectTo(await bridgeTo(small('huge-line')))
    await expect(huge.client.callTool({ name: 'echo' }, PATIENCE)).rejects.toThrow('8 MiB in one message')
    const careless = await connectTo(await bridgeTo(small('garbage')))
    expect((await careless.client.listTools()).tools).not.toEqual([])
  })

  test('starts a program only for a session, whose caller has the address and is no page of another site', async () => {
    const { url } = await bridgeTo({ ...small(''), transport: httpTarget('http://127.0.0.1:1/').transport })
    expect(await statusOf(url, { host: 'evil.example' })).toBe(403)
    expect(await statusOf(url, { origin: 'http://evil.example' })).toBe(403)
    expect(await statusOf(new URL('/mcp', url).href, {})).toBe(404)
    expect(await statusOf(url, {})).toBe(502)
    const program = await bridgeTo(small('healthy'))
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    expect((await fetch(program.url, { method: 'POST', headers, body })).status).toBe(400)
    expect(program.wasMisunderstood()).toBe(false)
    const modern = { ...headers, 'mcp-protocol-version': '2026-07-28' }
    expect((await fetch(program.url, { method: 'POST', headers: modern, body })).status).toBe(400)
    expect(program.wasMisunderstood()).toBe(true)
  })
})

describe('the bridge to a server over HTTP', () => {
  test('adds its headers and its token to each request, and passes sessions through', async () => {
    const server = await startHttpServer()
    closing.push(server.close)
    const target = httpTarget(server.url, { 'X-Api-Key': 'of the header' })
    let tokens = 0
    const transport = { ...target.transport, accessToken: async () => ({ value: `token-${(tokens += 1)}` }) } as never
    const { client } = await connectTo(await bridgeTo({ ...target, transport }))
    expect((await client.listTools()).tools).toMatchObject([{ name: 'count' }])
    const posts = server.seen.filter(({ method }) => method !== '')
    expect(posts.map(({ method }) => method)).toEqual(['initialize', 'notifications/initialized', 'tools/list'])
    expect(posts.every(({ headers }) => headers['x-api-key'] === 'of the header')).toBe(true)
    expect(new Set(posts.map(({ headers }) => headers.authorization)).size).toBe(3)
    expect(posts[2]!.headers['mcp-session-id']).toMatch(/^session-/)
  })

  test('follows redirects within its origin, and gives other origins none of its headers', async () => {
    const other = await startHttpServer()
    const moved: string[] = []
    const server = await startHttpServer({
      '*'(_, request, response) {
        moved.push(`${request.url} ${String(request.headers['x-api-key'])}`)
        response.writeHead(307, { location: request.url === '/mcp' ? '/mcp/' : other.url }).end()
      },
    })
    closing.push(server.close, other.close)
    const { url } = await bridgeTo(httpTarget(server.url, { 'X-Api-Key': 'secret' }))
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
    const answer = await fetch(url, { method: 'POST', body })
    expect(moved).toEqual(['/mcp secret', '/mcp/ secret'])
    expect(answer.status).toBe(404)
    expect(other.seen).toHaveLength(1)
    expect(other.seen[0]!.headers['x-api-key']).toBeUndefined()
  })
})

const row = (local: string, remote: string, user: number) =>
  `   0: ${local} ${remote} 01 00000000:00000000 00:00000000 00000000  ${user}        0 1 1 0000000000000000 20 4 30 10 -1`

test('the owner of a connection is read from the table of the operating system', () => {
  const table = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    row('0100007F:1F90', '0100007F:9C40', 0),
    row('0100007F:9C40', '0100007F:1F90', 1000),
    row('0000000000000000FFFF00000100007F:9C41', '0000000000000000FFFF00000100007F:1F90', 1001),
    row('0200007F:9C42', '0100007F:1F90', 1002),
  ].join('\n')
  expect([40000, 40001, 40002, 40003].map(from => ownerOf(table, from, 8080))).toEqual([
    1000,
    1001,
    undefined,
    undefined,
  ])
})

test.runIf(process.platform === 'linux')('if a table of connections is missing, no other user is let in', () => {
  const folder = temporaryDirectory()
  const tableOf = (user: number) => {
    const file = join(folder, String(user))
    writeFileSync(file, row('0100007F:9C40', '0100007F:1F90', user))
    return file
  }
  const own = process.getuid?.() ?? 0
  const socket = { remotePort: 40000, localPort: 8080 }
  const missing = join(folder, 'tcp6')
  expect(isForeign(socket, [tableOf(own), missing])).toBe(false)
  expect(isForeign(socket, [tableOf(own + 1), missing])).toBe(true)
  expect(isForeign(socket, [missing])).toBe(true)
})
