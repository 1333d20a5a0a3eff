import { ServiceError } from '../core/errors.ts'
import { ownValue } from '../../lib/own-value.ts'

/** Protocols that a model endpoint may use. */
export const MODEL_KINDS = ['openai-compatible', 'anthropic'] as const
export type ModelKind = (typeof MODEL_KINDS)[number]

/** The configured model endpoint: a local server or a gateway. */
export type ModelSettings = {
  kind: ModelKind
  /** Address with the version, such as `http://127.0.0.1:11434/v1`. */
  baseUrl: string
  /** Kept only in memory. Absent if the server needs no key. */
  apiKey?: string
  /** The model that drafts, judges, plays personas and answers visitors if a request names no other. */
  model?: string
}

declare module '../core/context.ts' {
  interface ServiceContext {
    /**
     * The configured model endpoint. If undefined, features that need a model are refused with the way to configure
     * one.
     */
    models: ModelSettings | undefined
  }
}

/** Addresses of the providers for which a caller may send a key. Any other provider has to be configured. */
export const ADDRESSES = {
  openai: { kind: 'openai-compatible', baseUrl: 'https://api.openai.com/v1' },
  anthropic: { kind: 'anthropic', baseUrl: 'https://api.anthropic.com/v1' },
} as const satisfies Record<string, ModelSettings>

function addressOf(provider: string | undefined): ModelSettings | undefined {
  return provider === 'openai' || provider === 'anthropic' ? ADDRESSES[provider] : undefined
}

/** Whether a text can be sent as a key. Other texts cannot be part of a header. */
export function isUsableKey(key: string): boolean {
  return /^[\x21-\x7e]+$/.test(key)
}

/** A model as named by its case, its suite or the launch. */
export type ModelName = { model: string | undefined; provider: string | undefined }

/** The models that a run can use. Neither part is ever stored. */
export type ModelAccess = {
  configured: ModelSettings | undefined
  /** The caller's keys by provider (`modelApiKeys`). */
  keys: Readonly<Record<string, string>>
}

/** One model at one address. */
export type ModelEndpoint = ModelSettings & { provider: string; modelId: string }

/**
 * Returns the endpoint of a model. If the caller sent a key for the model's provider, it is used with the known address
 * of the provider, or with the configured endpoint in place of the configured key. Otherwise the configured endpoint is
 * used with its own key.
 * @throws ServiceError `VALIDATION_ERROR` if there is no model or no endpoint; a trial reports the message
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

/**
 * Returns the provider of a model: the one that was sent, else the prefix in `provider/name`, else the only one with a
 * key.
 */
function providerOf({ model = '', provider }: ModelName, keys: ModelAccess['keys']): string | undefined {
  if (provider !== undefined) return provider
  if (model.includes('/')) return model.slice(0, model.indexOf('/'))
  const [only, ...others] = Object.keys(keys)
  return others.length === 0 ? only : undefined
}

/**
 * Returns an endpoint. With Anthropic's protocol, and at a provider's own address, `provider/` is removed from the
 * model.
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
