import { generateKeyPairSync } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { answer, startHttpServer, type HttpServer } from '../../../test/servers/http-server.ts'
import { httpTarget } from '../../../test/servers/targets.ts'
import { PATIENCE } from '../../../test/patience.ts'
import { createConnections, type Connections } from './engine.ts'

const servers: HttpServer[] = []
let connections: Connections | undefined
const connect = (options: Parameters<typeof createConnections>[0] = {}) => {
  connections = createConnections({ deadlineMs: 10_000, ...options })
  return connections
}
const serve = async (...overrides: Parameters<typeof startHttpServer>) => {
  const server = await startHttpServer(...overrides)
  servers.push(server)
  return server
}
afterEach(async () => {
  await connections?.close()
  await Promise.all(servers.splice(0).map(server => server.close()))
})

const callCount = ({ seen }: HttpServer) => seen.filter(({ method }) => method === 'tools/call').length
const refuse = (status: number, headers: Record<string, string> = {}): Parameters<typeof startHttpServer>[0] => ({
  '*': (_message, _request, response) => void response.writeHead(status, headers).end('refused'),
})

describe('the credentials of a server over HTTP', () => {
  test('include headers and the current bearer token with every request', async () => {
    const server = await serve()
    let turn = 0
    const target = httpTarget(server.url, { 'x-team': 'blue' })
    if (target.transport.type === 'http') target.transport.accessToken = async () => ({ value: `token-${(turn += 1)}` })
    await connect().listTools(target)
    expect(server.seen.every(({ headers }) => headers['x-team'] === 'blue')).toBe(true)
    expect(server.seen.map(({ headers }) => headers.authorization).slice(0, 2)).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ])
  })

  test('are sent as each token demands, while tokens change', async () => {
    const server = await serve()
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const key = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
    let turn = 0
    const target = httpTarget(server.url)
    if (target.transport.type === 'http')
      target.transport.accessToken = async () => {
        turn += 1
        return turn % 2 ? { value: 'bound', proofKey: { algorithm: 'ES256', privateKey: key } } : { value: 'plain' }
      }
    const { listTools, callTool } = connect()
    await listTools(target)
    await Promise.all([1, 2, 3].map(() => callTool(target, { toolName: 'echo', parameters: {} })))
    const sent = new Set(server.seen.map(({ headers }) => headers.authorization))
    expect(sent).toEqual(new Set(['DPoP bound', 'Bearer plain']))
  })

  test.each([401, 403])('HTTP %i is reported as a refusal by the server', async status => {
    const server = await serve(refuse(status))
    const { listTools, doctor } = connect()
    const details = { reason: 'SERVER_CREDENTIALS' }
    await expect(listTools(httpTarget(server.url))).rejects.toMatchObject({ code: 'FORBIDDEN', details })
    expect(await doctor(httpTarget(server.url))).toMatchObject({
      status: 'error',
      probe: { httpStatus: status },
      error: { code: 'FORBIDDEN' },
    })
  })

  test('a 401 of a server without metadata asks for a header, or says that the stored header is refused', async () => {
    const server = await serve(refuse(401, { 'www-authenticate': 'Bearer realm="x"' }))
    const { listTools } = connect()
    await expect(listTools(httpTarget(server.url))).rejects.toMatchObject({
      message:
        'The server "under test" asks for a token (HTTP 401) and offers no sign-in with OAuth: give it an ' +
        'Authorization header that it accepts.',
    })
    await expect(listTools(httpTarget(server.url, { Authorization: 'Bearer old' }))).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message:
        'The server "under test" refuses the Authorization header that is stored for it (HTTP 401); it offers no ' +
        'sign-in with OAuth.',
    })
  })

  test.each([
    ['Basic realm="x, Bearer"', 'FORBIDDEN', 'error'],
    ['Digest realm="x"', 'FORBIDDEN', 'error'],
    [`Basic realm="x", Bearer resource_metadata="https://a.test/x"`, 'OAUTH_REQUIRED', 'oauth_required'],
  ])('a 401 with the challenge %s becomes %s', async (challenge, code, verdict) => {
    const server = await serve(refuse(401, { 'www-authenticate': challenge }))
    const { listTools, doctor } = connect()
    const message = expect.stringMatching(
      code === 'OAUTH_REQUIRED' ? 'asks for authorization' : /asks for (Basic|Digest) authentication \(HTTP 401\)/,
    )
    await expect(listTools(httpTarget(server.url))).rejects.toMatchObject({ code, message })
    expect(await doctor(httpTarget(server.url))).toMatchObject({ status: verdict, error: { code, message } })
  })

  test.each([
    ['text/plain', 'No tenant “blue”.\nTrace: …', 'answered initialize with HTTP 422: No tenant “blue”.'],
    ['text/html', '<!doctype html>\n<title>Oops</title>', 'answered initialize with HTTP 422.'],
    ['text/plain', 'x'.repeat(5000), `answered initialize with HTTP 422: ${'x'.repeat(200)}.`],
  ])('the first line of a refusal as %s is quoted, unless it is a web page', async (type, text, words) => {
    const server = await serve({
      '*': (_message, _request, response) => void response.writeHead(422, { 'content-type': type }).end(text),
    })
    const message = `The server "${httpTarget(server.url).name}" ${words}`
    await expect(connect().listTools(httpTarget(server.url))).rejects.toMatchObject({ message })
  })

  test('a refusal of only the event stream is reported as a refusal', async () => {
    const server = await serve({
      '*': (_message, request, response) => void response.writeHead(request.method === 'POST' ? 405 : 401).end(),
    })
    await expect(connect().listTools(httpTarget(server.url))).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  test('a redirect to another origin is named in the error and not followed', async () => {
    const other = await serve()
    const server = await serve(refuse(307, { location: other.url }))
    const failed = connect().listTools(httpTarget(server.url, { authorization: 'Bearer secret' }))
    await expect(failed).rejects.toMatchObject({
      code: 'SERVER_UNREACHABLE',
      message: expect.stringMatching(/Redirect to http\S+ not followed; use that URL .+ intended server\.$/),
    })
    expect(other.seen).toEqual([])
  })

  test.each(['nonsense', 'ftp://127.0.0.1/', 'http://user:secret@127.0.0.1/'])(
    'are not sent to the invalid URL %s',
    async url => {
      const refusal = await connect()
        .listTools(httpTarget(url))
        .catch((error: unknown) => error)
      expect(refusal).toMatchObject({ code: 'VALIDATION_ERROR', details: { field: 'url' } })
      expect(String(refusal)).not.toContain('secret')
    },
  )
})

