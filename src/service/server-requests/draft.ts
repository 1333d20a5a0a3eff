import type { ModelMessage } from 'ai'
import { draftTokens, samplingMessages } from '../../domain/servers/sampling.ts'
import { ServiceError } from '../core/errors.ts'
import { chooseEndpoint } from '../models/endpoint.ts'
import { toModelFailure } from '../models/failures.ts'
import { requireModel } from '../models/ask.ts'
import { loadModelLibrary, openModel } from '../models/library.ts'
import type { ModelSettings } from '../models/settings.ts'

/**
 * The configured model's answer to a sampling request, which nobody is sent.
 * @throws ServiceError `FEATURE_NOT_SUPPORTED` without a configured model, `VALIDATION_ERROR` for what is no text, else
 *   as the endpoint refuses
 */
export async function draftAnswer(
  configured: ModelSettings | undefined,
  params: Record<string, unknown>,
  signal: AbortSignal,
): Promise<{ text: string; model: string; outputTokens: number }> {
  const access = { configured, keys: {} }
  requireModel(access)
  const messages = samplingMessages(params).map(({ role, text }): ModelMessage => {
    if (text === undefined)
      throw new ServiceError('VALIDATION_ERROR', 'Only text is given to the model; answer by hand.')
    return { role: role === 'assistant' ? 'assistant' : 'user', content: text }
  })
  const endpoint = chooseEndpoint({ model: undefined, provider: undefined }, access)
  const library = await loadModelLibrary()
  const { systemPrompt, temperature, stopSequences } = params
  try {
    const { text, usage } = await library.generateText({
      model: await openModel(endpoint),
      messages,
      maxOutputTokens: draftTokens(params),
      maxRetries: 0,
      abortSignal: signal,
      ...(typeof systemPrompt === 'string' && { instructions: systemPrompt }),
      ...(typeof temperature === 'number' && { temperature }),
      ...(Array.isArray(stopSequences) && { stopSequences: stopSequences.filter(each => typeof each === 'string') }),
    })
    return { text, model: endpoint.modelId, outputTokens: usage.outputTokens ?? 0 }
  } catch (error) {
    signal.throwIfAborted()
    throw toModelFailure(error, endpoint, library)
  }
}
