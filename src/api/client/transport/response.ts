import { ApiError } from '../errors/api-error.ts'
import { BOUNDS } from '../../../lib/bounds.ts'
import { excessOf, type JsonBounds, MAX_ANSWER_LEVELS, mayHoldLong, parseExact } from '../../../lib/json.ts'
import type { AnyEndpoint, OutputOf } from '../../contract/endpoint.ts'
import type { ApiResponse } from '../../contract/message.ts'
import { readShape, shape } from '../../contract/shapes.ts'
import type { AnswerShape, FieldIssue, InvalidResponseCode } from '../errors/error-kinds.ts'
import { fieldIssues, summarizeIssues } from '../errors/field-issues.ts'
import type { LastAnswers } from './last-answers.ts'
import { clean, printable } from '../../../lib/printable.ts'
import { parseRetryAfter, rateLimitOf } from '../errors/rate-limit.ts'
import * as z from 'zod'

export type Answer<E extends AnyEndpoint = AnyEndpoint> = {
  value: OutputOf<E>
  /** The body as received. For a DELETE that was answered without a body it is `{}`. */
  text: string
  status: number
  requestId: string | undefined
}

type Received = { endpoint: AnyEndpoint; response: ApiResponse; hideKey: (text: string) => string }

const EXCERPT_CHARACTERS = 2_000
const REQUEST_ID_HEADERS = ['x-request-id', 'request-id', 'x-correlation-id', 'x-amzn-requestid', 'cf-ray']

/**
 * Reads a body's text up to a limit in decoded bytes. `complete` is false if there was more. `onBytes` is called for
 * each piece.
 */
