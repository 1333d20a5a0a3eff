import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { ServerType } from '@hono/node-server'
import type { ApiRequest } from '../../api/contract/message.ts'
import type { WholeResponse } from '../../service/core/pipeline.ts'

/** Answers a request; undefined if it did what there is to do with `outgoing` itself. */
type Answer = (request: ApiRequest, outgoing: ServerResponse) => Promise<WholeResponse | undefined>

/**
 * A server of HTTP that writes answers as they are: to make Node's own `Response` of each, and take it apart again,
 * cost more than most answers themselves. What it needs is loaded here, because only `serve` and the worker want it.
 */
export async function createHttpServer(answer: Answer): Promise<ServerType> {
  const [{ createAdaptorServer }, { RESPONSE_ALREADY_SENT }] = await Promise.all([
    import('@hono/node-server'),
    import('@hono/node-server/utils/response'),
  ])
  return createAdaptorServer({
    overrideGlobalObjects: false,
    fetch: async (request, { outgoing }) => {
      // Without HTTP/2 it is nothing else.
      const to = outgoing as ServerResponse
      const response = await answer(readable(request), to)
      if (response) to.writeHead(response.status, headersOf(response)).end(response.body)
      return RESPONSE_ALREADY_SENT
    },
  })
}

/** The headers of an answer as `writeHead` takes them. */
export function headersOf({ headers }: WholeResponse): Record<string, string> {
  return Object.fromEntries(headers)
}

/** Only a request that has a body is asked for it: the adaptor makes a whole `Request` then. */
function readable(request: Request): ApiRequest {
  const { method, url, headers } = request
  if (method !== 'GET' && method !== 'HEAD') return request
  return {
    method,
    url,
    headers,
    body: null,
    // Made when somebody asks; most handlers end before anybody could hang up.
    get signal() {
      return request.signal
    },
  }
}

/** How long open requests are waited for when a server stops, in milliseconds. */
const OPEN_REQUESTS_MS = 5000

/**
 * Takes no more connections and lets those that are open finish; after a while what is still open is cut: half-sent
 * requests, slow readers, answers without an end.
 */
export function stopListening(server: ServerType): { closed: Promise<unknown>; cut: () => void } {
  const closed = once(server, 'close')
  const cut = () => {
    if ('closeAllConnections' in server) server.closeAllConnections()
  }
  server.close()
  if ('closeIdleConnections' in server) server.closeIdleConnections()
  const late = setTimeout(cut, OPEN_REQUESTS_MS)
  return { closed: closed.finally(() => clearTimeout(late)), cut }
}
