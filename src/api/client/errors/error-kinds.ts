import type { Risk } from '../../contract/endpoint.ts'
import type { RateLimitKind } from './rate-limit.ts'

/**
 * The cause of a failed call.
 * - `http`: the service answered with an error status
 * - `network`: no answer; `code` is a {@link NetworkFault}
 * - `timeout`: the deadline passed
 * - `aborted`: the caller gave up
 * - `invalid-response`: a success status with an answer that the contract does not allow; `code` says how
 * - `refused`: nothing was sent; `code` is a {@link RefusalCode}
 */
export type ApiErrorKind = 'http' | 'network' | 'timeout' | 'aborted' | 'invalid-response' | 'refused'

/** The way in which a connection failed. */
export type NetworkFault =
  | 'dns'
  | 'refused'
  | 'unreachable'
  | 'connect-timeout'
  | 'tls'
  | 'reset'
  | 'protocol'
  | 'decode'
  | 'other'

/** Why nothing was sent. */
export type RefusalCode =
  | 'read-only'
  | 'invalid-input'
  | 'invalid-key'
  | 'invalid-address'
  | 'foreign-address'
  | 'rate-paused'
  | 'journal'
  | 'earlier-write'
  | 'feature-off'
  | 'local-workspace'
  | 'unrecorded-run'
  | 'local-only'

/** The fault of an answer that has a success status. */
export type InvalidResponseCode = 'html' | 'not-json' | 'mismatch' | 'too-large' | 'repeated-cursor' | 'endless-list'

/** Content of the body of an error answer: the contract's error body, or something that is not the service's. */
export type AnswerShape = 'contract' | 'html' | 'json' | 'text' | 'empty'

/** One field that does not match its schema. */
export type FieldIssue = {
  /** Path of the field, such as `items[0].id`; empty for the value itself. */
  path: string
  /** The type or format that the schema requires there. */
  expected: string
}

/** All that is known about a failed call. */
export type ErrorFacts = {
  kind: ApiErrorKind
  /** The service's message for `http`, ours or the system's for other kinds. Never branch on it. */
  message: string
  /** The service's code for `http` (absent if the body is not the contract's), ours for other kinds. */
  code?: string | undefined
  status?: number | undefined
  details?: Record<string, unknown> | undefined
  requestId?: string | undefined
  /** Operation name, such as `getEvalRun`. */
  endpoint?: string | undefined
  risk?: Risk | undefined
  /** Wait that the service (or a paused budget) requests, in milliseconds. */
  retryAfterMs?: number | undefined
  limit?: RateLimitKind | undefined
  answer?: AnswerShape | undefined
  /** The system's own code for a network fault, such as `ENOTFOUND`. */
  systemCode?: string | undefined
  /** Invalid fields of an answer (`invalid-response`) or an input (`refused`). */
  issues: readonly FieldIssue[]
  /** Beginning of a body that is not the contract's, without control characters. */
  excerpt?: string | undefined
  /** Source of a refused key, such as `variable MCPDECK_API_KEY`. */
  keySource?: string | undefined
  /** Whether the service is not at the base path, so that a 404 says nothing about the thing. */
  isWrongPath?: boolean | undefined
  /** Whether the request may have reached the service, so that a write may have happened. */
  sent: boolean
}

/** Returns `details.reason`, which refines some codes. */
export function reasonOf({ details }: Pick<ErrorFacts, 'details'>): string | undefined {
  const reason = details?.['reason']
  return typeof reason === 'string' ? reason : undefined
}

/** Whether the status is 5xx, an error of the service or of a proxy in front of it. */
export function isServerFault({ status = 0 }: Pick<ErrorFacts, 'status'>): boolean {
  return status >= 500
}
