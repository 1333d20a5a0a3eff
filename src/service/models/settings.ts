/** Protocols that a model endpoint can speak. */
export const MODEL_KINDS = ['openai-compatible', 'anthropic'] as const
export type ModelKind = (typeof MODEL_KINDS)[number]

/** The one endpoint that is configured for prompt steps; a local server as well as a gateway. */
export type ModelSettings = {
  kind: ModelKind
  /** Address up to and with the version, such as `http://127.0.0.1:11434/v1`. */
  baseUrl: string
  /** Kept in memory only; local servers need none. */
  apiKey?: string
  /** The model that drafts, judges, plays personas and answers visitors where the contract names none. */
  model?: string
}

declare module '../core/context.ts' {
  interface ServiceContext {
    /** The configured model endpoint; undefined = features with a model refuse and say how to configure one. */
    models: ModelSettings | undefined
  }
}

/** Where a key that a caller sends for a provider may go; every other provider has to be configured. */
export const ADDRESSES = {
  openai: { kind: 'openai-compatible', baseUrl: 'https://api.openai.com/v1' },
  anthropic: { kind: 'anthropic', baseUrl: 'https://api.anthropic.com/v1' },
} as const satisfies Record<string, ModelSettings>

/** The address of a provider that has one of its own. */
export function addressOf(provider: string | undefined): ModelSettings | undefined {
  return provider === 'openai' || provider === 'anthropic' ? ADDRESSES[provider] : undefined
}

/** Whether a text can be sent as a key; anything else would break the header that carries it. */
export function isUsableKey(key: string): boolean {
  return /^[\x21-\x7e]+$/.test(key)
}
