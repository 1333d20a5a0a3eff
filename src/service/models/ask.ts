import * as z from 'zod'
import { hasMoreLevels, MAX_INPUT_LEVELS } from '../../lib/json.ts'
import { ServiceError } from '../core/errors.ts'
import { chooseEndpoint, type ModelAccess, type ModelName } from './endpoint.ts'
import { OF_MODEL, toModelFailure, loadModelLibrary, openModel } from './library.ts'
import { NO_TOKENS, readUsage, type TokenUsage } from '../core/token-usage.ts'
/** A question that a model answers with JSON of a given shape. */
export type Question<T> = {
  /** The model to ask. What is absent comes from the configuration. */
  name?: Partial<ModelName>
  /** The role of the model and the rules that it must follow. */
  instructions: string
  /** Everything that the model works on. Text of servers and visitors belongs here, never in the instructions. */
  prompt: string
  shape: z.ZodType<T>
  /** Name of the shape, which some endpoints require. */
  shapeName: string
  temperature?: number
  signal: AbortSignal
  /** Called with the usage of an answer, even of one that cannot be used. */
  spend?: (usage: TokenUsage) => void
}

export type Answered<T> = { value: T; model: string; usage: TokenUsage }

/** Says how to configure a model. Shown by features that need one. */
export const NO_MODEL_CONFIGURED =
  'This needs a model: set MCPDECK_MODEL_BASE_URL (any OpenAI-compatible or Anthropic endpoint) and MCPDECK_MODEL.'

/**
 * Asks a model and validates its answer. The library repeats requests that failed temporarily.
 * @throws ServiceError `FEATURE_NOT_SUPPORTED`, `SERVER_UNREACHABLE`, `FORBIDDEN`, `NOT_FOUND`, `RATE_LIMITED`,
 * `VALIDATION_ERROR`, `INTERNAL_ERROR` for an answer of another shape
 */
export async function askForObject<T>(access: ModelAccess, question: Question<T>): Promise<Answered<T>> {
  const { name, instructions, prompt, shape, shapeName, temperature, signal, spend } = question
  requireModel(access, name)
  const endpoint = chooseEndpoint({ model: name?.model, provider: name?.provider }, access)
  const library = await loadModelLibrary()
  try {
    const { output, usage } = await library.generateText({
      model: await openModel(endpoint),
      instructions: `${instructions}\n${answerAs(shape)}`,
      prompt,
      output: library.Output.object({ schema: shape, name: shapeName }),
      abortSignal: signal,
      onLanguageModelCallEnd: ({ usage }) => spend?.(readUsage(usage) ?? NO_TOKENS),
      ...(temperature !== undefined && { temperature }),
    })
    if (hasMoreLevels(output, MAX_INPUT_LEVELS)) throw new Error(`Its answer has more than ${MAX_INPUT_LEVELS} levels.`)
    return { value: output, model: endpoint.modelId, usage: readUsage(usage) ?? NO_TOKENS }
  } catch (error) {
    signal.throwIfAborted()
    throw toModelFailure(error, endpoint, library)
  }
}

/** Returns an instruction that contains the shape, because many endpoints accept no schema. */
function answerAs(shape: z.ZodType): string {
  return `Answer with one JSON document and nothing else. Its JSON Schema: ${JSON.stringify(z.toJSONSchema(shape))}`
}

/**
 * Refuses a request if there is no model, before anything is written or counted.
 * @throws ServiceError `FEATURE_NOT_SUPPORTED`
 */
export function requireModel({ configured, keys }: ModelAccess, name: Partial<ModelName> = {}): void {
  const named = name.model ?? configured?.model
  if (named === undefined || (!configured && Object.keys(keys).length === 0))
    throw new ServiceError('FEATURE_NOT_SUPPORTED', NO_MODEL_CONFIGURED)
}

/** Time limit in milliseconds for one piece of work of a model, such as a turn with all its tool calls, or a grade. */
export const MODEL_DEADLINE_MS = 300_000

/**
 * Runs work with a deadline. @param what the subject of the sentence in the error @throws ServiceError `TIMEOUT`; the
 * signal's reason
 */
export async function withDeadline<T>(
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
  what = 'The model',
): Promise<T> {
  const timeout = AbortSignal.timeout(ms)
  try {
    return await work(AbortSignal.any([signal, timeout]))
  } catch (error) {
    signal.throwIfAborted()
    if (!timeout.aborted) throw error
    throw new ServiceError('TIMEOUT', `${what} did not finish within ${ms / 1000} s.`, { ...OF_MODEL, cause: error })
  }
}
