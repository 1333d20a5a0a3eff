import { ADDRESSES, isUsableKey, MODEL_KINDS, type ModelSettings } from '../../service/models/endpoint.ts'
import { UsageError } from './settings.ts'

/**
 * Returns the endpoint of prompt steps in the local workspace: `MCPDECK_MODEL_BASE_URL`, `MCPDECK_MODEL_KIND`
 * (`openai-compatible` by default, or `anthropic`, which has a default address) and `MCPDECK_MODEL_API_KEY`;
 * `MCPDECK_MODEL` is the default model.
 * @throws UsageError if one of them cannot be used
 */
export function modelSettings(env: NodeJS.ProcessEnv): ModelSettings | undefined {
  const address = env.MCPDECK_MODEL_BASE_URL
  const kindName = env.MCPDECK_MODEL_KIND || 'openai-compatible'
  const apiKey = env.MCPDECK_MODEL_API_KEY?.trim()
  const kind = MODEL_KINDS.find(known => known === kindName)
  if (!kind) throw new UsageError(`MCPDECK_MODEL_KIND is "${kindName}"; it can be ${MODEL_KINDS.join(' or ')}.`)
  if (apiKey && !isUsableKey(apiKey)) throw new UsageError('MCPDECK_MODEL_API_KEY is not a key that can be sent.')
  if (!address && !apiKey) return undefined
  if (!address && kind !== 'anthropic')
    throw new UsageError('MCPDECK_MODEL_API_KEY is set but no address: set MCPDECK_MODEL_BASE_URL too.')
  const baseUrl = address ? checkedAddress(address) : ADDRESSES.anthropic.baseUrl
  const model = env.MCPDECK_MODEL?.trim()
  return { kind, baseUrl, ...(apiKey && { apiKey }), ...(model && { model }) }
}

function checkedAddress(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(
      `MCPDECK_MODEL_BASE_URL is "${text}", which is not an http or https URL, such as http://127.0.0.1:11434/v1.`,
    )
  if (url.username || url.password || url.search)
    throw new UsageError('MCPDECK_MODEL_BASE_URL must not contain a user name, a password or a query.')
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}
