import { ERROR_STATUS, type ErrorCode } from '../../api/contract/error.ts'

/** An error in the contract's terms. The router converts it to `{ code, message, details }` and a status. */
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
