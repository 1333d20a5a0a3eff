import { listModels } from '../catalogs/models.ts'
import { ServiceError } from '../core/errors.ts'
import type { CaseSnapshot } from '../evals/types.ts'
import { chooseEndpoint, type ModelEndpoint } from '../models/endpoint.ts'
import type { ModelSettings } from '../models/settings.ts'

/**
 * The ids of all models that the configured endpoint serves; undefined = it lists none, or not all, so that none is
 * refused.
 */
export type OfferedModels = readonly string[] | undefined

/** Ids that a refusal names. */
const MOST_NAMED = 100

/** Reads what the configured endpoint serves, where some step may ask a model. */
export async function offeredModels(
  models: ModelSettings | undefined,
  asked: readonly { steps: readonly { kind: string }[] }[],
  signal: AbortSignal,
): Promise<OfferedModels> {
  if (!models || !asked.some(asksModel)) return undefined
  const { models: listed, isWhole } = await listModels(models, signal)
  return isWhole && listed.length > 0 ? listed.map(({ id }) => id) : undefined
}

/**
 * Refuses a run of which some case asks a model that nobody can execute ("Run create inputs": `model`). Cases without a
 * prompt ask none; a model that the caller's own key reaches is for its provider to know.
 * @throws ServiceError `VALIDATION_ERROR` with `hostedModels`
 */
export function requireExecutable(
  cases: readonly CaseSnapshot[],
  configured: ModelSettings | undefined,
  offered: OfferedModels,
  keys: Readonly<Record<string, string>> = {},
): void {
  if (!configured || !offered) return
  const refused = cases.filter(asksModel).find(({ model, provider }) => {
    const endpoint = endpointOf({ model, provider }, configured, keys)
    return endpoint && endpoint.modelId !== configured.model && !isOffered(endpoint.modelId, offered)
  })
  if (!refused) return
  const { model = '', title } = refused
  const prefix = model.slice(0, model.indexOf('/') + 1)
  const ofProvider = offered.filter(id => prefix !== '' && id.startsWith(prefix))
  throw new ServiceError(
    'VALIDATION_ERROR',
    `The model "${model}" of the case "${title}" cannot be executed: ${configured.baseUrl} does not serve it.`,
    { details: { field: 'model', hostedModels: (ofProvider.length > 0 ? ofProvider : offered).slice(0, MOST_NAMED) } },
  )
}

/** The configured endpoint, where a model is reached by it with its own key. */
function endpointOf(
  name: { model: string | undefined; provider: string | undefined },
  configured: ModelSettings,
  keys: Readonly<Record<string, string>>,
): ModelEndpoint | undefined {
  const endpoint = chooseEndpoint(name, { configured, keys })
  return endpoint.baseUrl === configured.baseUrl && endpoint.apiKey === configured.apiKey ? endpoint : undefined
}

/** Endpoints take names that stand for a dated or tagged model of their list: `llama3` for `llama3:latest`. */
function isOffered(model: string, offered: readonly string[]): boolean {
  const name = model.toLowerCase().replace(/[-:]latest$/, '')
  return offered.some(id => {
    const known = id.toLowerCase()
    return known === name || known.startsWith(`${name}:`) || known.startsWith(`${name}-`) || known.endsWith(`/${name}`)
  })
}

function asksModel({ steps }: { steps: readonly { kind: string }[] }): boolean {
  return steps.some(({ kind }) => kind === 'prompt')
}
