import type { AnyEndpoint, Risk } from '../../contract/endpoint.ts'
import { ERROR_STATUS } from '../../contract/error.ts'
import {
  type AnswerShape,
  type ApiErrorKind,
  type ErrorFacts,
  type FieldIssue,
  reasonOf,
  type RefusalCode,
} from './error-kinds.ts'
import type { RateLimitKind } from './rate-limit.ts'
import { isPlainObject } from '../../contract/shapes.ts'
import type { ExportSnapshot, Tool } from '../../contract/server-operations.ts'

export type ApiErrorFields = Omit<ErrorFacts, 'issues' | 'endpoint' | 'risk'> & {
  endpoint?: Pick<AnyEndpoint, 'operation' | 'risk'> | undefined
  issues?: readonly FieldIssue[] | undefined
}

const PASSING_STATUS = new Set([500, 502, 503, 504])
const PASSING_CODES = new Set(['INTERNAL_ERROR', 'SERVER_UNREACHABLE', 'TIMEOUT'])
const PASSING_LIMITS = new Set<RateLimitKind>(['key-rate', 'burst-brake', 'agent-concurrency', 'connection-poll'])

/**
 * The only error of every call. Branch on `kind`, `code` and `status`, never on `message`. It never contains the key.
 */
export class ApiError extends Error implements ErrorFacts {
  override readonly name = 'ApiError'
  readonly kind: ApiErrorKind
  readonly code: string | undefined
  readonly status: number | undefined
  readonly details: Record<string, unknown> | undefined
  readonly requestId: string | undefined
  readonly endpoint: string | undefined
  readonly risk: Risk | undefined
  readonly retryAfterMs: number | undefined
  readonly limit: RateLimitKind | undefined
  readonly answer: AnswerShape | undefined
  readonly systemCode: string | undefined
  readonly issues: readonly FieldIssue[]
  readonly excerpt: string | undefined
  readonly sent: boolean
  readonly keySource: string | undefined
  readonly isWrongPath: boolean

  constructor(fields: ApiErrorFields) {
    super(fields.message)
    this.kind = fields.kind
    this.code = fields.code
    this.status = fields.status
    this.details = fields.details
    this.requestId = fields.requestId
    this.endpoint = fields.endpoint?.operation
    this.risk = fields.endpoint?.risk
    this.retryAfterMs = fields.retryAfterMs
    this.limit = fields.limit
    this.answer = fields.answer
    this.systemCode = fields.systemCode
    this.issues = fields.issues ?? []
    this.excerpt = fields.excerpt
    this.sent = fields.sent
    this.keySource = fields.keySource
    this.isWrongPath = fields.isWrongPath ?? false
  }

  /** Returns `details.reason`, which refines some codes. */
  get reason(): string | undefined {
    return reasonOf(this)
  }

  /**
   * Whether the same request may succeed later (limits-and-errors, section 1). It does not say whether a repeat is
   * safe.
   */
  get retryable(): boolean {
    if (this.kind === 'network') return this.code !== 'tls'
    if (this.kind === 'timeout') return true
    if (this.kind !== 'http') return this.code === 'rate-paused'
    if (this.limit !== undefined) return PASSING_LIMITS.has(this.limit)
    if (this.status === undefined || !PASSING_STATUS.has(this.status)) return false
    return this.code === undefined || !Object.hasOwn(ERROR_STATUS, this.code) || PASSING_CODES.has(this.code)
  }

  /** Whether a write may have been carried out anyway: its answer was lost, or it failed half-way. */
  get leavesDoubt(): boolean {
    if (!this.sent || this.risk === undefined || this.risk === 'read') return false
    if (this.kind !== 'http') return true
    // The contract has no redirects. A program that redirects may have forwarded the request, without telling its
    // outcome.
    const isRefusal = this.status === undefined || (this.status >= 400 && this.status < 500)
    // If a model failed, a local workspace answers with an error whose details say what was done before.
    return !isRefusal && this.reason !== 'MODEL_ENDPOINT'
  }
}

/** Whether no answer arrived: the connection or service may be down, or the local workspace cannot be opened. */
export function isLineFault(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  return error.kind === 'network' || error.kind === 'timeout' || error.code === 'local-workspace'
}

