import { ServiceError } from '../core/errors.ts'
import { ownValue } from '../../lib/own-value.ts'

/** Protocols that a model endpoint can speak. */
export const MODEL_KINDS = ['openai-compatible', 'anthropic'] as const
export type ModelKind = (typeof MODEL_KINDS)[number]

/** The configured model endpoint: a local server or a gateway. */
export type ModelSettings = {
  kind: ModelKind
  /** Address including the version, such as `http://127.0.0.1:11434/v1`. */
  baseUrl: string
  /** Kept only in memory. Local servers need no key. */
  apiKey?: string
  /** The model that drafts, judges, plays personas and answers visitors if the contract names no other. */
  model?: string
}

declare module '../core/context.ts' {
  interface ServiceContext {
    /** The configured model endpoint. If undefined, features that need a model refuse and say how to configure one. */
    models: ModelSettings | undefined
  }
}

/** Addresses of the providers whose keys a caller may send. All other providers have to be configured. */
export const ADDRESSES = {
  openai: { kind: 'openai-compatible', baseUrl: 'https://api.openai.com/v1' },
  anthropic: { kind: 'anthropic', baseUrl: 'https://api.anthropic.com/v1' },
} as const satisfies Record<string, ModelSettings>

function addressOf(provider: string | undefined): ModelSettings | undefined {
  return provider === 'openai' || provider === 'anthropic' ? ADDRESSES[provider] : undefined
}

/** Whether a text can be sent as a key. Anything else would break the header that contains it. */
export function isUsableKey(key: string): boolean {
  return /^[\x21-\x7e]+$/.test(key)
}

/** A model as named by its case, its suite or the launch. */
export type ModelName = { model: string | undefined; provider: string | undefined }

/** The model access of a run. Neither part is ever stored. */
export type ModelAccess = {
  configured: ModelSettings | undefined
  /** The caller's keys by provider (`modelApiKeys`). */
  keys: Readonly<Record<string, string>>
}

/** One model at one address. */
export type ModelEndpoint = ModelSettings & { provider: string; modelId: string }

/**
 * Returns the endpoint of a model. A caller's key is sent to the known address of its provider, else to the configured
 * endpoint in place of its own key. Models without a caller's key use the configured endpoint.
 * @throws ServiceError `VALIDATION_ERROR` without a model or an endpoint, which a trial reports
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

/** Returns the provider: the one sent, or the prefix of `provider/name`, or the only provider with a key. */
function providerOf({ model = '', provider }: ModelName, keys: ModelAccess['keys']): string | undefined {
  if (provider !== undefined) return provider
  if (model.includes('/')) return model.slice(0, model.indexOf('/'))
  const [only, ...others] = Object.keys(keys)
  return others.length === 0 ? only : undefined
}

/** Returns an endpoint. Anthropic's protocol and a provider's own address expect models without `provider/`. */
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
