import { describeNetwork } from '../connections/failures.ts'
import { parseHeaders, parseServerUrl, type HttpTransport } from '../connections/http-request.ts'

/** What is behind a bridge: answers requests in the server's place. */
export type Behind = {
  answer(request: Request): Response | Promise<Response>
  /** Whether something was asked in a version of the protocol that goes nowhere here. */
  wasMisunderstood(): boolean
  /** Sessions whose program ended by itself: what was answered for it is none of its answers. */
  brokenSessions(): number
  close(): Promise<void>
}

/** What belongs to one connection, or is said again for the next one (RFC 9110, 7.6.1). */
const OF_THE_REQUEST = ['host', 'origin', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']
/** The body arrives decoded. */
const OF_THE_ANSWER = ['connection', 'keep-alive', 'content-length', 'transfer-encoding', 'content-encoding']
/** Redirects that keep method and body. */
const KEPT_REDIRECTS = [307, 308]
const MOST_REDIRECTS = 5

/** Passes requests on to a server over HTTP, with its headers and token, and its answers back as they come. */
export function forwardTo(transport: HttpTransport): Behind {
  const address = parseServerUrl(transport)
  const own = parseHeaders(transport)
  return {
    async answer(request) {
      const headers = without(request.headers, OF_THE_REQUEST)
      const { method, signal } = request
      try {
        const token = await transport.accessToken?.()
        if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
        for (const [name, value] of own) headers.set(name, value)
        const body = method === 'POST' ? await request.arrayBuffer() : null
        return passedBack(await sendWithin(address, { method, headers, body, signal, redirect: 'manual' }))
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

/** Follows redirects within the origin alone: another one must not get the headers. */
async function sendWithin(address: URL, init: RequestInit): Promise<Response> {
  let at = address
  for (let followed = 0; ; followed += 1) {
    const response = await fetch(at, init)
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