describe('a failing server over HTTP', () => {
  test('a closed port and an unknown host are reported with their own reasons', async () => {
    const server = await serve()
    await server.close()
    const { listTools, doctor } = connect()
    const message = expect.stringContaining('the connection was refused')
    await expect(listTools(httpTarget(server.url))).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE', message })
    expect(await doctor(httpTarget(server.url))).toMatchObject({ status: 'error', error: { message } })
  })

  test('that does not answer causes TIMEOUT', async () => {
    const server = await serve({ '*': () => {} })
    const { listTools, doctor } = connect({ deadlineMs: 300 })
    await expect(listTools(httpTarget(server.url))).rejects.toMatchObject({ code: 'TIMEOUT' })
    expect(await doctor(httpTarget(server.url))).toMatchObject({ status: 'error', error: { code: 'TIMEOUT' } })
  })

  test('that lacks the older transport too is reported with its first answer', async () => {
    const server = await serve(refuse(404))
    await expect(connect().listTools(httpTarget(server.url))).rejects.toMatchObject({
      code: 'SERVER_UNREACHABLE',
      details: { httpStatus: 404 },
    })
  })

  test('that ends a stream without the answer makes the call fail at once', async () => {
    const server = await serve({
      'tools/call': (_message, _request, response) => {
        response.setHeader('content-type', 'text/event-stream')
        response.end(': nothing to say\n\n')
      },
    })
    const failed = connect().callTool(httpTarget(server.url), { toolName: 'count' })
    await expect(failed).rejects.toMatchObject({
      code: 'SERVER_UNREACHABLE',
      message: expect.stringContaining('before it was complete'),
    })
  })

  test.each(['application/json', 'text/event-stream'])(
    'an answer that is too long as %s ends the connection',
    async type => {
      const server = await serve({
        'tools/call': (message, _request, response) => {
          response.setHeader('content-type', type)
          const result = { content: [{ type: 'text', text: 'x'.repeat(3 * 1024 * 1024) }] }
          const body = JSON.stringify({ jsonrpc: '2.0', id: message.id, result })
          response.end(type === 'application/json' ? body : `data: ${body}\n\n`)
        },
      })
      const failed = connect({ maxResultBytes: 1024 * 1024 }).callTool(httpTarget(server.url), { toolName: 'count' })
      await expect(failed).rejects.toMatchObject({
        code: 'SERVER_UNREACHABLE',
        message: expect.stringContaining('more than 1 MiB'),
      })
    },
  )

  test.each([{ method: 'notifications/message' }, { id: 1, method: 'ping' }])(
    'a flood of $method instead of an answer ends the connection',
    async flooding => {
      const server = await serve({
        'tools/call': (_message, _request, response) => {
          // With small messages the limit on time could come before the limit on size if the machine is busy.
          const params = { _meta: { padding: 'x'.repeat(8192) } }
          const chunk = `data: ${JSON.stringify({ jsonrpc: '2.0', ...flooding, params })}\n\n`
          const write = (): void => {
            while (response.write(chunk));
            response.once('drain', write)
          }
          response.setHeader('content-type', 'text/event-stream')
          write()
        },
      })
      const failed = connect({ maxResultBytes: 1024 * 1024 }).callTool(httpTarget(server.url), { toolName: 'count' })
      await expect(failed).rejects.toMatchObject({
        code: 'SERVER_UNREACHABLE',
        message: expect.stringContaining('sent more than 2 MiB without an answer'),
      })
    },
  )

  test('a session that the server forgot is renewed, even for a call, which had no effect', async () => {
    const server = await serve()
    const engine = connect()
    const target = httpTarget(server.url)
    await engine.callTool(target, { toolName: 'count' })
    server.forgetSessions()
    expect((await engine.listTools(target)).items).toHaveLength(1)
    server.forgetSessions()
    expect(await engine.callTool(target, { toolName: 'count' })).toMatchObject({ content: [{ text: 'done' }] })
    // The server got the call before, the refused call and the repeated one.
    expect(callCount(server)).toBe(3)
  })

  test('a session forgotten during a trial is renewed once for all its calls', async () => {
    const server = await serve()
    const engine = connect()
    const results = await engine.use(httpTarget(server.url), undefined, async session => {
      await session.callTool('count')
      server.forgetSessions()
      return [
        ...(await Promise.all([session.callTool('count'), session.callTool('count')])),
        await session.callTool('count'),
      ]
    })
    expect(results.map(({ result }) => result)).toEqual(
      results.map(() => ({ content: [{ type: 'text', text: 'done' }] })),
    )
    // The server got the call before, two refused calls and three repeated ones.
    expect(callCount(server)).toBe(6)
  })

  test('a session that is renewed while its work ends is ended like any unused one', async () => {
    let initialized = 0
    const opening = Promise.withResolvers<void>()
    const failed = Promise.withResolvers<void>()
    const ended: string[] = []
    const server = await serve({
      initialize: ({ id, params }, _request, response) => {
        initialized += 1
        const { protocolVersion } = params ?? {}
        const serverInfo = { name: 'forgetful', version: '1' }
        const reply = () => {
          response.setHeader('mcp-session-id', `session-${initialized}`)
          answer(response, { id: id!, method: '' }, { protocolVersion, capabilities: { tools: {} }, serverInfo })
        }
        if (initialized === 1) return reply()
        opening.resolve()
        void failed.promise.then(reply)
      },
      'notifications/initialized': (_message, _request, response) => void response.writeHead(202).end(),
      'tools/call': (_message, _request, response) => void response.writeHead(404).end(),
      '': (_message, { method, headers }, response) => {
        if (method === 'DELETE') ended.push(String(headers['mcp-session-id']))
        response.writeHead(method === 'DELETE' ? 200 : 405).end()
      },
    })
    const work = connect({ idleMs: 1 }).use(httpTarget(server.url), undefined, async session => {
      session.callTool('count').catch(() => undefined)
      await opening.promise
      throw new Error('another call failed')
    })
    await expect(work).rejects.toThrow('another call failed')
    failed.resolve()
    await expect.poll(() => ended, PATIENCE).toContain('session-2')
  })

  test('a call is not repeated if a server without sessions answers 404', async () => {
    const server = await serve({
      initialize: ({ id, params }, _request, response) => {
        const { protocolVersion } = params ?? {}
        const serverInfo = { name: 'plain', version: '1' }
        answer(response, { id: id!, method: '' }, { protocolVersion, capabilities: { tools: {} }, serverInfo })
      },
      'notifications/initialized': (_message, _request, response) => void response.writeHead(202).end(),
      'tools/call': (_message, _request, response) => void response.writeHead(404).end(),
    })
    const failed = connect().callTool(httpTarget(server.url), { toolName: 'count' })
    await expect(failed).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE', details: { httpStatus: 404 } })
    expect(callCount(server)).toBe(1)
  })
})

