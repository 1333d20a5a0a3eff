import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openHome } from './program.ts'

/** A server's answer to a request with this id. */
type Answer = (response: ServerResponse, id: unknown) => void

const json = (status: number, body: (id: unknown) => object): Answer => {
  return (response, id) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body(id)))
}
const refusal = { code: -32_603, message: 'the licence has expired' }

const ANSWERS: Readonly<Record<string, readonly [Answer, says: string]>> = {
  page: [response => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hi</h1>'), 'is not MCP'],
  fault: [response => response.writeHead(500, { 'content-type': 'text/plain' }).end('no database'), 'HTTP 500'],
  missing: [response => response.writeHead(404).end('nope'), 'HTTP 404: nope'],
  busy: [response => response.writeHead(429, { 'retry-after': '7' }).end('slow down'), 'HTTP 429'],
  elsewhere: [response => response.writeHead(302, { location: '/page' }).end(), 'HTTP 302'],
  json: [json(200, () => ({ hello: 1 })), 'as an MCP server does'],
  part: [json(200, id => ({ jsonrpc: '2.0', id, result: { protocolVersion: '2025-06-18' } })), 'not a valid result'],
  refuses: [json(200, id => ({ jsonrpc: '2.0', id, error: refusal })), 'error -32603: the licence has expired'],
  future: [
    json(200, id => ({
      jsonrpc: '2.0',
      id,
      result: { protocolVersion: '2099-01-01', capabilities: {}, serverInfo: { name: 'a', version: '1' } },
    })),
    'protocol version 2099-01-01',
  ],
}

const gateway: Answer = response => response.writeHead(502, { 'content-type': 'text/plain' }).end('bad gateway')

const server = createServer((request, response) => {
  let body = ''
  request.on('data', (piece: Buffer) => (body += piece.toString()))
  request.on('end', () => {
    const [answer] = ANSWERS[request.url?.slice(1) ?? ''] ?? [gateway]
    if (request.method !== 'POST') response.writeHead(405).end()
    else answer(response, (JSON.parse(body) as { id?: unknown }).id)
  })
})
let home: Awaited<ReturnType<typeof openHome>>
beforeAll(async () => {
  home = await openHome()
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await home.close()
})

const tools = (path: string) =>
  home.run(['tools', '--url', `http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`])

describe('a server without a usable answer', () => {
  test.each(Object.entries(ANSWERS))('is not called unreachable: %s', async (path, [, says]) => {
    const { code, stdout, stderr } = await tools(path)
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toContain(says)
    expect(stderr).toContain('The MCP server was reached')
    expect(stderr).not.toMatch(/unreachable|out of reach|broke off/)
  })

  test('is called unreachable if a gateway answers HTTP 502 for it', async () => {
    expect((await tools('gateway')).stderr).toMatch(/MCP server unreachable: .*HTTP 502/)
  })
})
