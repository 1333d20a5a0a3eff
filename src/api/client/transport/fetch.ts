import { refusal } from '../errors/api-error.ts'
import type { ApiBody, ApiRequest, ApiResponse } from '../../contract/message.ts'

/** Sends a request to a service: over the network, or to a service in the same process. */
export type Fetch = (request: ApiRequest) => Promise<ApiResponse>

export type HttpFetch = {
  fetch: Fetch
  /** Closes the kept connections. Reads in progress are aborted at once, and writes after a moment. */
  close: () => Promise<void>
  /** Aborts when the connections start to close. */
  closing: AbortSignal
}

export type HttpFetchOptions = {
  /** If given, every other origin is refused, so that a key cannot leave the address it belongs to. */
  baseUrl?: string
  /** A Unix socket for requests to any address. The connections that `holds` keeps open do not use it. */
  socketPath?: string
  /** Whether connections for reads are kept open between two polls, because a new one takes long on a slow line. */
  holds?: () => boolean
  /** Milliseconds to wait for a connection. */
  connectTimeoutMs?: number
  /** Milliseconds that writes in progress have to end when the connections close. Reads are aborted at once. */
  closeGraceMs?: number
}

/**
 * Creates a fetch over kept HTTP connections. Redirects are returned, not followed. undici loads with the first
 * request.
 */
export function createHttpFetch({
  baseUrl,
  socketPath,
  holds = () => false,
  connectTimeoutMs = 10_000,
  closeGraceMs = 300,
}: HttpFetchOptions = {}): HttpFetch {
  const origin = baseUrl === undefined ? undefined : new URL(baseUrl).origin
  let connections: ReturnType<typeof open> | undefined
  let closing: Promise<void> | undefined
  const [reads, writes] = [new AbortController(), new AbortController()]
  const close = async () => {
    // Destroying an agent that is already closing does not reach its connections, so each request is aborted
    // separately.
    const grace = setTimeout(() => writes.abort(closed()), closeGraceMs)
    reads.abort(closed())
    const opened = await connections
    await Promise.all([opened?.agent.close(), opened?.held.close()])
    clearTimeout(grace)
  }
  return {
    fetch: async request => {
      const url = new URL(request.url)
      if (origin !== undefined && url.origin !== origin)
        throw refusal('foreign-address', `The address is not below ${origin}.`)
      if (closing) throw closed()
      connections ??= open(connectTimeoutMs, socketPath)
      const cutOff = request.method === 'GET' ? reads : writes
      const signal = AbortSignal.any([request.signal, cutOff.signal])
      const { fetch, agent, held } = await connections
      // A write uses no connection that was idle for long and may be dead, since its outcome would be in doubt.
      const dispatcher = request.method === 'GET' && holds() ? held : agent
      return await send({ ...request, signal }, fetch, dispatcher)
    },
    close: () => (closing ??= close()),
    closing: reads.signal,
  }
}

/**
 * Milliseconds that a connection is kept: more than the pause between polls of a screen, less than load balancers wait.
 */
const HELD_MS = 55_000

const closed = () => new Error('The connections are closed.')

async function open(connectTimeout: number, socketPath: string | undefined) {
  const { Agent, fetch } = await import('undici')
  // Deadlines belong to the transport. HTTP/1.1 has one request at a time on a connection, so a fault affects only that
  // one.
  const limits = { connectTimeout, headersTimeout: 0, bodyTimeout: 0, allowH2: false }
  const agent = new Agent({ ...limits, ...(socketPath !== undefined && { connect: { socketPath } }) })
  return { agent, held: new Agent({ ...limits, keepAliveTimeout: HELD_MS }), fetch }
}

type Opened = Awaited<ReturnType<typeof open>>

async function send(
  { url, method, headers, body, signal }: ApiRequest,
  fetch: Opened['fetch'],
  dispatcher: Opened['agent'],
): Promise<ApiResponse> {
  return await fetch(url, {
    method,
    headers: [...headers],
    body: await wholeBody(body),
    signal,
    redirect: 'manual',
    dispatcher,
  })
}

/** Reads the body before it is sent, so that its length is known. */
async function wholeBody(body: ApiBody): Promise<string | Uint8Array | null> {
  if (body === null || typeof body === 'string') return body
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}
