import type { LanguageModel, LanguageModelMiddleware, APICallError } from 'ai'
import { BOUNDS } from '../../lib/bounds.ts'
import { MAX_ANSWER_LEVELS, MAX_INPUT_LEVELS, textHasMoreLevels, TOO_DEEP } from '../../lib/json.ts'
import type { ModelEndpoint, ModelKind } from './endpoint.ts'
import { ServiceError } from '../core/errors.ts'
import type { ErrorCode, ErrorReason } from '../../api/contract/error.ts'
import { messageOf } from '../core/one-line.ts'

/** The functions of the model library, which is loaded when it is first used. */
export type ModelLibrary = typeof import('ai')

let library: Promise<ModelLibrary> | undefined

export function loadModelLibrary(): Promise<ModelLibrary> {
  library ??= import('ai').then(loaded => {
    // The SDK prints its warnings to the console, which would corrupt the screen.
    globalThis.AI_SDK_LOG_WARNINGS = false
    return loaded
  })
  return library
}

export async function openModel(endpoint: ModelEndpoint): Promise<LanguageModel> {
  const { wrapLanguageModel } = await loadModelLibrary()
  return wrapLanguageModel({ model: await OPENERS[endpoint.kind](endpoint), middleware: boundedArguments })
}

/** Replaces arguments that are nested too deeply by {@link TOO_DEEP}, because writing them would exhaust the stack. */
const boundedArguments: LanguageModelMiddleware = {
  specificationVersion: 'v4',
  async wrapGenerate({ doGenerate }) {
    const answer = await doGenerate()
    const content = answer.content.map(part =>
      part.type === 'tool-call' && textHasMoreLevels(part.input, MAX_INPUT_LEVELS)
        ? { ...part, input: JSON.stringify(TOO_DEEP) }
        : part,
    )
    return { ...answer, content }
  },
}

const OPENERS: Record<ModelKind, (endpoint: ModelEndpoint) => Promise<Exclude<LanguageModel, string>>> = {
  async 'openai-compatible'({ provider, baseUrl, apiKey, modelId }) {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const settings = { name: provider, baseURL: baseUrl, fetch: fetchDirectly }
    return createOpenAICompatible({ ...settings, ...(apiKey !== undefined && { apiKey }) })(modelId)
  },
  async anthropic({ baseUrl, apiKey = '', modelId }) {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    // Without a key the library would read one from the environment and send it to the configured address.
    return createAnthropic({ baseURL: baseUrl, apiKey, fetch: fetchDirectly })(modelId)
  },
}

/**
 * Fetches without redirects, which would send the key elsewhere, and refuses answers that are too large or too deep.
 */
const fetchDirectly: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'error' })
  const text = await new Response(response.body?.pipeThrough(bounded())).text()
  if (textHasMoreLevels(text, MAX_ANSWER_LEVELS)) throw new Error(`It has more than ${MAX_ANSWER_LEVELS} levels.`)
  return new Response(text, response)
}

function bounded(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const { most } = BOUNDS.modelAnswer
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > most) throw new Error(`It has more than ${most} bytes.`)
      controller.enqueue(chunk)
    },
  })
}

/** Error details of every failure that a model endpoint caused. */
export const OF_MODEL = { details: { reason: 'MODEL_ENDPOINT' satisfies ErrorReason } }

/** Returns the error for work whose model gave no usable answer. */
export const unusableAnswer = (message: string): ServiceError => new ServiceError('INTERNAL_ERROR', message, OF_MODEL)

const REFUSALS: Readonly<Record<number, [code: ErrorCode, did: string]>> = {
  400: ['VALIDATION_ERROR', 'refused the request'],
  401: ['FORBIDDEN', 'refused the key'],
  403: ['FORBIDDEN', 'refused the key'],
  404: ['NOT_FOUND', 'does not know the model'],
  429: ['RATE_LIMITED', 'limits the rate of requests'],
}

/** Converts the library's error to one sentence that names the endpoint and never contains a key. */
export function toModelFailure(error: unknown, endpoint: ModelEndpoint, library: ModelLibrary): ServiceError {
  const last = library.RetryError.isInstance(error) ? error.lastError : error
  const [code, did] = library.APICallError.isInstance(last) ? refusalOf(last) : UNUSABLE
  // The library's own message for an interrupted answer says little.
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

/** Removes the key from a text. Endpoints quote a key that they refuse, and reasons are stored. */
function withoutKey(text: string, key: string | undefined): string {
  return key ? text.replaceAll(key, '(key)') : text
}
