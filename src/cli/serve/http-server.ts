import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { ServerType } from '@hono/node-server'
import type { ApiRequest } from '../../api/contract/message.ts'
import type { WholeResponse } from '../../service/core/pipeline.ts'

/** Answers a request; returns undefined if it already handled `outgoing` itself. */
type Answer = (request: ApiRequest, outgoing: ServerResponse) => Promise<WholeResponse | undefined>

/**
 * Creates an HTTP server that writes answers directly: creating a Node `Response` for each and taking it apart again
 * would cost more than most answers themselves. Modules are loaded here because only `serve` and the worker need them.
 */
export async function createHttpServer(answer: Answer): Promise<ServerType> {
  const [{ createAdaptorServer }, { RESPONSE_ALREADY_SENT }] = await Promise.all([
    import('@hono/node-server'),
    import('@hono/node-server/utils/response'),
  ])
  return createAdaptorServer({
    overrideGlobalObjects: false,
    fetch: async (request, { outgoing }) => {
      // Without HTTP/2 the response always has this type.
      const to = outgoing as ServerResponse
      const response = await answer(readable(request), to)
      if (response) to.writeHead(response.status, headersOf(response)).end(response.body)
      return RESPONSE_ALREADY_SENT
    },
  })
}

/** Returns the headers of an answer in the format of `writeHead`. */
export function headersOf({ headers }: WholeResponse): Record<string, string> {
  return Object.fromEntries(headers)
}

/** Converts a request. The body is read only if there is one: the adaptor then creates a whole `Request`. */
function readable(request: Request): ApiRequest {
  const { method, url, headers } = request
  if (method !== 'GET' && method !== 'HEAD') return request
  return {
    method,
    url,
    headers,
    body: null,
    // Created on demand; most handlers end before a caller could hang up.
    get signal() {
      return request.signal
    },
  }
}

/** Milliseconds to wait for open requests when a server stops. */
const OPEN_REQUESTS_MS = 5000

/**
 * Accepts no more connections and lets open ones finish. After a while cuts what is still open: half-sent requests,
 * slow readers, answers without an end.
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
