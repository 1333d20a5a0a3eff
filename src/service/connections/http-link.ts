import type {
  FetchLike,
  JSONRPCMessage,
  RequestId,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  Transport,
} from '@modelcontextprotocol/client'
import { parseExact } from '../../lib/json.ts'
import { ServiceError } from '../core/errors.ts'
import { settlesWithin } from '../core/deadline.ts'
import { describeNetwork } from './failures.ts'
import { limitBody, parseHeaders, parseServerUrl, type HttpTransport, type BodyWatch } from './http-request.ts'
import { sendWith } from './proofs.ts'
import { credentialRefusal } from './refusals.ts'
import { type AccessToken, type McpLibrary, inMebibytes, REQUEST_BYTES, type Link } from './types.ts'
import type { Notices } from './notices.ts'
import { preciseNow, type Exchange, type Tap } from './traffic.ts'
import { createLineReader } from './stdio-link.ts'
import { isModern } from './versions.ts'
/** Milliseconds to wait for the answer to the end of a session, so that a silent server does not delay closing. */
const FAREWELL_MS = 1000
/**
 * Maximum size of the notifications and requests that a server sends without an answer between them, as a multiple of
 * the longest message.
 */
const MOST_CHATTER = 2

export type HttpLinkOptions = {
  library: McpLibrary
  serverName: string
  maxMessageBytes: number
  tap?: Tap | undefined
  notices: Notices
}

/**
 * A transport over HTTP. `parse` is read by the patched library. Only the Streamable HTTP transport has
 * `protocolVersion`.
 */
type Listened = Transport & { parse?: typeof parseExact; protocolVersion?: string | undefined }

/** Creates the parts that both HTTP transports share: credentials, limits, and the reason why the connection ended. */
function createHttpBase(http: HttpTransport, options: HttpLinkOptions) {
  let failure: ServiceError | undefined
  let closing: Promise<void> | undefined
  let onClose: () => Promise<void> = () => Promise.resolve()

  // Deferred by a microtask, so that a listener that calls `close` again gets the same promise.
  const close = () => (closing ??= Promise.resolve().then(() => onClose()))
  const fail = (error: ServiceError) => {
    if (closing) return
    failure ??= error
    void close()
  }
  const failWith = (message: string) =>
    fail(new ServiceError('SERVER_UNREACHABLE', `The server "${options.serverName}" ${message}`))

  const exchange = async (...[url, init]: Parameters<FetchLike>) => {
    const { tap, maxMessageBytes } = options
    const watch = tap?.isOpen() ? watchExchange(tap, maxMessageBytes, url, init) : undefined
    const response = await fetch(url, init).catch((error: unknown) => {
      if (!init?.signal?.aborted) watch?.failed(describeNetwork(error) ?? 'was not answered')
      throw error
    })
    if (watch) watches.set(response, watch)
    watch?.answered(response)
    return response
  }
  const watches = new WeakMap<Response, ExchangeWatch>()
  const discard = async (response: Response) => {
    watches.get(response)?.end()
    await response.body?.cancel()
  }
  /** The last two tokens: a request may be sent with the one before, whose key may be another one or none. */
  let tokens: AccessToken[] = []
  /** Returns another token, once, for one that was got without a person and that the server refused. */
  const renewed = async (first: Response, refused: AccessToken | undefined) => {
    if (first.status !== 401 || refused === undefined || !http.renewedToken) return undefined
    // Before another token is requested, which may fail.
    await discard(first)
    const token = await http.renewedToken(refused.value)
    return token?.value === refused.value ? undefined : token
  }

  const request: FetchLike = async (url, init) => {
    const { maxMessageBytes } = options
    const send = (token: AccessToken | undefined) => (token ? sendWith(token, exchange, discard) : exchange)(url, init)
    const value = bearerToken(init)
    const token = value === undefined ? undefined : (tokens.find(each => each.value === value) ?? { value })
    const first = await send(token)
    const again = await renewed(first, token)
    const response = again ? await send(again) : first
    const refused = { serverName: options.serverName, transport: http, signal: init?.signal ?? undefined }
    const refusal = await credentialRefusal(response, refused)
    if (!refusal) return withExactNumbers(limitBody(response, maxMessageBytes, failWith, count, watches.get(response)))
    await discard(response)
    throw refusal
  }
  const mostChatter = MOST_CHATTER * options.maxMessageBytes
  let chatter = 0
  const count = (bytes: number) => {
    chatter += bytes
    return chatter > mostChatter ? `sent more than ${inMebibytes(mostChatter)} without an answer.` : undefined
  }
  return {
    url: parseServerUrl(http),
    requestInit: { headers: parseHeaders(http) },
    authProvider: {
      async token() {
        const token = await http.accessToken?.()
        if (token) tokens = [token, ...tokens.filter(({ value }) => value !== token.value).slice(0, 1)]
        return token?.value
      },
    },
    request,
    fail,
    failWith,
    failure: () => failure,
    close,
    /**
     * Passes on answers, requests, and the notifications that the library needs. Too many other notifications would use
     * too much memory.
     */
    listen(transport: Listened, onAnswer?: (id: RequestId) => void) {
      // The patched library parses the events of a stream with this function.
      transport.parse = parseExact
      let listener: Transport['onmessage']
      const pass: Transport['onmessage'] = (message, extra) => {
        if (!('id' in message) && !('method' in message && options.notices.hear(message))) return
        if (!('method' in message)) {
          chatter = 0
          options.notices.answered(message)
          if ('id' in message && message.id !== undefined) onAnswer?.(message.id)
        } else {
          const tooMany = count(REQUEST_BYTES)
          if (tooMany) return failWith(tooMany)
        }
        listener?.(isModern(transport.protocolVersion ?? '') ? withType(message) : message, extra)
      }
      // The library's client replaces this handler and still calls the one that it replaced.
      Object.defineProperty(transport, 'onmessage', {
        configurable: true,
        get: () => listener && pass,
        set(given: Transport['onmessage']) {
          listener = given
        },
      })
    },
    whenClosing(run: () => Promise<void>) {
      onClose = run
    },
  }
}