test('the end of an event stream without the answer makes the call fail', async () => {
  let stream: ServerResponse | undefined
  const server = await serve({
    '*': (message, request, response) => {
      if (request.url === '/mcp' && request.method === 'POST') return void response.writeHead(405).end()
      if (request.method === 'GET') {
        stream = response.writeHead(200, { 'content-type': 'text/event-stream' })
        return void stream.write('event: endpoint\ndata: /message\n\n')
      }
      response.writeHead(202).end()
      if (message.method === 'tools/call') return void stream?.end()
      const { protocolVersion } = message.params ?? {}
      const result = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'old', version: '1' } }
      const text = JSON.stringify({ jsonrpc: '2.0', id: message.id, result })
      return void (message.id !== undefined && stream?.write(`data: ${text}\n\n`))
    },
  })
  const failed = connect().callTool(httpTarget(server.url), { toolName: 'count' })
  await expect(failed).rejects.toMatchObject({
    code: 'SERVER_UNREACHABLE',
    message: expect.stringContaining('ended its event stream'),
  })
})

test('a server that supports only the newest protocol revision is reached', async () => {
  const supported = ['2026-07-28']
  const hints = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
  const server = await serve({
    initialize: (message, _request, response) => {
      const error = { code: -32022, message: 'Unsupported protocol version', data: { supported, requested: '' } }
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, error }))
    },
    'server/discover': (message, _request, response) =>
      answer(response, message, { ...hints, supportedVersions: supported, capabilities: { tools: {} } }),
    'tools/list': (message, _request, response) =>
      answer(response, message, { ...hints, tools: [{ name: 'new', inputSchema: { type: 'object' } }] }),
  })
  const { items } = await connect().listTools(httpTarget(server.url))
  expect(items).toMatchObject([{ name: 'new' }])
})

