import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { onTestFinished } from 'vitest'
import { referenceServerOverHttp } from './reference-server.ts'

/** The reference server behind a guard that accepts one token at a time and exchanges refresh tokens for the next. */
export async function guardedServer() {
  const behind = await referenceServerOverHttp()
  const state = {
    accepted: 'token-0',
    refreshes: [] as string[],
    /** The resource that its metadata names in place of the server itself. */
    names: undefined as string | undefined,
  }
  const json = (response: ServerResponse, body: object) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const { authorization: _mine, host: _host, connection: _connection, ...headers } = request.headers
    const hasBody = request.method === 'POST'
    const answer = await fetch(behind, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(hasBody && { body: Readable.toWeb(request) as ReadableStream, duplex: 'half' as const }),
    })
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    const body = answer.body ? Readable.fromWeb(answer.body) : Readable.from([])
    await pipeline(body, response)
  }
  const trade = async (request: IncomingMessage, response: ServerResponse) => {
    const form = new URLSearchParams(await new Response(Readable.toWeb(request) as ReadableStream).text())
    state.refreshes.push(form.get('refresh_token') ?? '')
    state.accepted = `token-${state.refreshes.length}`
    json(response, {
      access_token: state.accepted,
      refresh_token: `refresh-${state.refreshes.length}`,
      token_type: 'Bearer',
      expires_in: 3600,
    })
  }
  const server = createServer((request, response) => {
    const origin = `http://${request.headers.host}`
    const path = request.url ?? ''
    if (path.startsWith('/.well-known/oauth-protected-resource'))
      json(response, { resource: `${origin}/mcp`, authorization_servers: [state.names ?? origin] })
    else if (path.startsWith('/.well-known/'))
      json(response, {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
      })
    else if (path === '/token') void trade(request, response)
    else if (request.headers.authorization === `Bearer ${state.accepted}`)
      // Either side may close the connection first, at any time; neither matters to the test.
      void forward(request, response).catch(() => response.destroy())
    else response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, state }
}