/** Returns the token that the library put into a request. */
function bearerToken(init: RequestInit | undefined): string | undefined {
  return /^Bearer (.+)$/.exec(new Headers(init?.headers).get('authorization') ?? '')?.[1]
}

/**
 * Adds the type to a result that has none. MCP 2026-07-28 treats such a result as complete, but the library refuses it.
 */
function withType(message: JSONRPCMessage): JSONRPCMessage {
  if (!('result' in message) || 'resultType' in message.result) return message
  return { ...message, result: { resultType: 'complete', ...message.result } }
}

/** Makes `json` of a response keep exact numbers. Streams are parsed elsewhere. */
function withExactNumbers(response: Response): Response {
  return Object.assign(response, { json: async () => parseExact(await response.text()) })
}

/**
 * Creates a Streamable HTTP connection. A redirect is followed within the origin only (the library's default policy).
 */
export function createStreamableLink(http: HttpTransport, options: HttpLinkOptions): Link {
  const { url, request, authProvider, requestInit, ...base } = createHttpBase(http, options)
  const { StreamableHTTPClientTransport } = options.library
  const transport = new StreamableHTTPClientTransport(url, { authProvider, requestInit, fetch: request })
  const answered = failOnUnansweredRequest(transport, options.library, () =>
    base.failWith('ended its answer before it was complete.'),
  )
  base.listen(transport, answered)
  base.whenClosing(async () => {
    if (base.failure() === undefined) await settlesWithin(transport.terminateSession(), FAREWELL_MS)
    await transport.close()
  })
  return { kind: 'streamable-http', transport, notices: options.notices, failure: base.failure, close: base.close }
}