describe('the protocol version without sessions', () => {
  const version = '2026-07-28'
  const hints = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
  const discovers: NonNullable<Parameters<typeof startHttpServer>[0]> = {
    'server/discover': (message, _request, response) =>
      answer(response, message, { ...hints, supportedVersions: [version], capabilities: { tools: {} } }),
    'tools/list': (message, _request, response) =>
      answer(response, message, { ...hints, tools: [{ name: 'new', inputSchema: { type: 'object' } }] }),
  }
  const refused: NonNullable<Parameters<typeof startHttpServer>[0]>[string] = (message, _request, response) => {
    const error = { code: -32020, message: 'Missing MCP-Protocol-Version header' }
    response.writeHead(400, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, error }))
  }
  const agreed: typeof refused = (message, _request, response) =>
    answer(response, message, { protocolVersion: version, capabilities: {}, serverInfo: { name: 'x', version: '1' } })

  test.each([
    ['refuses initialize for its missing header', refused],
    ['answers initialize with the newer version', agreed],
  ])('is used with a server that %s', async (_why, initialize) => {
    const server = await serve({ ...discovers, initialize })
    const { items } = await connect().listTools(httpTarget(server.url))
    expect(items).toMatchObject([{ name: 'new' }])
  })

  test('is used from the first request if a header of the server pins it', async () => {
    const server = await serve(discovers)
    await connect().listTools(httpTarget(server.url, { 'MCP-Protocol-Version': version }))
    expect(server.seen.map(({ method }) => method)).toEqual(['server/discover', 'tools/list'])
    expect(server.seen.map(({ headers }) => headers['mcp-protocol-version'])).toEqual([version, version])
  })

  describe('sends arguments as headers', () => {
    const inputSchema = {
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, city: { type: 'string' } },
    }
    const wrong = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'My Region' } } }
    const listing = {
      'tools/list': (message, _request, response) =>
        answer(response, message, {
          ...hints,
          tools: [
            { name: 'here', inputSchema },
            { name: 'wrong', inputSchema: wrong },
          ],
        }),
      'tools/call': (message, request, response) => {
        if (request.headers['mcp-param-region'] === undefined) return refused(message, request, response)
        return answer(response, message, { resultType: 'complete', content: [], odd: { kept: true } })
      },
    } satisfies NonNullable<Parameters<typeof startHttpServer>[0]>
    const open = async () => {
      const server = await serve({ ...discovers, ...listing })
      return { server, target: httpTarget(server.url, { 'MCP-Protocol-Version': version }), engine: connect() }
    }
    const call = { toolName: 'here', parameters: { region: 'süd', city: 'Ulm' } }

    test('if the schema of a listed tool names them, and leaves the answer unchanged', async () => {
      const { server, target, engine } = await open()
      await engine.listTools(target)
      expect(await engine.callTool(target, call)).toMatchObject({ odd: { kept: true } })
      expect(server.seen.at(-1)?.headers).toMatchObject({
        'mcp-param-region': `=?base64?${Buffer.from('süd').toString('base64')}?=`,
      })
      expect(server.seen.at(-1)?.headers).not.toHaveProperty('mcp-param-city')
    })

    test('after it has listed the tools, if the server misses the headers', async () => {
      const { server, target, engine } = await open()
      expect(await engine.callTool(target, call)).toMatchObject({ content: [] })
      const methods = ['server/discover', 'tools/call', 'tools/list', 'tools/call']
      expect(server.seen.map(({ method }) => method)).toEqual(methods)
    })

    test('but calls no tool whose annotation is invalid', async () => {
      const { server, target, engine } = await open()
      await engine.listTools(target)
      await expect(engine.callTool(target, { ...call, toolName: 'wrong' })).rejects.toMatchObject({
        code: 'FEATURE_NOT_SUPPORTED',
        message: expect.stringMatching(
          /"wrong" must not be called over HTTP, since its x-mcp-header is invalid: .*region/,
        ),
      })
      await engine.callTool(target, call)
      expect(server.seen.map(({ method }) => method)).toEqual(['server/discover', 'tools/list', 'tools/call'])
    })
  })

  test('treats a result without a type as complete', async () => {
    const content = [{ type: 'text', text: 'plain' }]
    const server = await serve({
      ...discovers,
      'tools/call': (message, _request, response) => answer(response, message, { content }),
    })
    const target = httpTarget(server.url, { 'MCP-Protocol-Version': version })
    expect(await connect().callTool(target, { toolName: 'new' })).toMatchObject({ content })
  })

  test('is not used if a header of the server pins another version', async () => {
    const server = await serve()
    await connect().listTools(httpTarget(server.url, { 'mcp-protocol-version': '2025-06-18' }))
    expect(server.seen[0]).toMatchObject({ method: 'initialize' })
    expect(server.seen[0]?.headers['mcp-protocol-version']).toBeUndefined()
    expect(server.seen.at(-1)?.headers['mcp-protocol-version']).toBe('2025-06-18')
  })

  test.each([
    [
      'that speaks older ones only',
      {},
      'SERVER_UNREACHABLE',
      'does not answer server/discover with a protocol version',
    ],
    ['that refuses the credentials', refuse(401), 'FORBIDDEN', 'asks for a token (HTTP 401)'],
    ['that is broken', refuse(500), 'SERVER_UNREACHABLE', 'answered initialize with HTTP 500'],
  ])('reports the failure of a pinned server %s', async (_why, answers, code, words) => {
    const server = await serve(answers)
    const failed = connect().listTools(httpTarget(server.url, { 'MCP-Protocol-Version': version }))
    await expect(failed).rejects.toMatchObject({ code, message: expect.stringContaining(words) })
  })

  test('reports a pinned server that does not run as unreachable', async () => {
    const server = await serve()
    await server.close()
    const failed = connect().listTools(httpTarget(server.url, { 'MCP-Protocol-Version': version }))
    await expect(failed).rejects.toMatchObject({ message: expect.stringContaining('could not be reached') })
  })

  test('is not tried if the server pins an unsupported version, and the error names the version', async () => {
    const server = await serve()
    await expect(
      connect().listTools(httpTarget(server.url, { 'MCP-Protocol-Version': '2031-01-01' })),
    ).rejects.toMatchObject({ code: 'VALIDATION_ERROR', message: expect.stringContaining('"2031-01-01"') })
    expect(server.seen).toEqual([])
  })
})

