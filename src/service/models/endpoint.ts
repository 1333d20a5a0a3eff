import { ServiceError } from '../core/errors.ts'
import { addressOf, type ModelSettings } from './settings.ts'
import { ownValue } from '../../lib/own-value.ts'

/** A model as its case, its suite or the launch names it. */
export type ModelName = { model: string | undefined; provider: string | undefined }

/** What a run may use; neither part is ever written anywhere. */
export type ModelAccess = {
  configured: ModelSettings | undefined
  /** Keys of the caller by provider (`modelApiKeys`). */
  keys: Readonly<Record<string, string>>
}

/** One model behind one address. */
export type ModelEndpoint = ModelSettings & {
  provider: string
  /** The id that is sent. */
  modelId: string
}

/**
 * Where a model is reached: the caller's key goes to its provider's own address; a key for a provider without a known
 * address, and every model without a key, goes to the configured endpoint.
 * Without any way to a model a launch is not refused, since cases without prompt steps need none; the trial says what
 * is missing.
 * @throws ServiceError `VALIDATION_ERROR` with the one thing to do
 */
export function chooseEndpoint(name: ModelName, { configured, keys }: ModelAccess): ModelEndpoint {
  const model = name.model ?? configured?.model
  if (!model)
    throw new ServiceError(
      'VALIDATION_ERROR',
      'The prompt has no model: name one in the case or its suite, or set MCPDECK_MODEL.',
    )
  const provider = providerOf({ ...name, model }, keys)
  const key = ownValue(keys, provider)
  const own = addressOf(provider)
  if (own && key !== undefined) return endpoint({ ...own, apiKey: key }, model, provider)
  if (configured) return endpoint({ ...configured, ...(key !== undefined && { apiKey: key }) }, model, provider)
  throw new ServiceError('VALIDATION_ERROR', whatToDo(model, provider, key !== undefined))
}

/** The provider as sent, else the prefix of `provider/name`, else the only one that has a key. */
function providerOf({ model = '', provider }: ModelName, keys: ModelAccess['keys']): string | undefined {
  if (provider !== undefined) return provider
  if (model.includes('/')) return model.slice(0, model.indexOf('/'))
  const [only, ...others] = Object.keys(keys)
  return others.length === 0 ? only : undefined
}

/**
 * A provider's own address knows its models without `provider/`; gateways and local servers use slashes in ids of
 * their own, so theirs are sent as they were written.
 */
function endpoint(settings: ModelSettings, model: string, provider = 'configured'): ModelEndpoint {
  const prefix = `${provider}/`
  const isOwn = settings.kind === 'anthropic' || addressOf(provider)?.baseUrl === settings.baseUrl
  const modelId = isOwn && model.startsWith(prefix) ? model.slice(prefix.length) : model
  return { ...settings, provider, modelId }
}

function whatToDo(model: string, provider: string | undefined, hasKey: boolean): string {
  if (provider === undefined)
    return `No endpoint is configured for the model "${model}": set MCPDECK_MODEL_BASE_URL, or name its provider.`
  if (hasKey) return `The provider "${provider}" has no known address: set MCPDECK_MODEL_BASE_URL to its endpoint.`
  return `There is no key for "${provider}": send modelApiKeys.${provider} with the run, or set MCPDECK_MODEL_BASE_URL.`
}