/** Creates a connection over the older HTTP transport with one event stream, for servers that support nothing newer. */
export function createSseLink(http: HttpTransport, options: HttpLinkOptions): Link {
  const { url, request, authProvider, requestInit, ...base } = createHttpBase(http, options)
  const { SSEClientTransport, SseError } = options.library
  const fetchOrFail: FetchLike = async (address, init) => {
    try {
      return await request(address, init)
    } catch (error) {
      // The event source replaces the service's error with its own one and then retries forever.
      if (error instanceof ServiceError) base.fail(error)
      throw error
    }
  }
  const transport: SSEClientTransport = new SSEClientTransport(url, { authProvider, requestInit, fetch: fetchOrFail })
  base.listen(transport)
  transport.onerror = error => {
    if (!(error instanceof SseError)) return
    // The event source reconnects by itself, but to a new session, which never answers the earlier requests.
    base.failWith(error.code ? `answered HTTP ${error.code} to the event stream.` : 'ended its event stream.')
  }
  base.whenClosing(() => transport.close())
  return { kind: 'sse', transport, notices: options.notices, failure: base.failure, close: base.close }
}

/**
 * Fails the connection if the stream of a request ends without its answer. The library would leave the request pending.
 * @returns the observer of answers
 */
function failOnUnansweredRequest(
  transport: StreamableHTTPClientTransport,
  library: McpLibrary,
  fail: () => void,
): (id: RequestId) => void {
  const unanswered = new Set<RequestId>()
  const send = transport.send.bind(transport)
  transport.send = async (message: JSONRPCMessage | JSONRPCMessage[], options) => {
    if (Array.isArray(message) || !library.isJSONRPCRequest(message)) return send(message, options)
    const { id } = message
    unanswered.add(id)
    const onRequestStreamEnd = () => {
      if (unanswered.delete(id)) fail()
    }
    try {
      await send(message, { ...options, onRequestStreamEnd })
    } catch (error) {
      unanswered.delete(id)
      throw error
    }
  }
  return id => void unanswered.delete(id)
}

/** Records one HTTP exchange while it is in progress. */
type ExchangeWatch = BodyWatch & { answered(response: Response): void; failed(problem: string): void }

/**
 * Records an HTTP request and the messages of its answer: each event of a stream, else the body.
 * @param limit longest line of a stream in bytes
 */
export function watchExchange(tap: Tap, limit: number, url: string | URL, init?: RequestInit): ExchangeWatch {
  const { method = 'GET', body, headers: requestHeaders } = init ?? {}
  const exchange: Exchange = { method, url: String(url), requestHeaders, at: preciseNow() }
  if (typeof body === 'string') tap.frame('sent', body, exchange)
  const received = (message: string | Buffer) => tap.frame('received', message, exchange)
  let bodyOf: BodyWatch | undefined
  return {
    answered(response) {
      const { status, headers } = response
      Object.assign(exchange, { status, responseHeaders: headers, durationMs: preciseNow() - exchange.at })
      const isStream = headers.get('content-type')?.startsWith('text/event-stream') ?? false
      bodyOf = isStream ? watchEvents(limit, received) : watchBody(status >= 400, received)
    },
    failed(problem) {
      exchange.problem = problem
      received('')
    },
    chunk: bytes => bodyOf?.chunk(bytes),
    end: () => bodyOf?.end(),
  }
}

function watchEvents(limit: number, received: (message: string) => void): BodyWatch {
  let data: string[] = []
  const end = (): void => {
    if (data.length > 0) received(data.join('\n'))
    data = []
  }
  const reader = createLineReader(limit, line => {
    if (line.startsWith('data:')) data.push(line.slice('data:'.length).trim())
    else if (line.trim() === '') end()
  })
  return { chunk: bytes => void reader.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)), end }
}

/** @param always whether an empty body is recorded too, such as that of a refusal */
function watchBody(always: boolean, received: (message: Buffer) => void): BodyWatch {
  const chunks: Uint8Array[] = []
  let hasEnded = false
  return {
    chunk: bytes => void chunks.push(bytes),
    end() {
      if (!hasEnded && (always || chunks.length > 0)) received(Buffer.concat(chunks))
      hasEnded = true
      chunks.length = 0
    },
  }
}
