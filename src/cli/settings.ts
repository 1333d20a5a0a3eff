import { API_PREFIX, KEY_PREFIX } from '../api/contract/contract.ts'
import { directories } from './directories.ts'

/** Options that every command takes, as the command line gives them. */
export type CommonOptions = {
  baseUrl?: string
  local?: boolean
  dataDir?: string
  project?: string
  readOnly?: boolean
  color?: boolean
  ascii?: boolean
  logFile?: string
}

/** Where the data comes from and how it is shown. */
export type Settings = {
  target: { kind: 'local' } | { kind: 'remote'; baseUrl: string; key: string }
  /** The local workspace's directory, also for `serve`. */
  dataDir: string
  project: string | undefined
  readOnly: boolean
  color: boolean
  ascii: boolean
  logFile: string | undefined
}

/** Wrong usage or configuration: one sentence, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Base address as given, checked, without a slash at its end and with the version when it was left out. */
export function normalizeBaseUrl(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(
      `The base address "${text}" is not an http or https URL, such as https://host${API_PREFIX}.`,
    )
  if (url.username || url.password)
    throw new UsageError('The base address must not contain a user name or password.')
  const path = url.pathname.replace(/\/+$/, '')
  return `${url.origin}${path === '' ? API_PREFIX : path}`
}

/**
 * Resolves what was asked for: flag, then environment, then the local workspace.
 * @throws UsageError when an address has no key or the other way round
 */
export function resolveSettings(options: CommonOptions, env: NodeJS.ProcessEnv): Settings {
  const baseUrl = options.baseUrl ?? env.MCPDECK_BASE_URL
  const common = {
    dataDir: options.dataDir ?? env.MCPDECK_DATA_DIR ?? directories().data,
    project: options.project,
    readOnly: options.readOnly ?? false,
    color: options.color ?? true,
    ascii: options.ascii ?? false,
    logFile: options.logFile,
  }
  if (options.local && options.baseUrl) throw new UsageError('--local and --base-url exclude each other.')
  if (options.local || !baseUrl) {
    if (!options.local && env.MCPDECK_API_KEY && !options.dataDir)
      throw new UsageError(
        'MCPDECK_API_KEY is set but no address: set MCPDECK_BASE_URL or pass --base-url, or --local to ignore the key.',
      )
    return { target: { kind: 'local' }, ...common }
  }
  const key = env.MCPDECK_API_KEY
  if (!key)
    throw new UsageError(
      `No key for ${baseUrl}: set MCPDECK_API_KEY. A key is never taken as an argument, others could read it.`,
    )
  if (!key.startsWith(KEY_PREFIX))
    throw new UsageError(
      `MCPDECK_API_KEY does not look like a key of the service: it starts with "${KEY_PREFIX}".`,
    )
  return { target: { kind: 'remote', baseUrl: normalizeBaseUrl(baseUrl), key }, ...common }
}
