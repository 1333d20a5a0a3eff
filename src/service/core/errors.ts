import { ERROR_STATUS, type ErrorCode } from '../../api/contract/error.ts'

/** A refusal in the contract's terms; the router turns it into `{ code, message, details }` and its status. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly code: ErrorCode
  readonly details: Record<string, unknown> | undefined
  /** Whole seconds for the `Retry-After` header. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: Record<string, unknown>; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.code = code
    this.details = options.details
    this.retryAfterSeconds = options.retryAfterSeconds
  }

  get status(): number {
    return ERROR_STATUS[this.code]
  }
}
