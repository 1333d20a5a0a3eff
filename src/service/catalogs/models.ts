import * as z from 'zod'
import { shape } from '../../api/contract/shapes.ts'
import type { ModelCatalog } from '../../api/contract/catalogs.ts'
import { messageOf, oneLine } from '../core/one-line.ts'
import type { ModelKind, ModelSettings } from '../models/settings.ts'

/** Longest wait for the endpoint's own list in milliseconds, and its longest answer in bytes. */
const LIST_MS = 3000
const MOST_BYTES = 2 * 1024 * 1024
const MOST_MODELS = 1000

const Listed = shape(() =>
  z.object({
    data: z.array(z.object({ id: z.string().min(1), display_name: z.string().optional() })),
    has_more: z.boolean().optional(),
  }),
)

const KEY_HEADERS: Record<ModelKind, (key: string) => Record<string, string>> = {
  'openai-compatible': key => ({ authorization: `Bearer ${key}` }),
  anthropic: key => ({ 'x-api-key': key }),
}

/**
 * The models that prompts can use here: the configured one and whatever its endpoint lists. Nothing is hosted, so there
 * is nothing else. An endpoint without a list is no error.
 */
export async function modelCatalog(settings: ModelSettings | undefined, signal: AbortSignal): Promise<ModelCatalog> {
  if (!settings)
    return {
      items: [],
      endpoint: null,
      note:
        'No model is configured: set MCPDECK_MODEL_BASE_URL (any OpenAI-compatible or Anthropic endpoint) and ' +
        'MCPDECK_MODEL.',
    }
  const { kind, baseUrl, model } = settings
  const listing = await listModels(settings, signal)
  const others = listing.models.filter(({ id }) => id !== model)
  const configured = listing.models.find(({ id }) => id === model) ?? (model === undefined ? [] : { id: model })
  return {
    items: [configured, others].flat().map(entry => ({ ...entry, isDefault: entry.id === model })),
    endpoint: { kind, baseUrl },
    ...(listing.problem !== undefined && { note: listing.problem }),
  }
}

/** `isWhole` = there is no other model behind these. */
type Listing = { models: { id: string; name?: string }[]; isWhole: boolean; problem?: string }

/** What an endpoint says that it serves; that it says nothing is no error. Rejects with the signal's reason. */
export async function listModels({ kind, baseUrl, apiKey }: ModelSettings, signal: AbortSignal): Promise<Listing> {
  const headers = {
    ...(kind === 'anthropic' && { 'anthropic-version': '2023-06-01' }),
    ...(apiKey !== undefined && KEY_HEADERS[kind](apiKey)),
  }
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/models`, {
      headers,
      // A redirect would carry the key to whatever host it names.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(LIST_MS)]),
    })
    if (!response.ok) throw new Error(`it answered HTTP ${response.status}`)
    const { data, has_more: hasMore = false } = Listed().parse(JSON.parse(await readText(response)))
    const models = data
      .slice(0, MOST_MODELS)
      .map(({ id, display_name: name }) => ({ id: oneLine(id), ...(name !== undefined && { name: oneLine(name) }) }))
    return { models, isWhole: !hasMore && data.length <= MOST_MODELS }
  } catch (error) {
    signal.throwIfAborted()
    const isOther = error instanceof z.ZodError || error instanceof SyntaxError
    const why = isOther ? 'the answer is not a list' : messageOf(error)
    const problem = `The model list of the endpoint cannot be read: ${why}.`
    // Runtimes repeat a header that they cannot send.
    return { models: [], isWhole: false, problem: apiKey ? problem.replaceAll(apiKey, '(key)') : problem }
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength
    if (length > MOST_BYTES) throw new Error(`the answer is larger than ${MOST_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
