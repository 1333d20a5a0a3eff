import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'

export const goodRun = { id: 'r1', suiteId: 's1', status: 'running', createdAt: 1_700_000_000_000, extra: 'kept' }

type Behaviour = (response: ServerResponse, request: IncomingMessage, nth: number) => void

const json = { 'content-type': 'application/json' }
const text = JSON.stringify(goodRun)

function refuse(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { ...json, ...headers }).end(JSON.stringify(body))
}

/** What the server does for `/projects/p/eval-runs/{name}`. Nothing here depends on elapsed time. */
const behaviours = {
  good: response => response.writeHead(200, { ...json, 'x-request-id': 'req-7' }).end(text),
  chunked: response => {
    response.writeHead(200, json)
    for (const character of text) response.write(character)
    response.end()
  },
  gzip: response => response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(gzipSync(text)),
  br: response => response.writeHead(200, { ...json, 'content-encoding': 'br' }).end(brotliCompressSync(text)),
  deflate: response => response.writeHead(200, { ...json, 'content-encoding': 'deflate' }).end(deflateSync(text)),
  'bad-gzip': response => response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end('not gzip'),
  'cut-gzip': response =>
    response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(gzipSync(text).subarray(0, 30)),
  'bomb-gzip': response =>
    response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(4_000_000, 32))),
  'slow-headers': () => {},
  'slow-body': response => response.writeHead(200, json).write(text.slice(0, 20)),
  'slow-error-body': response => response.writeHead(503, json).write('{"code":'),
  'cut-body': response => {
    response.writeHead(200, { ...json, 'content-length': String(text.length) })
    response.write(text.slice(0, 20), () => response.socket?.end())
  },
  'cut-last': response => {
    response.writeHead(200, { ...json, 'content-length': String(text.length), connection: 'close' })
    response.write(text.slice(0, 20), () => response.socket?.end())
  },
  'cut-chunked': response => {
    response.writeHead(200, json)
    response.write(text.slice(0, 20), () => response.socket?.destroy())
  },
  'cut-error-body': response => {
    response.writeHead(409, { ...json, 'content-length': '500' })
    response.write('{"code":"CONFLICT"', () => response.socket?.destroy())
  },
  reset: response => response.socket?.resetAndDestroy(),
  closed: response => response.socket?.end(),
  'long-length': response => {
    response.socket?.end(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length + 50}\r\n\r\n${text}`)
  },
  'short-length': response => {
    response.socket?.end(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length - 9}\r\n\r\n${text}`)
  },
  'not-http': response => response.socket?.end('SSH-2.0-OpenSSH_9.9\r\n'),
  'huge-headers': response => response.writeHead(200, { ...json, 'x-filler': 'a'.repeat(200_000) }).end(text),
  'html-200': response =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Sign in</title>'),
  'html-502': response =>
    response.writeHead(502, { 'content-type': 'text/html' }).end('<html><h1>Bad gateway</h1></html>'),
  'truncated-json': response => response.writeHead(200, json).end(text.slice(0, -5)),
  'empty-200': response => response.writeHead(200).end(),
  'empty-204': response => response.writeHead(204).end(),
  'wrong-types': response =>
    response.writeHead(200, json).end(JSON.stringify({ ...goodRun, id: 7, summary: { total: 'many' } })),
  oversized: response =>
    response.writeHead(200, json).end(JSON.stringify({ ...goodRun, filler: 'x'.repeat(10_000_000) })),
  'odd-status': response => response.writeHead(799, json).end('{}'),
  'rate-with-hint': (response, _request, nth) =>
    nth < 2
      ? refuse(response, 429, { code: 'RATE_LIMITED', message: 'slow down' }, { 'retry-after': '0' })
      : response.writeHead(200, json).end(text),
  'rate-without-hint': response => refuse(response, 429, { code: 'RATE_LIMITED', message: 'slow down' }),
  'rate-until-tomorrow': response =>
    refuse(response, 429, { code: 'RATE_LIMITED', message: 'tomorrow' }, { 'retry-after': '40000' }),
  burst: (response, _request, nth) =>
    nth < 3
      ? refuse(response, 503, { code: 'INTERNAL_ERROR', message: 'busy' })
      : response.writeHead(200, json).end(text),
  down: response => refuse(response, 503, { code: 'INTERNAL_ERROR', message: 'busy' }),
  forbidden: response => refuse(response, 403, { code: 'FORBIDDEN', message: 'no' }),
  echo: (response, request) => response.writeHead(400).end(`<html>${String(request.headers.authorization)}</html>`),
  'echo-json': (response, request) =>
    refuse(response, 400, {
      code: 'VALIDATION_ERROR',
      message: `bad ${String(request.headers.authorization)}`,
      details: { header: request.headers.authorization },
    }),
  escape: response => response.writeHead(500).end('\u001b]0;owned\u0007plain'),
  deprecated: response => response.writeHead(200, { ...json, deprecation: 'true', link: '</next>' }).end(text),
} satisfies Record<string, Behaviour>

export type BehaviourName = keyof typeof behaviours | 'redirect'

/** A server on a real socket. The last path segment (or the one before `/cancel`) selects its behaviour. */
export async function startMisbehavingServer(redirectTo: string) {
  const seen: { name: string; method: string; headers: IncomingMessage['headers'] }[] = []
  const table: Record<string, Behaviour> = {
    ...behaviours,
    redirect: response => response.writeHead(302, { location: `${redirectTo}/elsewhere?token=t` }).end(),
  }
  const server = createServer((request, response) => {
    const name =
      request.url
        ?.replace(/\/(?:cancel|rerun)$/, '')
        .split('/')
        .at(-1) ?? ''
    seen.push({ name, method: request.method ?? '', headers: request.headers })
    const nth = seen.filter(item => item.name === name).length
    request.resume().on('end', () => table[name]?.(response, request, nth))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    seen,
    count: (name: BehaviourName) => seen.filter(item => item.name === name).length,
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
