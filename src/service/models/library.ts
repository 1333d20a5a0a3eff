import type { LanguageModel, LanguageModelMiddleware } from 'ai'
import { BOUNDS } from '../../lib/bounds.ts'
import { MAX_ANSWER_LEVELS, MAX_INPUT_LEVELS, textHasMoreLevels, TOO_DEEP } from '../../lib/json.ts'
import type { ModelEndpoint } from './endpoint.ts'
import type { ModelKind } from './settings.ts'

/** The model library's functions; loading them costs time that only prompt steps pay. */
export type ModelLibrary = typeof import('ai')

let library: Promise<ModelLibrary> | undefined

export function loadModelLibrary(): Promise<ModelLibrary> {
  library ??= import('ai').then(loaded => {
    // Its warnings go to the console, which is the dashboard's screen.
    globalThis.AI_SDK_LOG_WARNINGS = false
    return loaded
  })
  return library
}

export async function openModel(endpoint: ModelEndpoint): Promise<LanguageModel> {
  const { wrapLanguageModel } = await loadModelLibrary()
  return wrapLanguageModel({ model: await OPENERS[endpoint.kind](endpoint), middleware: boundedArguments })
}

/**
 * Arguments of a tool that nest without bound would exhaust the stack of whatever writes them, the next request first:
 * {@link TOO_DEEP} stands in their place.
 */
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
    // Without a key of ours the library would take one from the environment and send it to the configured address.
    return createAnthropic({ baseURL: baseUrl, apiKey, fetch: fetchDirectly })(modelId)
  },
}

/**
 * A redirect would carry the key in `x-api-key` to whatever host it names, an answer without end would be read until
 * the memory is gone, and one that nests without bound would exhaust the stack.
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
