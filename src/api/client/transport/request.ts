import type * as z from 'zod'
import { refusal } from '../errors/api-error.ts'
import { type AnyEndpoint, fillPath, type InputOf, pathParameters } from '../../contract/endpoint.ts'
import { IDEMPOTENCY_HEADER } from '../../contract/contract.ts'
import { type ApiHeaders, plainHeaders } from '../../contract/message.ts'
import type { Vocabulary } from './vocabulary.ts'
import { fieldIssues, summarizeIssues } from '../errors/field-issues.ts'

/** A validated request that can be sent more than once. */
export type PreparedRequest<E extends AnyEndpoint = AnyEndpoint> = {
  endpoint: E
  url: string
  headers: ApiHeaders
  body: string | null
}

export type RequestTarget = {
  /** Base address including the version, such as `https://host/api/v1`. */
  baseUrl: string
  key?: string | undefined
  /** Source of the key, in words for the person who has to replace it. */
  keySource?: string | undefined
  /** The eval vocabulary to request. Without it nothing is sent, which means 1 (contract: "Versioning"). */
  vocabulary?: Vocabulary | undefined
}

/**
 * Builds and validates the request of an input.
 * @throws ApiError `refused` with `invalid-input`, `invalid-key` or `invalid-address`
 */
export function prepareRequest<E extends AnyEndpoint>(
  target: RequestTarget,
  endpoint: E,
  input: InputOf<E>,
  idempotencyKey?: string,
): PreparedRequest<E> {
  const { body: bodyInput, ...fields } = input as Record<string, unknown>
  const query = parseQuery(endpoint, fields)
  const body = parseBody(endpoint, bodyInput)
  const url = joinUrl(checkAddress(target.baseUrl, endpoint), fillEndpointPath(endpoint, fields), query)
  const headers = plainHeaders({
    accept: 'application/json',
    ...(body !== null && { 'content-type': 'application/json' }),
    ...idempotencyHeader(endpoint, idempotencyKey),
    ...vocabularyHeader(target),
    ...keyHeader(target.key, endpoint),
  })
  return { endpoint, url, headers, body }
}

function parseQuery(endpoint: AnyEndpoint, fields: Record<string, unknown>): URLSearchParams {
  const inPath = new Set(pathParameters(endpoint.path))
  const rest = Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => !inPath.has(name) && value !== undefined),
  )
  const query = new URLSearchParams()
  if (!endpoint.query) {
    const unknown = Object.keys(rest)
    if (unknown.length > 0) throw unknownFields(endpoint, unknown)
    return query
  }
  const parsed = check(endpoint, endpoint.query, rest, []) as Record<string, unknown>
  for (const [name, value] of Object.entries(parsed))
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value])
      if (item !== undefined) query.append(name, typeof item === 'string' ? item : JSON.stringify(item))
  return query
}

/** Returns the body as text. An optional body is sent as `{}` if it is missing, as the contract shows it. */
function parseBody(endpoint: AnyEndpoint, input: unknown): string | null {
  if (endpoint.body) return JSON.stringify(check(endpoint, endpoint.body, input, ['body']) ?? {})
  if (input !== undefined) throw unknownFields(endpoint, ['body'])
  return null
}

function check(endpoint: AnyEndpoint, schema: z.ZodType, value: unknown, prefix: string[]): unknown {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issues = fieldIssues(parsed.error, prefix)
  throw refusal('invalid-input', summarizeIssues(issues), { endpoint, issues })
}

function unknownFields(endpoint: AnyEndpoint, names: string[]) {
  const issues = names.map(path => ({ path, expected: `not part of ${endpoint.operation}` }))
  return refusal('invalid-input', summarizeIssues(issues), { endpoint, issues })
}

function fillEndpointPath(endpoint: AnyEndpoint, fields: Record<string, unknown>): string {
  try {
    return fillPath(endpoint.path, fields)
  } catch {
    const path = pathParameters(endpoint.path).find(name => !isSegment(fields[name])) ?? ''
    const issues = [{ path, expected: 'expected an id' }]
    throw refusal('invalid-input', summarizeIssues(issues), { endpoint, issues })
  }
}

function isSegment(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value !== '.' && value !== '..' && value.isWellFormed()
}

/** Validates an address. The platform's error message would quote it, including credentials. */
function checkAddress(baseUrl: string, endpoint: AnyEndpoint): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw refusal('invalid-address', 'The base address must be a plain http or https address.', { endpoint })
  return baseUrl
}

function joinUrl(baseUrl: string, path: string, query: URLSearchParams): string {
  const search = query.size > 0 ? `?${query.toString()}` : ''
  return `${baseUrl.replace(/\/+$/, '')}${path}${search}`
}

/**
 * Returns the idempotency header. A key on an operation without key support would seem safe to repeat, so it is
 * refused.
 */
function idempotencyHeader(endpoint: AnyEndpoint, key: string | undefined): Record<string, string> {
  if (key === undefined) return {}
  const fits = /^[\x21-\x7e]{1,256}$/.test(key)
  if (fits && (endpoint.idempotency === 'header' || endpoint.idempotency === 'caller'))
    return { [endpoint.idempotencyHeaders?.[0] ?? IDEMPOTENCY_HEADER]: key }
  const expected = fits
    ? `not part of ${endpoint.operation}`
    : 'expected 1 to 256 printable ASCII characters without spaces'
  const issues = [{ path: 'idempotencyKey', expected }]
  throw refusal('invalid-input', summarizeIssues(issues), { endpoint, issues })
}

function vocabularyHeader({ vocabulary }: RequestTarget): Record<string, string> {
  return vocabulary ? { [`x-${vocabulary.service}-eval-vocabulary`]: vocabulary.version } : {}
}

/** Validates the key. The platform's error message about a bad header value would quote it. */
function keyHeader(key: string | undefined, endpoint: AnyEndpoint): Record<string, string> {
  if (key === undefined) return {}
  if (!/^[\x21-\x7e]+$/.test(key))
    throw refusal('invalid-key', 'The key holds characters that a key cannot have.', { endpoint })
  return { authorization: `Bearer ${key}` }
}
