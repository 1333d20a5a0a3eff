import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A message of the protocol, with the fields that these servers use. */
type Message = { id?: number; method: string; params?: Record<string, unknown> }
type Handle = (message: Message, request: IncomingMessage, response: ServerResponse) => void

/** A small MCP server over streamable HTTP whose answer to every request can be set by the test. */
export type HttpServer = {
  url: string
  origin: string
  /** Method and headers of every received request. */
  seen: { http: string; method: string; headers: IncomingMessage['headers'] }[]
  /** Forgets all sessions, like a restarted server. */
  forgetSessions(): void
  close(): Promise<void>
}

const results: Record<string, unknown> = {
  'tools/list': { tools: [{ name: 'count', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'done' }] },
}

/**
 * @param overrides an answer by protocol method; `*` answers every request
 * @param port a free port by default
 */
export async function startHttpServer(overrides: Record<string, Handle> = {}, port = 0): Promise<HttpServer> {
  const sessions = new Set<string>()
  const seen: HttpServer['seen'] = []
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const message = (body ? JSON.parse(body) : { method: '' }) as Message
    seen.push({ http: `${request.method} ${request.url}`, method: message.method, headers: request.headers })
    const override = overrides[message.method] ?? overrides['*']
    if (override) return override(message, request, response)
    if (request.method !== 'POST') return void response.writeHead(405).end()
    if (message.method === 'initialize') return initialize(message, response, sessions)
    if (!sessions.has(String(request.headers['mcp-session-id']))) return void response.writeHead(404).end('no session')
    if (message.id === undefined) return void response.writeHead(202).end()
    answer(response, message, results[message.method] ?? {})
  }
  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${origin}/mcp`,
    origin,
    seen,
    forgetSessions: () => sessions.clear(),
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

function initialize(message: Message, response: ServerResponse, sessions: Set<string>): void {
  const session = `session-${sessions.size}-${Math.random()}`
  sessions.add(session)
  response.setHeader('mcp-session-id', session)
  const serverInfo = { name: 'small-http', version: '1.0.0' }
  const protocolVersion = message.params?.['protocolVersion']
  answer(response, message, { protocolVersion, capabilities: { tools: {} }, serverInfo })
}

/** Answers one request with a JSON body. */
export function answer(response: ServerResponse, message: Message, result: unknown): void {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }))
}
