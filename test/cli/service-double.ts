import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as the service saw it. */
export type SeenRequest = { method: string; path: string; headers: IncomingHttpHeaders }

/** A service on loopback that accepts one key and has no data, so that tests see which requests reach it and when. */
export async function openHttpServer(key: string, options: { date?: () => Date } = {}) {
  const seen: SeenRequest[] = []
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    seen.push({ method, path: url, headers })
    const isKnown = headers.authorization === `Bearer ${key}`
    if (options.date) response.setHeader('date', options.date().toUTCString())
    response.setHeader('content-type', 'application/json')
    response.statusCode = isKnown ? 200 : 401
    response.end(JSON.stringify(isKnown ? answerTo(url) : { code: 'UNAUTHORIZED', message: 'Unknown key.' }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    address: `http://${host}`,
    seen,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function answerTo(url: string): unknown {
  const { pathname } = new URL(url, 'http://x')
  if (pathname.endsWith('/me')) return { id: 'usr_1', name: 'Ada' }
  if (pathname.endsWith('/capabilities')) return { evalVocabulary: 2 }
  return pathname.endsWith('/eval-runs') ? [] : { items: [] }
}
