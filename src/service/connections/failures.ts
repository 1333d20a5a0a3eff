import type { ErrorCode, ErrorReason } from '../../api/contract/error.ts'
import { ServiceError } from '../core/errors.ts'
import type { Deadline } from '../core/deadline.ts'
import type { McpLibrary, JsonObject, Link } from './types.ts'
import { isPlainObject } from '../../api/contract/shapes.ts'
import { defined } from '../../lib/json.ts'
import { ownValue } from '../../lib/own-value.ts'
/** URL elicitation required (MCP 2025-11-25, “URL Mode Elicitation for Sensitive Data”). */
export const URL_REQUIRED = -32042
const MOST_HOSTS = 3

/** Returns the pages that the person must visit according to an error, without entries that violate the protocol. */
export function demandedVisits(error: unknown): JsonObject[] {
  const { code, data } = (error ?? {}) as { code?: unknown; data?: unknown }
  if (code !== URL_REQUIRED || !isPlainObject(data) || !Array.isArray(data['elicitations'])) return []
  return data['elicitations'].filter(isPlainObject).filter(({ mode, url }) => mode === 'url' && typeof url === 'string')
}

/**
 * Maps JSON-RPC errors to the contract's codes. All others become `FEATURE_NOT_SUPPORTED`, because the server did
 * answer.
 */
export const PROTOCOL_ERROR_CODES: Readonly<Record<number, ErrorCode>> = {
  /** Invalid params, which also covers an unknown tool, prompt or resource. */
  [-32602]: 'VALIDATION_ERROR',
  /** Resource not found: the code that older servers use. */
  [-32002]: 'VALIDATION_ERROR',
  /** Method not found: a capability was announced or assumed, but is missing. */
  [-32601]: 'FEATURE_NOT_SUPPORTED',
  /** The server first requires a visit to its own web pages. */
  [URL_REQUIRED]: 'FEATURE_NOT_SUPPORTED',
}

const PROTOCOL_ERROR = 'PROTOCOL_ERROR' satisfies ErrorReason
/** The server answered, but the answer is unusable. It does not count as unreachable. */
export const UNUSABLE_ANSWER = 'UNUSABLE_ANSWER' satisfies ErrorReason
/** Whether a status comes from a proxy or gateway that cannot reach the server. Cloudflare uses 520 to 530. */
function isOfGateway(status: number): boolean {
  return [407, 502, 503, 504].includes(status) || (status >= 520 && status <= 530)
}

/** Network errors with their own messages. Others are named by their code. */
const NETWORK_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name could not be looked up',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the network is unreachable',
}

export type FailureContext = {
  library: McpLibrary
  serverName: string
  /** Method of the failed request, such as `tools/list`. */
  asked: string
  deadline: Deadline
  link: Link
}

/**
 * Returns the error to throw for a failure with a server. Of several causes the first in this order counts: deadline or
 * caller, connection, answer.
 */
export function toFailure(error: unknown, context: FailureContext): unknown {
  const { library, serverName, asked, deadline, link } = context
  if (deadline.signal.aborted) return deadline.signal.reason
  const known = link.failure() ?? (error instanceof ServiceError ? error : undefined)
  if (known) return known
  // The library wraps the error of the first request if it fails while the version is negotiated.
  if (isOfNegotiation(error, library) && error.cause !== undefined) return toFailure(error.cause, context)
  const fail = (code: ErrorCode, message: string, details?: Record<string, unknown>) =>
    new ServiceError(code, message, { cause: error, ...(details && { details }) })

  if (error instanceof library.ProtocolError) {
    // A server that refuses `initialize` cannot be used, whatever its reason.
    const isAnswer = asked !== 'initialize'
    const code = isAnswer ? (PROTOCOL_ERROR_CODES[error.code] ?? 'FEATURE_NOT_SUPPORTED') : 'SERVER_UNREACHABLE'
    const hosts = demandedVisits(error).map(({ url }) => URL.parse(url as string)?.host ?? 'an address')
    const message =
      hosts.length > 0
        ? `The server "${serverName}" wants you to go to ${hosts.slice(0, MOST_HOSTS).join(', ')} before ${asked}; ` +
          `call again afterwards: ${error.message}`
        : `The server "${serverName}" answered ${asked} with error ${error.code}: ${error.message}`
    const protocolError = defined({ code: error.code, message: error.message, data: error.data })
    const reason = isAnswer ? (hosts.length === 0 ? PROTOCOL_ERROR : undefined) : UNUSABLE_ANSWER
    return fail(code, message, defined({ reason, protocolError, frame: link.notices.refusal(error) }))
  }
  if (error instanceof library.SdkHttpError) return httpFailure(error, context)
  const { words, isAnswer } = describeBreak(error, library, asked)
  return fail(
    'SERVER_UNREACHABLE',
    `The server "${serverName}" ${words}.`,
    isAnswer ? { reason: UNUSABLE_ANSWER } : undefined,
  )
}

