import type { APICallError } from 'ai'
import { ServiceError } from '../core/errors.ts'
import type { ErrorCode, ErrorReason } from '../../api/contract/error.ts'
import { messageOf } from '../core/one-line.ts'
import type { ModelEndpoint } from './endpoint.ts'
import type { ModelLibrary } from './library.ts'

/** Goes with every failure that the endpoint of a model is to blame for. */
export const OF_MODEL = { details: { reason: 'MODEL_ENDPOINT' satisfies ErrorReason } }

/** The failure of work whose model answered nothing that it can use. */
export const unusableAnswer = (message: string): ServiceError => new ServiceError('INTERNAL_ERROR', message, OF_MODEL)

/** What a refusal of the endpoint is called, by its HTTP status. */
const REFUSALS: Readonly<Record<number, [code: ErrorCode, did: string]>> = {
  400: ['VALIDATION_ERROR', 'refused the request'],
  401: ['FORBIDDEN', 'refused the key'],
  403: ['FORBIDDEN', 'refused the key'],
  404: ['NOT_FOUND', 'does not know the model'],
  429: ['RATE_LIMITED', 'limits the rate of requests'],
}

/** The library's failure in one sentence that names the endpoint, and never a key. */
export function toModelFailure(error: unknown, endpoint: ModelEndpoint, library: ModelLibrary): ServiceError {
  const last = library.RetryError.isInstance(error) ? error.lastError : error
  const [code, did] = library.APICallError.isInstance(last) ? refusalOf(last) : UNUSABLE
  // Of an answer that broke off the library's own words say nothing.
  const why = library.APICallError.isInstance(last) && last.statusCode === 200 ? (last.cause ?? last) : last
  const words = `The model endpoint ${endpoint.baseUrl} ${did} (${endpoint.modelId}): ${messageOf(why)}`
  return new ServiceError(code, withoutKey(words, endpoint.apiKey), OF_MODEL)
}

const UNUSABLE: [ErrorCode, string] = ['INTERNAL_ERROR', 'gave an answer that cannot be used']

function refusalOf({ statusCode }: APICallError): [ErrorCode, string] {
  if (statusCode === undefined) return ['SERVER_UNREACHABLE', 'cannot be reached']
  if (statusCode < 300) return UNUSABLE
  const [code, did] = REFUSALS[statusCode] ?? (['INTERNAL_ERROR', 'failed'] as const)
  return [code, `${did} with HTTP ${statusCode}`]
}

/** Endpoints repeat the key that they refuse, and reasons are stored. */
function withoutKey(text: string, key: string | undefined): string {
  return key ? text.replaceAll(key, '(key)') : text
}
