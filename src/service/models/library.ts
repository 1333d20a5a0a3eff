import type { LanguageModel } from 'ai'
import { BOUNDS } from '../../lib/bounds.ts'
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

export function openModel(endpoint: ModelEndpoint): Promise<LanguageModel> {
  return OPENERS[endpoint.kind](endpoint)
}

const OPENERS: Record<ModelKind, (endpoint: ModelEndpoint) => Promise<LanguageModel>> = {
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
 * A redirect would carry the key in `x-api-key` to whatever host it names, and an answer without end would be read
 * until the memory is gone.
 */
const fetchDirectly: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'error' })
  return new Response(response.body?.pipeThrough(bounded()), response)
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