export async function readText(
  response: ApiResponse,
  maxBytes: number,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<{ text: string; complete: boolean }> {
  const { body } = response
  if (body === null) return { text: '', complete: true }
  if (typeof body === 'string')
    return Buffer.byteLength(body) > maxBytes ? { text: '', complete: false } : { text: body, complete: true }
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  // Leaving the loop early cancels the stream, which frees its connection.
  for await (const chunk of body) {
    onBytes(chunk.byteLength)
    bytes += chunk.byteLength
    if (bytes > maxBytes) return { text, complete: false }
    text += decoder.decode(chunk, { stream: true })
  }
  return { text: text + decoder.decode(), complete: true }
}

/**
 * Parses a success body as the contract's answer. Unknown fields are kept. An unchanged answer to a GET is the same
 * object.
 */
export function parseAnswer<E extends AnyEndpoint>(
  received: Received & { endpoint: E },
  body: string,
  url: string,
  last: LastAnswers,
): Answer<E> {
  const { endpoint, response } = received
  const cursor = headerCursor(received)
  const hasNoBody = isBodiless(received, body)
  const text = hasNoBody ? '{}' : body
  const parse = () => (hasNoBody ? {} : parseValue(received, text))
  const value = endpoint.method === 'GET' ? last.valueOf(url, { endpoint, text, cursor }, parse) : parse()
  return { value: value as OutputOf<E>, text, status: response.status, requestId: requestIdOf(response) }
}

/** Whether the answer to a DELETE has no body, as HTTP allows. It then has none of the declared fields. */
function isBodiless({ endpoint, response }: Received, body: string): boolean {
  return endpoint.method === 'DELETE' && response.status === 204 && body === ''
}

/** Length in characters from which only the first faults of an answer are reported. */
const LONG_ANSWER = 50_000

function parseValue(received: Received, text: string): unknown {
  const { endpoint, response } = received
  const values = (endpoint.maxAnswerBytes === undefined ? BOUNDS.answerValues : BOUNDS.recordedValues).most
  const json = parseJson(text, values)
  if (json.excess) throw invalidResponse(received, 'too-large', excessWords(json.excess, values), { text })
  if (!json.ok && text.trim() !== '') {
    const html = looksLikeHtml(response, text)
    const message = html ? 'The answer is an HTML page, not JSON.' : 'The answer is not complete JSON.'
    throw invalidResponse(received, html ? 'html' : 'not-json', message, { text })
  }
  // Validating what this process wrote itself took a seventh of the drawing thread's time for a long list.
  if (response.asDeclared && endpoint.method === 'GET') return withHeaderCursor(received, json.value)
  const isLong = text.length > LONG_ANSWER
  const exact = readShape(endpoint.response, json.value, isLong)
  // A field of the contract accepts numbers of any length, which need not be exact.
  const isExact = exact.success || !mayHoldLong(text)
  const parsed = isExact ? exact : readShape(endpoint.response, JSON.parse(text || 'null'), isLong)
  if (!parsed.success) {
    const issues = fieldIssues(parsed.error)
    throw invalidResponse(received, 'mismatch', summarizeIssues(issues), { text, issues })
  }
  return withHeaderCursor(received, parsed.data)
}

function excessWords(excess: keyof JsonBounds, values: number): string {
  if (excess === 'values') return `The answer has more than ${values} values.`
  return `The answer has more than ${MAX_ANSWER_LEVELS} levels of objects and lists.`
}

/** Copies a cursor that came in a header to the field in which lists have theirs. */
function withHeaderCursor(received: Received, value: unknown): unknown {
  const cursor = headerCursor(received)
  if (cursor === undefined || typeof value !== 'object' || value === null) return value
  return { ...value, nextCursor: cursor }
}

/**
 * Returns the cursor in the header of a list, null if it is missing; undefined for lists that have their cursor in the
 * body.
 */
function headerCursor({ endpoint, response }: Received): string | null | undefined {
  const header = endpoint.cursor?.fromHeader
  return header === undefined ? undefined : response.headers.get(header)
}

/** Returns the error for an answer with a success status that cannot be used. */
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

/** Converts an error status, with whatever body it has, to an error. */
export function httpError(
  { endpoint, response, hideKey, keySource }: Received & { keySource?: string | undefined },
  rawText: string,
): ApiError {
  const text = hideKey(rawText)
  const body = ErrorBody().safeParse(parseJson(text, BOUNDS.answerValues.most).value)
  const { code, message } = body.data ?? {}
  const details = body.data?.details ?? undefined
  const { status } = response
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'))
  return new ApiError({
    kind: 'http',
    status,
    code: code && clean(code),
    message: message === undefined ? withoutContract(response) : printable(message),
    details,
    requestId: requestIdOf(response),
    endpoint,
    retryAfterMs,
    limit: rateLimitOf({ endpoint, status, code, details, retryAfterMs }),
    answer: shapeOf(response, text, body.success),
    excerpt: body.success || text === '' ? undefined : excerptOf(text),
    sent: true,
    ...(status === 401 && { keySource }),
  })
}

/**
 * Describes an error answer outside the contract. Following a redirect would send the key to another address, so a
 * redirect is an error that names the target.
 */
function withoutContract(response: ApiResponse): string {
  const location = response.status < 400 ? response.headers.get('location') : null
  if (location === null) return `HTTP ${response.status}`
  const target = URL.canParse(location) ? new URL(location).origin : 'another path'
  return `HTTP ${response.status} to ${target}, which is not followed`
}

function shapeOf(response: ApiResponse, text: string, isContract: boolean): AnswerShape {
  if (isContract) return 'contract'
  if (text.trim() === '') return 'empty'
  if (looksLikeHtml(response, text)) return 'html'
  return parseJson(text, BOUNDS.answerValues.most).ok ? 'json' : 'text'
}

function looksLikeHtml(response: ApiResponse, text: string): boolean {
  return (
    /^\s*<(?:!doctype html|html|head|body)\b/i.test(text) ||
    (response.headers.get('content-type')?.includes('text/html') ?? false)
  )
}

/**
 * Parses JSON within limits. Text that is nested too deeply is valid, but every step after the parser would fail; text
 * with too many values would block keys.
 */
function parseJson(
  text: string,
  values: number,
): { ok: boolean; excess?: keyof JsonBounds | undefined; value: unknown } {
  const excess = excessOf(text, { levels: MAX_ANSWER_LEVELS, values })
  if (excess) return { ok: false, excess, value: undefined }
  try {
    return { ok: true, value: parseExact(text) }
  } catch {
    return { ok: false, value: undefined }
  }
}

function requestIdOf(response: ApiResponse): string | undefined {
  for (const name of REQUEST_ID_HEADERS) {
    const value = response.headers.get(name)
    if (value) return printable(value)
  }
  return undefined
}

function excerptOf(text: string): string {
  return printable(text.length > EXCERPT_CHARACTERS ? `${text.slice(0, EXCERPT_CHARACTERS)}…` : text)
}

/** Body of every answer with an error status. An unknown `code` is kept as text. */
export const ErrorBody = shape(() =>
  z.looseObject({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()).nullish() }),
)
export type ErrorBody = z.infer<typeof ErrorBody>