/** Why the service gives no answer, whatever is read. */
export type ConnectionFault =
  | 'silent'
  /** The service does not accept the key. */
  | 'key-refused'
  /** The address redirects elsewhere. */
  | 'redirected'
  /** A web page is returned, such as that of a captive portal. */
  | 'web-page'
  /** The service, or a proxy in front of it, says that it cannot answer now. */
  | 'unavailable'

const UNAVAILABLE_STATUS = new Set([502, 503, 504])

/** Returns what a failed read says about the connection; undefined if the service answered it. */
export function connectionFault(error: unknown): ConnectionFault | undefined {
  if (isLineFault(error)) return 'silent'
  if (!(error instanceof ApiError)) return undefined
  if (isKeyRefusal(error)) return 'key-refused'
  if (error.kind === 'invalid-response') return error.code === 'html' ? 'web-page' : undefined
  const { status = 0, code, answer } = error
  if (error.kind !== 'http') return undefined
  if (status >= 300 && status < 400) return 'redirected'
  if (UNAVAILABLE_STATUS.has(status))
    return code === 'SERVER_UNREACHABLE' || code === 'TIMEOUT' ? undefined : 'unavailable'
  return answer === 'html' ? 'web-page' : undefined
}

/** Whether the service does not accept the key, or knows no organization for it, so that waiting does not help. */
export function isKeyRefusal(error: ApiError): boolean {
  return error.kind === 'http' && (error.code === 'UNAUTHORIZED' || error.code === 'ORPHANED_KEY')
}

/** Whether the service answered that the thing does not exist. */
export function isMissing(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 404 && error.code === 'NOT_FOUND' && !error.isWrongPath
}

/** Whether the service answered that something changed meanwhile, has ended, or prevents the request. */
export function isConflict(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'CONFLICT'
}

/** Returns the answer to a request that stops something; undefined after a conflict, since it has already ended. */
export async function unlessEnded<T>(stopping: Promise<T>): Promise<T | undefined> {
  try {
    return await stopping
  } catch (error) {
    if (!isConflict(error)) throw error
    return undefined
  }
}

export function abortedError(sent: boolean, endpoint?: AnyEndpoint): ApiError {
  return new ApiError({ kind: 'aborted', message: 'The request was cancelled.', sent, endpoint })
}

/**
 * Returns the error for the caller of an operation: with the operation's name, and marked as sent if any earlier
 * attempt was.
 */
export function inCall(error: ApiError, endpoint: AnyEndpoint, sentBefore: boolean): ApiError {
  const sent = error.sent || sentBefore
  if (error.endpoint !== undefined && error.sent === sent) return error
  return new ApiError({ ...error, message: error.message, endpoint, sent })
}

/** Returns the error for a call that was stopped before anything was sent. */
export function refusal(
  code: RefusalCode,
  message: string,
  fields: Pick<ApiErrorFields, 'endpoint' | 'issues' | 'retryAfterMs' | 'details'> = {},
): ApiError {
  return new ApiError({ kind: 'refused', code, message, sent: false, ...fields })
}

/** A JSON-RPC error with which an MCP server answered. `frame` is the whole message, if known. */
type ProtocolAnswer = { error: { code: unknown; message: unknown; data?: unknown }; frame: unknown }

/** Returns the JSON-RPC error behind a failed request; undefined if the server gave none. */
export function protocolErrorOf(error: unknown): ProtocolAnswer | undefined {
  if (!(error instanceof ApiError)) return undefined
  const { protocolError, frame } = error.details ?? {}
  if (!isPlainObject(protocolError)) return undefined
  const { code, message, data } = protocolError
  return { error: { code, message, data }, frame }
}

/** Names the problem between this program and a service, as the beginning of a sentence. */
export function connectionLabel(fault: ConnectionFault, host: string): string {
  return {
    silent: `${host} does not answer`,
    'key-refused': `${host} refuses the key`,
    redirected: `${host} redirects to another address`,
    'web-page': `A web page answers in place of ${host}`,
    unavailable: `${host} cannot answer now`,
  }[fault]
}

/**
 * Returns the tools of a server, for code that needs all of them.
 * @throws ApiError if they could not be read
 */
export function allTools({ tools, unread }: ExportSnapshot): Tool[] {
  const why = unread?.['tools']
  if (why === undefined) return tools
  throw new ApiError({ kind: 'http', code: 'FEATURE_NOT_SUPPORTED', status: 422, message: why, sent: true })
}