describe('the OAuth check of a server', () => {
  const check = (target: Parameters<Connections['checkOAuth']>[0]) => connect().checkOAuth(target)

  test('never demands OAuth for stdio, and uses a stored setting without a request', async () => {
    const server = await serve()
    const stdio = { type: 'stdio' as const, command: 'x', args: [], env: {} }
    const asStdio = httpTarget(server.url, {}, { transport: stdio, useOAuth: true })
    expect(await check(asStdio)).toEqual({ useOAuth: false, serverUrl: null })
    const stored = httpTarget(server.url, {}, { useOAuth: true })
    expect(await check(stored)).toEqual({ useOAuth: true, serverUrl: server.url })
    expect(server.seen).toEqual([])
  })

  test('asks for OAuth after a bearer challenge with metadata, but not after any other challenge', async () => {
    const named = 'Bearer resource_metadata="https://a.test/x"'
    const bearer = await serve(refuse(401, { 'www-authenticate': named }))
    const plain = await serve(refuse(401, { 'www-authenticate': 'Bearer realm="x"' }))
    const basic = await serve(refuse(401, { 'www-authenticate': 'Basic realm="x"' }))
    expect(await check(httpTarget(bearer.url))).toMatchObject({ useOAuth: true })
    expect(await check(httpTarget(plain.url))).toMatchObject({ useOAuth: false })
    expect(await check(httpTarget(basic.url))).toMatchObject({ useOAuth: false })
  })

  test('asks for OAuth after a 401 without a challenge if there is metadata', async () => {
    const server = await serve({
      '*': (message, request, response) => {
        const known = request.url?.startsWith('/.well-known/oauth-protected-resource')
        if (!known) return void response.writeHead(401).end()
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ resource: `http://${request.headers.host}/mcp`, ...message.params }))
      },
    })
    expect(await check(httpTarget(server.url))).toMatchObject({ useOAuth: true })
  })

  test('asks for OAuth if there is metadata, and contacts no other host that the metadata names', async () => {
    const other = await serve()
    const server = await serve({
      '*': (_message, request, response) => {
        const known = request.url?.startsWith('/.well-known/oauth-protected-resource')
        if (!known) return void response.writeHead(401, { 'www-authenticate': 'Bearer realm="x"' }).end()
        response.setHeader('content-type', 'application/json')
        const authorization_servers = [new URL(other.url).origin]
        response.end(JSON.stringify({ resource: `http://${request.headers.host}/mcp`, authorization_servers }))
      },
    })
    await expect(connect().listTools(httpTarget(server.url))).rejects.toMatchObject({ code: 'OAUTH_REQUIRED' })
    expect(other.seen).toEqual([])
  })

  test('reports no OAuth for an open server without opening a session, and for an unreachable server', async () => {
    const server = await serve({ ping: (message, _request, response) => answer(response, message, {}) })
    expect(await check(httpTarget(server.url))).toMatchObject({ useOAuth: false })
    expect(server.seen.map(({ method }) => method)).toEqual(['ping'])
    await server.close()
    expect(await check(httpTarget(server.url))).toMatchObject({ useOAuth: false })
  })
})