function httpFailure(
  error: InstanceType<McpLibrary['SdkHttpError']>,
  { serverName, asked, link }: FailureContext,
): ServiceError {
  // The protocol library appends the name of one of its options.
  const redirect = /Redirect .* not followed.*?(?= \(redirectPolicy|$)/.exec(error.message)?.[0]
  const answer = `answered ${asked} with HTTP ${error.status}`
  const words = redirect === undefined ? firstLine(error) : ''
  const message = `The server "${serverName}" ${answer}${redirect ? `. ${redirect}` : ''}${words && `: ${words}`}.`
  const isForgotten = error.status === 404 && link.transport.sessionId !== undefined
  const details = {
    httpStatus: error.status,
    ...(error.status !== undefined && !isOfGateway(error.status) && { reason: UNUSABLE_ANSWER }),
    ...(isForgotten && { sessionForgotten: true }),
  }
  return new ServiceError('SERVER_UNREACHABLE', message, { cause: error, details })
}

/** The protocol library's message for an unknown version, which has no code. */
const UNKNOWN_VERSION = /^Server's protocol version is not supported: (.+)/
/** Maximum length of a version quoted in a sentence. */
const MOST_VERSION = 40
const LONGEST_WORDS = 200

/** Returns the version that a server chose and the library does not know; undefined for other errors. */
export function unknownVersion(error: unknown): string | undefined {
  return UNKNOWN_VERSION.exec(error instanceof Error ? error.message : '')?.[1]?.slice(0, MOST_VERSION)
}

function firstLine(error: InstanceType<McpLibrary['SdkHttpError']>): string {
  const { text } = (error.data ?? {}) as { text?: unknown }
  if (typeof text !== 'string' || /^\s*</.test(text)) return ''
  return text.trim().split('\n', 1)[0]!.slice(0, LONGEST_WORDS).toWellFormed().trim().replace(/\.$/, '')
}

const ISSUES = /^Invalid result for .+?: (\[.*\])$/s
const NOTHING = /, received undefined$/

/**
 * Returns a text such as `: serverInfo.version is missing`. The protocol library gives the issues of its schema as JSON
 * after its own message.
 */
function invalidPart(message: string): string {
  let issues: unknown
  try {
    issues = JSON.parse(ISSUES.exec(message)?.[1] ?? '')
  } catch {
    return ''
  }
  const [first] = Array.isArray(issues) ? (issues as unknown[]) : []
  const { path, message: why } = Object(first) as { path?: unknown; message?: unknown }
  if (!Array.isArray(path) || path.length === 0 || typeof why !== 'string') return ''
  const words = NOTHING.test(why) ? ' is missing' : `, ${why.charAt(0).toLowerCase()}${why.slice(1)}`
  return `: ${path.join('.')}${words}`.slice(0, LONGEST_WORDS).toWellFormed()
}

function isOfNegotiation(error: unknown, library: McpLibrary): error is Error {
  return error instanceof library.SdkError && error.code === library.SdkErrorCode.EraNegotiationFailed
}

/** Describes what failed in a request; `isAnswer` if the server answered. */
function describeBreak(error: unknown, library: McpLibrary, asked: string): { words: string; isAnswer: boolean } {
  const answered = (words: string) => ({ words, isAnswer: true })
  if (error instanceof library.SdkError) {
    if (error.code === library.SdkErrorCode.InvalidResult)
      return answered(`gave ${asked} an answer that is not a valid result${invalidPart(error.message)}`)
    if (error.code === library.SdkErrorCode.ClientHttpUnexpectedContent)
      return answered(`gave ${asked} an answer that is not MCP`)
    if (error.code === library.SdkErrorCode.CapabilityNotSupported)
      return answered(`asks for something during ${asked} that mcpdeck does not answer here`)
    if (isOfNegotiation(error, library))
      return answered('does not answer server/discover with a protocol version that mcpdeck speaks or is to speak')
    return { words: `closed the connection during ${asked}`, isAnswer: false }
  }
  const version = unknownVersion(error)
  if (version !== undefined)
    return answered(`speaks protocol version ${version}, and mcpdeck ${library.SUPPORTED_PROTOCOL_VERSIONS.join(', ')}`)
  const network = describeNetwork(error)
  return network === undefined
    ? answered(`did not answer ${asked} as an MCP server does`)
    : { words: network, isAnswer: false }
}

/** The system calls before a request is sent. An open connection may fail with the same codes as a new one. */
const BEFORE_SENDING = new Set(['getaddrinfo', 'connect'])

/** Whether a connected server failed during a request that it had accepted. */
export function brokeOver(failure: unknown): boolean {
  if (!(failure instanceof ServiceError) || failure.code !== 'SERVER_UNREACHABLE') return false
  if (Number(failure.details?.['httpStatus']) < 500) return false
  return !neverConnected(failure.cause instanceof Error ? failure.cause.cause : undefined)
}

function neverConnected(reason: unknown): boolean {
  // A host with several addresses has an error for each of them.
  const first: unknown = reason instanceof AggregateError ? reason.errors[0] : reason
  return first instanceof Error && BEFORE_SENDING.has(String((first as NodeJS.ErrnoException).syscall))
}

/** Whether a server answered that it does not know the session. Such a request had no effect. */
export function forgotSession(failure: unknown): boolean {
  return failure instanceof ServiceError && failure.details?.['sessionForgotten'] === true
}

/** Describes an error of the network; undefined for other errors. */
export function describeNetwork(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined
  if (!(cause instanceof Error)) return undefined
  const { code } = cause as NodeJS.ErrnoException
  return `could not be reached: ${ownValue(NETWORK_REASONS, code) ?? code ?? cause.message}`
}
