import type { FetchLike } from '@modelcontextprotocol/client'
import { describeNetwork } from '../connections/failures.ts'
import { parseHeaders, parseServerUrl, type HttpTransport } from '../connections/http-request.ts'
import { sendWith } from '../connections/proofs.ts'

/** Handles the requests to a bridge. */
export type Behind = {
  answer(request: Request): Response | Promise<Response>
  /** Whether a request used a protocol version that is not supported here. */
  wasMisunderstood(): boolean
  /**
   * Number of sessions whose program ended unexpectedly. Later answers in them come from the bridge, not from the
   * server.
   */
  brokenSessions(): number
  close(): Promise<void>
}

/** Headers that apply to one connection only and are set again for the next connection (RFC 9110, 7.6.1). */
const OF_THE_REQUEST = ['host', 'origin', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']
/** Response headers that are dropped, because the body is already decoded. */
const OF_THE_ANSWER = ['connection', 'keep-alive', 'content-length', 'transfer-encoding', 'content-encoding']
/** Status codes of redirects that keep the method and body. */
const KEPT_REDIRECTS = [307, 308]
const MOST_REDIRECTS = 5

/** Forwards requests to a server over HTTP, with its headers and token, and streams its answers back. */
export function forwardTo(transport: HttpTransport): Behind {
  const address = parseServerUrl(transport)
  const own = parseHeaders(transport)
  return {
    async answer(request) {
      const headers = without(request.headers, OF_THE_REQUEST)
      const { method, signal } = request
      try {
        const token = await transport.accessToken?.()
        for (const [name, value] of own) headers.set(name, value)
        const body = method === 'POST' ? await request.arrayBuffer() : null
        // An own header is in the place of the token.
        const send = token && !own.has('authorization') ? sendWith(token, fetch) : fetch
        return passedBack(await sendWithin(address, { method, headers, body, signal, redirect: 'manual' }, send))
      } catch (error) {
        const why = describeNetwork(error) ?? 'was not answered'
        return new Response(`The request to the server ${why}.`, { status: 502 })
      }
    },
    wasMisunderstood: () => false,
    brokenSessions: () => 0,
    close: () => Promise.resolve(),
  }
}

/** Follows redirects only within the origin, because other origins must not get the headers. */
async function sendWithin(address: URL, init: RequestInit, send: FetchLike): Promise<Response> {
  let at = address
  for (let followed = 0; ; followed += 1) {
    const response = await send(at, init)
    const location = KEPT_REDIRECTS.includes(response.status) ? response.headers.get('location') : null
    const next = location === null ? null : URL.parse(location, at.href)
    if (next?.origin !== address.origin || followed === MOST_REDIRECTS) return response
    await response.body?.cancel()
    at = next
  }
}

function passedBack({ status, headers, body }: Response): Response {
  return new Response(body, { status, headers: without(headers, OF_THE_ANSWER) })
}

function without(headers: Headers, names: readonly string[]): Headers {
  const kept = new Headers(headers)
  for (const name of names) kept.delete(name)
  return kept
}
