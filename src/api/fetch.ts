import { refusal } from './api-error.ts'

/** How a client reaches a service: over the network, or a service's own function in the same process. */
export type Fetch = (request: Request) => Promise<Response>

export type HttpFetch = {
  fetch: Fetch
  /** Closes the kept connections; requests under way end first. */
  close: () => Promise<void>
}

export type HttpFetchOptions = {
  /** When given, every other origin is refused, so that a key cannot leave the address it belongs to. */
  baseUrl?: string
  /** Longest wait for a connection, in milliseconds. */
  connectTimeoutMs?: number
}

/**
 * HTTP over kept connections. Redirects come back as they are, never followed; gzip, deflate, br and
 * zstd bodies are decoded. undici loads with the first request, because it costs tens of milliseconds.
 */
export function createHttpFetch({ baseUrl, connectTimeoutMs = 10_000 }: HttpFetchOptions = {}): HttpFetch {
  const origin = baseUrl === undefined ? undefined : new URL(baseUrl).origin
  let connections: ReturnType<typeof open> | undefined
  return {
    fetch: async request => {
      if (origin !== undefined && new URL(request.url).origin !== origin)
        throw refusal('foreign-address', `The address is not below ${origin}.`)
      connections ??= open(connectTimeoutMs)
      return await send(request, await connections)
    },
    close: async () => {
      await (await connections)?.agent.close()
    },
  }
}

async function open(connectTimeout: number) {
  const { Agent, fetch } = await import('undici')
  // Deadlines belong to the transport; HTTP/1.1 keeps one request on a connection, so a fault concerns only that one.
  const agent = new Agent({ connectTimeout, headersTimeout: 0, bodyTimeout: 0, allowH2: false })
  return { agent, fetch }
}

async function send(request: Request, { agent, fetch }: Awaited<ReturnType<typeof open>>): Promise<Response> {
  const body = request.body === null ? null : await request.arrayBuffer()
  const response = await fetch(request.url, {
    method: request.method,
    headers: [...request.headers],
    body,
    signal: request.signal,
    redirect: 'manual',
    dispatcher: agent,
  })
  return response
}
