import { ApiError } from './api-error.ts'
import type { NetworkFault } from './error-kinds.ts'
import type { AnyEndpoint } from '../../contract/endpoint.ts'
import { ownValue } from '../../../lib/own-value.ts'

const FAULT_BY_CODE: Record<string, NetworkFault> = {
  ECONNREFUSED: 'refused',
  ENETUNREACH: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETDOWN: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  UND_ERR_CONNECT_TIMEOUT: 'connect-timeout',
  ETIMEDOUT: 'connect-timeout',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  EPROTO: 'tls',
  HOSTNAME_MISMATCH: 'tls',
  // A body that ends before its announced length: the connection ended with it.
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'reset',
  UND_ERR_HEADERS_OVERFLOW: 'protocol',
  HTTPParserError: 'protocol',
}

const FAULT_BY_PATTERN: readonly (readonly [RegExp, NetworkFault])[] = [
  [/^(?:ENOTFOUND$|EAI_|ENODATA$)/, 'dns'],
  [/^(?:ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)|_CERT_|_CRL/, 'tls'],
  [/^HPE_/, 'protocol'],
  [/^(?:Z_|ERR_|BR_|ZSTD_).*(?:DATA|BUF|FORMAT|PADDING|STREAM|PREFIX|CORRUPT)/, 'decode'],
]

type SystemFault = { code: string; connecting: boolean; message: string }

/**
 * Returns what a thrown error says about a connection: the fault, a message, whether the request can have been sent,
 * and the system's code.
 */
export function lineFault(thrown: unknown) {
  const system = innermostFault(thrown)
  const fault = faultOf(system?.code)
  const words = system?.message || wordsOf(thrown)
  // An open connection may also fail with the code of a refusal, if a firewall begins to reject what it carries.
  return { fault, words, sent: !(fault === 'dns' || system?.connecting), systemCode: system?.code }
}

/** Converts whatever a fetch threw to an error that says where the connection failed. */
export function networkError(thrown: unknown, endpoint: AnyEndpoint, hideKey: (text: string) => string): ApiError {
  const { fault, words, ...facts } = lineFault(thrown)
  return new ApiError({ kind: 'network', code: fault, message: hideKey(words), endpoint, ...facts })
}

/** Returns the message of the cause, if there is one. A fetch itself only says that it failed. */
function wordsOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  return thrown.cause instanceof Error && thrown.cause.message ? wordsOf(thrown.cause) : thrown.message
}

function faultOf(code: string | undefined): NetworkFault {
  if (code === undefined) return 'other'
  return ownValue(FAULT_BY_CODE, code) ?? FAULT_BY_PATTERN.find(([pattern]) => pattern.test(code))?.[1] ?? 'other'
}

/**
 * Returns the deepest error with a code. Fetch wraps the system's error as a cause, and several addresses as a list.
 */
function innermostFault(thrown: unknown, depth = 0): SystemFault | undefined {
  if (!(thrown instanceof Error) || depth > 5) return undefined
  const first: unknown = thrown instanceof AggregateError ? thrown.errors[0] : undefined
  const inner = innermostFault(thrown.cause ?? first, depth + 1)
  if (inner) return inner
  const code = codeOf(thrown)
  if (code === undefined) return undefined
  const syscall = 'syscall' in thrown ? thrown.syscall : undefined
  const connecting = syscall === 'connect' || code === 'UND_ERR_CONNECT_TIMEOUT' || isCertificate(code)
  return { code, connecting, message: thrown.message }
}

/** Returns a code. undici's parser has only a name, not a code, for an answer that is not HTTP. */
function codeOf(thrown: Error): string | undefined {
  if ('code' in thrown && typeof thrown.code === 'string') return thrown.code
  return Object.hasOwn(FAULT_BY_CODE, thrown.name) ? thrown.name : undefined
}

/**
 * Whether a fault concerns the certificate, which is checked before the request is written. Other TLS faults can also
 * come later.
 */
function isCertificate(code: string): boolean {
  return /CERT|UNABLE_TO_|HOSTNAME_MISMATCH/.test(code)
}
