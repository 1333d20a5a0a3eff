import { ApiError } from './api-error.ts'
import type { AnyEndpoint, OutputOf } from './contract/endpoint.ts'
import { ErrorBody } from './contract/error.ts'
import type { AnswerShape, FieldIssue, InvalidResponseCode } from './error-kinds.ts'
import { fieldIssues, summarizeIssues } from './field-issues.ts'
import { printable } from './printable.ts'
import { parseRetryAfter, rateLimitOf } from './rate-limit.ts'

/** A good answer. */
export type Answer<E extends AnyEndpoint = AnyEndpoint> = {
  value: OutputOf<E>
  /** The body as received. */
  text: string
  status: number
  requestId: string | undefined
}

type Received = {
  endpoint: AnyEndpoint
  response: Response
  hideKey: (text: string) => string
}

const EXCERPT_CHARACTERS = 2_000
const REQUEST_ID_HEADERS = ['x-request-id', 'request-id', 'x-correlation-id', 'x-amzn-requestid', 'cf-ray']

/** Body text up to a limit in decoded bytes; `complete` is false when there was more. */
export async function readText(
  response: Response,
  maxBytes: number,
): Promise<{ text: string; complete: boolean }> {
  if (!response.body) return { text: '', complete: true }
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  // Leaving the loop early cancels the stream, which frees its connection.
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) return { text, complete: false }
    text += decoder.decode(chunk, { stream: true })
  }
  return { text: text + decoder.decode(), complete: true }
}

/** Reads a success body as the contract's answer; fields that the contract does not name survive. */
export function parseAnswer<E extends AnyEndpoint>(
  received: Received & { endpoint: E },
  text: string,
): Answer<E> {
  const { endpoint, response } = received
  const json = parseJson(text)
  if (!json.ok && text.trim() !== '') {
    const html = looksLikeHtml(response, text)
    const message = html ? 'The answer is an HTML page, not JSON.' : 'The answer is not complete JSON.'
    throw invalidResponse(received, html ? 'html' : 'not-json', message, { text })
  }
  const parsed = endpoint.response.safeParse(json.value)
  if (!parsed.success) {
    const issues = fieldIssues(parsed.error)
    throw invalidResponse(received, 'mismatch', summarizeIssues(issues), { text, issues })
  }
  const value = withHeaderCursor(received, parsed.data) as OutputOf<E>
  return { value, text, status: response.status, requestId: requestIdOf(response) }
}

/** Puts a cursor that came in a header where lists have theirs. */
function withHeaderCursor({ endpoint, response }: Received, value: unknown): unknown {
  const header = endpoint.cursor?.fromHeader
  if (header === undefined || typeof value !== 'object' || value === null) return value
  return { ...value, nextCursor: response.headers.get(header) }
}

/** An answer with a success status that cannot be used. */
export function invalidResponse(
  { endpoint, response, hideKey }: Received,
  code: InvalidResponseCode,
  message: string,
  { text, issues }: { text?: string; issues?: FieldIssue[] } = {},
): ApiError {
  return new ApiError({
    kind: 'invalid-response',
    code,
    message,
    endpoint,
    status: response.status,
    requestId: requestIdOf(response),
    issues,
    excerpt: text === undefined ? undefined : excerptOf(hideKey(text)),
    sent: true,
  })
}

/** Reads an error status with whatever body came along. */
export function httpError({ endpoint, response, hideKey }: Received, rawText: string): ApiError {
  const text = hideKey(rawText)
  const body = ErrorBody.safeParse(parseJson(text).value)
  const { code, message } = body.data ?? {}
  const details = body.data?.details ?? undefined
  const { status } = response
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'))
  return new ApiError({
    kind: 'http',
    status,
    code,
    message: message === undefined ? withoutContract(response) : printable(message),
    details,
    requestId: requestIdOf(response),
    endpoint,
    retryAfterMs,
    limit: rateLimitOf({ endpoint, status, code, details, retryAfterMs }),
    answer: shapeOf(response, text, body.success),
    excerpt: body.success || text === '' ? undefined : excerptOf(text),
    sent: true,
  })
}

/** Following a redirect would hand the key to another address, so it is an error that names the target. */
function withoutContract(response: Response): string {
  const location = response.status < 400 ? response.headers.get('location') : null
  if (location === null) return `HTTP ${response.status}`
  const target = URL.canParse(location) ? new URL(location).origin : 'another path'
  return `HTTP ${response.status} to ${target}, which is not followed`
}

function shapeOf(response: Response, text: string, isContract: boolean): AnswerShape {
  if (isContract) return 'contract'
  if (text.trim() === '') return 'empty'
  if (looksLikeHtml(response, text)) return 'html'
  return parseJson(text).ok ? 'json' : 'text'
}

function looksLikeHtml(response: Response, text: string): boolean {
  return (
    /^\s*<(?:!doctype html|html|head|body)\b/i.test(text) ||
    (response.headers.get('content-type')?.includes('text/html') ?? false)
  )
}

function parseJson(text: string): { ok: boolean; value: unknown } {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch {
    return { ok: false, value: undefined }
  }
}

function requestIdOf(response: Response): string | undefined {
  for (const name of REQUEST_ID_HEADERS) {
    const value = response.headers.get(name)
    if (value) return printable(value)
  }
  return undefined
}

function excerptOf(text: string): string {
  return printable(text.length > EXCERPT_CHARACTERS ? `${text.slice(0, EXCERPT_CHARACTERS)}…` : text)
}
