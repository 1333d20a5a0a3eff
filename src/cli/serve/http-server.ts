import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { ApiHeaders, ApiRequest } from '../../api/contract/message.ts'
import type { WholeResponse } from '../../service/core/pipeline.ts'

/** Answers a request; undefined where it did what there is to do with `outgoing` itself. */
type Answer = (request: ApiRequest, outgoing: ServerResponse) => Promise<WholeResponse | undefined>

/** How long the rest of a body that nobody reads may take once its request is answered, in milliseconds. */
const UNREAD_BODY_MS = 2000

/**
 * A server of Node's HTTP whose requests and answers go to the service as they are: to make Node's own `Request` and
 * `Response` of them, and take these apart again, cost more than most answers themselves.
 */
export function createHttpServer(answer: Answer): Server {
  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const url = addressOf(incoming)
    if (url === undefined) {
      outgoing.writeHead(400).end()
      return
    }
    const response = await answer(requestOf(url, incoming, outgoing), outgoing)
    if (response) outgoing.writeHead(response.status, headersOf(response)).end(response.body)
  }
  // A header that comes twice is one of both values, and not the first of them alone.
  return createServer({ joinDuplicateHeaders: true }, (incoming, outgoing) => {
    outgoing.once('finish', () => endUnread(incoming))
    respond(incoming, outgoing).catch(() => {
      if (outgoing.headersSent) outgoing.destroy()
      else outgoing.writeHead(500).end()
    })
  })
}

/** The headers of an answer as `writeHead` takes them. */
export function headersOf({ headers }: WholeResponse): Record<string, string> {
  return Object.fromEntries(headers)
}

/** Host and port as they may stand in an address; all that would mean something else there is refused. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i

/** The whole address that was asked for; undefined where the request names none. */
function addressOf({ url: target = '', headers: { host = '' } }: IncomingMessage): string | undefined {
  const isWhole = /^https?:\/\//.test(target)
  if (!isWhole && !(target.startsWith('/') && HOST.test(host))) return undefined
  // In an address it would be a slash, which the path as it was sent is not.
  if (/^[^?]*\\/.test(target)) return undefined
  const url = isWhole ? target : `http://${host}${target}`
  return URL.canParse(url) ? url : undefined
}

/** What nobody asks for is not made: most handlers look at a few headers, and end before anybody could hang up. */
function requestOf(url: string, incoming: IncomingMessage, outgoing: ServerResponse): ApiRequest {
  const { method = '' } = incoming
  let signal: AbortSignal | undefined
  return {
    method,
    url,
    headers: sentHeaders(incoming),
    // An answer may leave the rest of it unread and needs its connection still.
    body: method === 'GET' || method === 'HEAD' ? null : incoming.iterator({ destroyOnReturn: false }),
    get signal() {
      return (signal ??= hangingUp(incoming, outgoing))
    },
  }
}

/** Node has their names in lower case; only a header that no request should have is a list. */
function sentHeaders({ headers }: IncomingMessage): ApiHeaders {
  const get = (name: string) => headers[name.toLowerCase()]?.toString() ?? null
  return {
    get,
    has: name => get(name) !== null,
    [Symbol.iterator]: () =>
      Object.keys(headers)
        .map((name): [string, string] => [name, get(name) ?? ''])
        .values(),
  }
}

/** Aborts when the caller is gone before it has its answer. */
function hangingUp(incoming: IncomingMessage, outgoing: ServerResponse): AbortSignal {
  const gone = new AbortController()
  const look = () => {
    if (!outgoing.writableFinished) gone.abort()
  }
  if (outgoing.closed || incoming.errored) look()
  else outgoing.once('close', look)
  return gone.signal
}

/** Lets a body arrive whose answer is given, for a while: the connection serves the next request only behind it. */
function endUnread(incoming: IncomingMessage): void {
  if (incoming.complete) return
  incoming.resume()
  const late = setTimeout(() => incoming.destroy(), UNREAD_BODY_MS).unref()
  incoming.once('close', () => clearTimeout(late))
}

/** How long open requests are waited for when a server stops, in milliseconds. */
const OPEN_REQUESTS_MS = 5000

/**
 * Takes no more connections and lets those that are open finish; after a while what is still open is cut: half-sent
 * requests, slow readers, answers without an end.
 */
export function stopListening(server: Server): { closed: Promise<unknown>; cut: () => void } {
  const closed = once(server, 'close')
  const cut = () => server.closeAllConnections()
  server.close()
  server.closeIdleConnections()
  const late = setTimeout(cut, OPEN_REQUESTS_MS)
  return { closed: closed.finally(() => clearTimeout(late)), cut }
}
