import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { type ApiRequest, plainHeaders } from '../../src/api/contract/message.ts'
import { createHttpFetch, type HttpFetchOptions } from '../../src/api/client/transport/fetch.ts'
import { readText } from '../../src/api/client/transport/response.ts'

/** A server on loopback and a function that sends it a request. */
async function start(answer: RequestListener, options: HttpFetchOptions = {}) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const http = createHttpFetch(options)
  onTestFinished(async () => {
    await http.close()
    server.closeAllConnections()
    server.close()
  })
  const ask = (request: Partial<ApiRequest> = {}) =>
    http.fetch({
      method: 'GET',
      url: `${origin}/x?y=%20z`,
      headers: plainHeaders({ accept: 'application/json' }),
      body: null,
      signal: new AbortController().signal,
      ...request,
    })
  return { http, server, origin, ask }
}

const echo: RequestListener = (request: IncomingMessage, response) => {
  void text(request).then(body =>
    response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body })),
  )
}

const bodyOf = async (answer: Awaited<ReturnType<Awaited<ReturnType<typeof start>>['ask']>>) =>
  (await readText(answer, 1_000_000)).text

test('a body is sent with its length, whatever the method', async () => {
  const { ask } = await start(echo)
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const told: unknown = JSON.parse(await bodyOf(await ask({ method, body: '{"ä":1}' })))
    expect(told).toMatchObject({ method, url: '/x?y=%20z', body: '{"ä":1}', headers: { 'content-length': '8' } })
  }
  const bytes = (async function* () {
    yield Buffer.from('in ')
    yield Buffer.from('pieces')
  })()
  expect(JSON.parse(await bodyOf(await ask({ method: 'POST', body: bytes })))).toMatchObject({ body: 'in pieces' })
  const { headers } = JSON.parse(await bodyOf(await ask())) as { headers: Record<string, string> }
  expect(headers).toMatchObject({
    accept: 'application/json',
    'accept-encoding': expect.stringContaining('gzip') as string,
  })
  expect(headers).not.toHaveProperty('content-length')
  expect(headers).not.toHaveProperty('transfer-encoding')
})

test('connections are reused for the next request', async () => {
  const ports = new Set<number | undefined>()
  const { ask } = await start((request, response) => {
    ports.add(request.socket.remotePort)
    response.end('{}')
  })
  for (let i = 0; i < 10; i += 1) await bodyOf(await ask())
  expect(ports.size).toBeLessThanOrEqual(2)
})

test('on a slow connection, reads use separate connections that no write takes', async () => {
  const ports: (number | undefined)[] = []
  let isSlow = true
  const { ask } = await start(
    (request, response) => {
      ports.push(request.socket.remotePort)
      response.end('{}')
    },
    { holds: () => isSlow },
  )
  await bodyOf(await ask())
  await bodyOf(await ask())
  await bodyOf(await ask({ method: 'POST', body: '{}' }))
  isSlow = false
  await bodyOf(await ask())
  const [first, second, ...others] = ports
  expect(others).not.toContain(first)
  expect(others).not.toContain(second)
})

test('encodings are decoded in order, unknown ones are kept, and too many are refused', async () => {
  const plain = 'good'.repeat(100)
  let [encoding, body]: [string, string | Buffer] = ['', '']
  const { ask } = await start((_request, response) => {
    response.writeHead(200, { 'content-encoding': encoding }).end(body)
  })
  ;[encoding, body] = ['zstd, X-Gzip', gzipSync(zstdCompressSync(plain))]
  expect(await bodyOf(await ask())).toBe(plain)
  ;[encoding, body] = ['secret', 'as it came']
  expect(await bodyOf(await ask())).toBe('as it came')
  ;[encoding, body] = [Array.from({ length: 6 }, () => 'gzip').join(','), '']
  await expect(ask().then(bodyOf)).rejects.toMatchObject({
    cause: { message: expect.stringContaining('content-encodings') as string },
  })
})

test('repeated headers are joined, and HEAD and 204 have no body', async () => {
  const { ask } = await start((request, response) => {
    response.writeHead(request.url === '/none' ? 204 : 200, { 'x-two': ['a', 'b'], 'Set-Cookie': ['c=1', 'd=2'] })
    response.end()
  })
  const answer = await ask()
  expect([answer.headers.get('X-Two'), answer.headers.get('set-cookie')]).toEqual(['a, b', 'c=1, d=2'])
  expect([answer.headers.get('x-three'), answer.headers.has('x-two')]).toEqual([null, true])
  expect((await ask({ method: 'HEAD' })).body).toBeNull()
})

test('characters that are invalid in a header are never sent', async () => {
  let asked = 0
  const { ask } = await start((_request, response) => {
    asked += 1
    response.end()
  })
  await expect(ask({ headers: plainHeaders({ evil: 'a\r\nb: c' }) })).rejects.toThrow(TypeError)
  expect(asked).toBe(0)
})

test('an aborted signal stops the request before it is sent, while pending, and in its body', async () => {
  let asked = 0
  const { ask, server } = await start((request, response) => {
    asked += 1
    if (request.method === 'POST') response.write('{')
  })
  const reason = new Error('enough')
  await expect(ask({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  expect(asked).toBe(0)
  const waiting = new AbortController()
  server.once('request', () => waiting.abort(reason))
  await expect(ask({ signal: waiting.signal })).rejects.toBe(reason)
  const reading = new AbortController()
  const answer = await ask({ method: 'POST', signal: reading.signal })
  const body = bodyOf(answer)
  reading.abort(reason)
  await expect(body).rejects.toBe(reason)
})

test('closing waits for a write in progress, and no request starts afterwards', async () => {
  let release = (): void => undefined
  const { http, ask, server } = await start((_request, response) => {
    release = () => void response.end('late')
  })
  const pending = ask({ method: 'POST', body: '{}' })
  await once(server, 'request')
  let isClosed = false
  const closing = http.close().then(() => (isClosed = true))
  await expect(ask()).rejects.toThrow('closed')
  expect(isClosed).toBe(false)
  release()
  expect(await bodyOf(await pending)).toBe('late')
  await closing
})

test('a connection that is not established in time is reported as such', async () => {
  // TLS waits for a handshake that this server never answers.
  const silent = createSocketServer(() => undefined).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => void silent.close())
  const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`
  const { ask } = await start(echo, { connectTimeoutMs: 50 })
  await expect(ask({ url })).rejects.toMatchObject({ cause: { code: 'UND_ERR_CONNECT_TIMEOUT' } })
})

test('closing aborts requests that do not end in time', async () => {
  const { http, ask, server } = await start(() => undefined, { closeGraceMs: 20 })
  const pending = ask({ method: 'POST', body: '{}' }).catch((error: unknown) => error)
  await once(server, 'request')
  await http.close()
  expect(await pending).toBeInstanceOf(Error)
})

test('closing waits for no read, however long a write may take', async () => {
  const { http, ask, server } = await start(() => undefined, { closeGraceMs: 600_000 })
  const pending = ask().catch((error: unknown) => error)
  await once(server, 'request')
  await http.close()
  expect(await pending).toBeInstanceOf(Error)
})
