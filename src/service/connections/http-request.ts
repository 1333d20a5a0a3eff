import type { FetchLike } from '@modelcontextprotocol/client'
import { ServiceError } from '../core/errors.ts'
import { sendWith } from './proofs.ts'
import { inMebibytes, type AccessToken, type ServerTransport } from './types.ts'

/** The part of `WWW-Authenticate` that says which tokens a server accepts (RFC 6750, RFC 9449, RFC 9728). */
type TokenChallenge = {
  /** Addresses at which the server's metadata may be. A server may name none or several. */
  metadataUrls: readonly URL[]
  scope: string | undefined
  error: string | undefined
  /** All schemes of the answer, in lower case. */
  schemes: readonly string[]
}

/** The schemes that ask for a token. */
const TOKENS: ReadonlySet<string> = new Set(['bearer', 'dpop'])

/** Matches one scheme or one parameter. A challenge consists of only these two (RFC 9110, 11.6.1). */
const PART = /([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?\s*,?\s*/gy

/** Returns the challenges of an answer that ask for a token, merged into one, since a header may contain several. */
export function bearerChallenge({ headers }: Pick<Response, 'headers'>): TokenChallenge {
  const found: [name: string, value: string][] = []
  const schemes: string[] = []
  for (const [, word = '', quoted, plain] of (headers.get('www-authenticate') ?? '').matchAll(PART)) {
    const value = quoted?.replaceAll(/\\(.)/g, '$1') ?? plain
    if (value === undefined) schemes.push(word.toLowerCase())
    else if (TOKENS.has(schemes.at(-1) ?? '')) found.push([word.toLowerCase(), value])
  }
  const all = (name: string) => found.flatMap(([each, value]) => (each === name && value !== '' ? [value] : []))
  return {
    metadataUrls: all('resource_metadata').flatMap(text => URL.parse(text) ?? []),
    scope: all('scope')[0],
    error: all('error')[0],
    schemes,
  }
}

export type BodyWatch = { chunk(bytes: Uint8Array): void; end(): void }

export type HttpTransport = Extract<ServerTransport, { type: 'http' }>

/**
 * Parses the server's address. Throws `VALIDATION_ERROR` if it is invalid or contains credentials: they belong in
 * headers, where a redirect cannot leak them.
 */
export function parseServerUrl(transport: HttpTransport): URL {
  const url = URL.parse(transport.url)
  const problem =
    url === null || !['http:', 'https:'].includes(url.protocol)
      ? 'is not an http or https address'
      : url.username || url.password
        ? 'carries a user name or password; put credentials into headers'
        : undefined
  if (url === null || problem) {
    throw new ServiceError('VALIDATION_ERROR', `The server's url ${problem}.`, { details: { field: 'url' } })
  }
  return url
}

/** The header with which each request names the protocol version. */
const VERSION_HEADER = 'mcp-protocol-version'

/** Returns the protocol version that a header of the server pins; undefined if it may be negotiated. */
export function pinnedVersion({ headers }: HttpTransport): string | undefined {
  const [, version] = Object.entries(headers).find(([name]) => name.toLowerCase() === VERSION_HEADER) ?? []
  return version?.trim()
}

/**
 * Parses the headers of a server. The header that pins the version is left out, since the protocol library sends it.
 * Errors do not quote the value, which may be a secret, as the runtime's own error would.
 */
export function parseHeaders(transport: HttpTransport): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(transport.headers)) {
    try {
      headers.set(name, value)
    } catch {
      throw new ServiceError('VALIDATION_ERROR', `The header "${name}" has a name or value that cannot be sent.`, {
        details: { field: 'headers' },
      })
    }
  }
  headers.delete(VERSION_HEADER)
  return headers
}

/** Returns an address without its query, fragment, user name and password. */
export function displayUrl(url: URL): string {
  return url.origin + url.pathname
}

/**
 * Returns the response with a body that fails beyond the limit. In a stream the limit applies to each event.
 * @param countEvents called with the number of new bytes of a stream; returns the reason if they are too many
 * @param watch called with all bytes
 */
export function limitBody(
  response: Response,
  maxBytes: number,
  onExcess: (message: string) => void,
  countEvents?: (bytes: number) => string | undefined,
  watch?: BodyWatch,
): Response {
  if (!response.body) {
    watch?.end()
    return response
  }
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  const count = isStream ? eventLength() : totalLength()
  const limited = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        watch?.chunk(chunk)
        const tooMany = isStream ? countEvents?.(chunk.length) : undefined
        if (!tooMany && count(chunk) <= maxBytes) return controller.enqueue(chunk)
        const message = tooMany ?? `answered more than ${inMebibytes(maxBytes)} in one message.`
        controller.error(new Error(message))
        onExcess(message)
      },
      flush: () => watch?.end(),
      cancel: () => watch?.end(),
    }),
  )
  const { status, statusText, headers } = response
  return new Response(limited, { status, statusText, headers })
}

function totalLength(): (chunk: Uint8Array) => number {
  let total = 0
  return chunk => (total += chunk.length)
}

/** Returns a function that counts the bytes of the current event, which ends at a blank line. */
function eventLength(): (chunk: Uint8Array) => number {
  let length = 0
  let previous = ''
  return chunk => {
    // A chunk may end within a blank line, so its last line end is kept. Carriage returns are dropped.
    const text = previous + Buffer.from(chunk).toString('latin1').replaceAll('\r', '')
    const end = text.lastIndexOf('\n\n')
    length = end === -1 ? length + chunk.length : text.length - end - 2
    previous = text.endsWith('\n') ? '\n' : ''
    return length
  }
}

/**
 * Sends a `ping` outside of any session, to find out whether and how the address answers. Redirects are not followed.
 */
export async function probeHttp(
  transport: HttpTransport,
  options: { signal?: AbortSignal; accessToken?: AccessToken | undefined; fetchFn?: FetchLike },
): Promise<Response> {
  const { signal, accessToken, fetchFn = fetch } = options
  const headers = parseHeaders(transport)
  headers.set('content-type', 'application/json')
  headers.set('accept', 'application/json, text/event-stream')
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' })
  const init: RequestInit = { method: 'POST', headers, body, redirect: 'manual', ...(signal && { signal }) }
  const send = accessToken ? sendWith(accessToken, fetchFn) : fetchFn
  const response = await send(parseServerUrl(transport), init)
  await response.body?.cancel()
  return response
}
