import type { ErrorCode } from '../../api/contract/error.ts'
import { ServiceError } from '../core/errors.ts'
import type { Ending } from './access.ts'

const NOT_NOW = 'The scenario cannot answer right now; its owner can see why.'

/**
 * What a visitor is told when no answer comes. Addresses, names and words of the owner's servers and models are not
 * for strangers; the owner reads them in the transcript. A 401 is kept for the session itself.
 */
const REFUSALS: Partial<Record<ErrorCode, [code: ErrorCode, message: string]>> = {
  CONFLICT: ['CONFLICT', 'The scenario cannot answer: its environment cannot run as it is. Its owner can mend that.'],
  FEATURE_NOT_SUPPORTED: [
    'FEATURE_NOT_SUPPORTED',
    'The scenario cannot answer: its owner has to configure a model, or a client that asks for no approvals.',
  ],
  RATE_LIMITED: ['RATE_LIMITED', 'The model is asked too often right now; try again in a moment.'],
  TIMEOUT: ['TIMEOUT', 'The answer took too long.'],
  OAUTH_REQUIRED: ['SERVER_UNREACHABLE', 'A server of this scenario wants a login that its owner has to give first.'],
}

/** A failure in words for the visitor; a fault of ours stays one, for the log. */
export function toVisitorRefusal(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.code === 'UNAUTHORIZED') return error
  const [code, message] = REFUSALS[error.code] ?? (['SERVER_UNREACHABLE', NOT_NOW] as const)
  return new ServiceError(code, message, { cause: error })
}

/** The one refusal of a session that does not live; `endedBy` tells a client whether that was meant. */
export function sessionEnded(ending: Ending | undefined): ServiceError {
  if (!ending) return new ServiceError('UNAUTHORIZED', 'There is no such session.')
  return new ServiceError('UNAUTHORIZED', ending.message, { details: { endedBy: ending.by } })
}
