import type { BadgeColour } from '../../tui/theme/badge-colours.ts'
import { readConfig } from './file.ts'
import { LOCAL_PROFILE } from './defaults.ts'
import type { Preferences } from './schema.ts'
import { directories } from './directories.ts'
import type { AskSecret } from './profile-key.ts'
import { type Choice, chooseProfile, type ProfileOptions, sourceText } from './profiles.ts'
import { askSecret } from './secret-prompt.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { DEFAULT_PORT } from '../../service/core/urls.ts'

export { UsageError }

/** Options of every command, as given by the command line. */
export type CommonOptions = ProfileOptions & {
  project?: string
  /** All values of `--project`. */
  projects?: readonly string[]
  readOnly?: boolean
  color?: boolean
  ascii?: boolean
  theme?: string
  mouse?: boolean
  screenReader?: boolean
  logFile?: string
}

/** The source of the data, and how it is shown. */
export type Settings = {
  target:
    | { kind: 'local' }
    | {
        kind: 'remote'
        baseUrl: string
        key: string
        /** Describes the source of the key. */
        keySource: string
        slug: string
      }
  /** Name of the data source in the header, and how the header marks it. */
  profile: {
    name: string
    badge: BadgeColour | undefined
    /** Addresses of the service's hosted UI by screen. */
    web?: Readonly<Partial<Record<string, string>>> | undefined
  }
  /** Directory of the local workspace, also for `serve`. */
  dataDir: string
  /** Port of `serve`, which the share links of the local workspace use. */
  port: number
  project: string | undefined
  readOnly: boolean
  color: boolean
  ascii: boolean
  logFile: string | undefined
  /** Looks and keys from the config file; options and the environment override them. */
  preferences: Preferences
}

type LocalSettings = Pick<Settings, 'dataDir' | 'logFile' | 'port'>

/** Returns the settings of a command that works only on the local workspace. */
export function localSettings(options: CommonOptions, env: NodeJS.ProcessEnv): LocalSettings {
  const dataDir = options.dataDir ?? (env.MCPDECK_DATA_DIR || directories().data)
  return { dataDir, logFile: options.logFile, port: portOf(env.MCPDECK_PORT) }
}

/** @throws UsageError if the text is not a port */
function portOf(text: string | undefined): number {
  if (!text) return DEFAULT_PORT
  if (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new UsageError('MCPDECK_PORT is not a port; give a whole number from 1 to 65535.')
}

/**
 * Resolves the requested source (see {@link chooseProfile}) and reads the key of a service, which may ask the person
 * for it.
 * @throws UsageError if the config file is invalid, a name does not exist, or there is no usable key
 */
export async function resolveSettings(
  options: CommonOptions,
  env: NodeJS.ProcessEnv,
  ask: AskSecret = askSecret,
): Promise<Settings> {
  const { default: defaultProfile, profiles, ...preferences } = await readConfig(env)
  const choice = chooseProfile(options, env, { default: defaultProfile, profiles })
  if (choice.kind === 'local') return settingsOf(choice, '', preferences, options, env)
  const { readKey } = await import('./profile-key.ts')
  return settingsOf(choice, await readKey(choice, env, ask), preferences, options, env)
}

/** Returns the settings of the chosen source, with its key; the local workspace needs none. */
export function settingsOf(
  choice: Choice,
  key: string,
  preferences: Preferences,
  options: CommonOptions,
  env: NodeJS.ProcessEnv,
): Settings {
  const common = {
    ...localSettings(options, env),
    project: options.project,
    readOnly: options.readOnly ?? false,
    color: options.color ?? true,
    ascii: options.ascii ?? false,
    preferences,
  }
  if (choice.kind === 'local')
    return { target: { kind: 'local' }, profile: { name: LOCAL_PROFILE, badge: undefined }, ...common }
  const { name, badge, baseUrl, slug, web } = choice
  return {
    ...common,
    target: { kind: 'remote', baseUrl, key, keySource: sourceText(choice.source), slug },
    profile: { name, badge, web },
    project: common.project ?? choice.project,
    readOnly: common.readOnly || choice.readOnly,
  }
}
