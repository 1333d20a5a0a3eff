/** The error codes and their HTTP statuses (contract: "Errors"; the last three from the OpenAPI file). */
export const ERROR_STATUS = {
  UNAUTHORIZED: 401,
  OAUTH_REQUIRED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  VALIDATION_ERROR: 400,
  RATE_LIMITED: 429,
  /**
   * This code is named only in the prose document. Its status is that of the other limits (differences, section 5, item
   * 9).
   */
  ACTIVE_REQUEST_LIMIT: 429,
  INTERNAL_ERROR: 500,
  FEATURE_NOT_SUPPORTED: 422,
  SERVER_UNREACHABLE: 502,
  TIMEOUT: 504,
} as const

export type ErrorCode = keyof typeof ERROR_STATUS

/** `details.reason` values in the contract, and those of local workspaces. New ones may appear. */
export type ErrorReason =
  | 'ORPHANED_KEY'
  | 'NO_SAVED_SERVER_SELECTION'
  | 'ENVIRONMENT_NOT_ATTACHED'
  | 'ENVIRONMENT_REQUIRED'
  | 'ENVIRONMENT_SERVERS_NOT_OVERRIDABLE'
  | 'CONCURRENT_RUN_LIMIT'
  | 'CI_OWNED_SUITE_READ_ONLY'
  | 'HETEROGENEOUS_TARGETS'
  | 'BASELINE_NOT_FOUND'
  | 'TRACE_NOT_AVAILABLE'
  | 'ADHOC_UNAVAILABLE'
  | 'environment_model_required'
  | 'MODEL_ENDPOINT'
  | 'PROTOCOL_ERROR'
  | 'SERVER_CREDENTIALS'
  | 'SERVER_GRANT'
  | 'UNUSABLE_ANSWER'

/** Thrown if a workspace on this machine cannot be read or written. `next` says what to do. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly next: string

  constructor(sentence: string, next: string, cause?: unknown) {
    super(sentence, { cause })
    this.next = next
  }
}
