import type {
  FetchLike,
  JSONRPCMessage,
  RequestId,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { ServiceError } from '../core/errors.ts'
import { settlesWithin } from '../core/deadline.ts'
import { credentialRefusal, limitBody, parseHeaders, parseServerUrl, type HttpTransport } from './http-request.ts'
import type { McpLibrary } from './library.ts'
import type { Link } from './types.ts'

/** A server that does not answer the farewell must not hold up ours. */
const FAREWELL_MS = 1000

export type HttpLinkOptions = {
  library: McpLibrary
  serverName: string
  /** Longest message in bytes. */
  maxMessageBytes: number
}

/** The part that both HTTP transports share: credentials, limits, and what ended the connection. */
function createHttpBase(http: HttpTransport, options: HttpLinkOptions) {
  let failure: ServiceError | undefined
  let closing: Promise<void> | undefined
  let onClose: () => Promise<void> = () => Promise.resolve()

  // Deferred by a microtask, so that whoever hears of the end and closes in turn finds it under way.
  const close = () => (closing ??= Promise.resolve().then(() => onClose()))
  const fail = (error: ServiceError) => {
    if (closing) return
    failure ??= error
    void close()
  }
  const failWith = (message: string) =>
    fail(new ServiceError('SERVER_UNREACHABLE', `The server "${options.serverName}" ${message}`))

  const request: FetchLike = async (url, init) => {
    const response = await fetch(url, init)
    const refusal = credentialRefusal(response.status, options.serverName)
    if (!refusal) return limitBody(response, options.maxMessageBytes, failWith)
    await response.body?.cancel()
    throw refusal
  }
  return {
    url: parseServerUrl(http),
    requestInit: { headers: parseHeaders(http) },
    authProvider: { token: async () => http.accessToken?.() },
    request,
    fail,
    failWith,
    failure: () => failure,
    close,
    whenClosing(run: () => Promise<void>) {
      onClose = run
    },
  }
}

/** Streamable HTTP; a redirect is followed within the origin only (the library's default policy). */
export function createStreamableLink(http: HttpTransport, options: HttpLinkOptions): Link {
  const { url, request, authProvider, requestInit, ...base } = createHttpBase(http, options)
  const { StreamableHTTPClientTransport } = options.library
  const transport = new StreamableHTTPClientTransport(url, { authProvider, requestInit, fetch: request })
  failOnUnansweredRequest(transport, options.library, () => base.failWith('ended its answer before it was complete.'))
  base.whenClosing(async () => {
    if (base.failure() === undefined) await settlesWithin(transport.terminateSession(), FAREWELL_MS)
    await transport.close()
  })
  return { kind: 'streamable-http', transport, failure: base.failure, close: base.close }
}

/** The older transport with one event stream, for servers that have only that. */
export function createSseLink(http: HttpTransport, options: HttpLinkOptions): Link {
  const { url, request, authProvider, requestInit, ...base } = createHttpBase(http, options)
  const { SSEClientTransport, SseError } = options.library
  const fetchOrFail: FetchLike = async (address, init) => {
    try {
      return await request(address, init)
    } catch (error) {
      // The event source would hide a refusal behind its own error and try again for ever.
      if (error instanceof ServiceError) base.fail(error)
      throw error
    }
  }
  const transport: SSEClientTransport = new SSEClientTransport(url, { authProvider, requestInit, fetch: fetchOrFail })
  transport.onerror = error => {
    if (!(error instanceof SseError)) return
    // The event source reconnects by itself, but to a new session: what was asked is never answered.
    base.failWith(error.code ? `answered HTTP ${error.code} to the event stream.` : 'ended its event stream.')
  }
  base.whenClosing(() => transport.close())
  return { kind: 'sse', transport, failure: base.failure, close: base.close }
}

/** The library leaves a request pending when its own stream ends without the answer. */
function failOnUnansweredRequest(
  transport: StreamableHTTPClientTransport,
  library: McpLibrary,
  fail: () => void,
): void {
  const unanswered = new Set<RequestId>()
  const send = transport.send.bind(transport)
  transport.onmessage = message => {
    if (library.isJSONRPCResponse(message) && message.id !== undefined) unanswered.delete(message.id)
  }
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
}
