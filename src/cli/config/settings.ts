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
  /** Every given `--project`. */
  projects?: readonly string[]
  readOnly?: boolean
  color?: boolean
  ascii?: boolean
  theme?: string
  mouse?: boolean
  screenReader?: boolean
  logFile?: string
}

/** Where the data comes from and how it is shown. */
export type Settings = {
  target:
    | { kind: 'local' }
    | {
        kind: 'remote'
        baseUrl: string
        key: string
        /** Where the key comes from, in words. */
        keySource: string
        slug: string
      }
  /** How the header names and marks the source of the data. */
  profile: {
    name: string
    badge: BadgeColour | undefined
    /** Addresses of its hosted UI by screen. */
    web?: Readonly<Partial<Record<string, string>>> | undefined
  }
  /** The local workspace's directory, also for `serve`. */
  dataDir: string
  /** Port of `serve`, to which the share links of the local workspace lead. */
  port: number
  project: string | undefined
  readOnly: boolean
  color: boolean
  ascii: boolean
  logFile: string | undefined
  /** Look and keys from the config file; options and the environment take precedence. */
  preferences: Preferences
}

type LocalSettings = Pick<Settings, 'dataDir' | 'logFile' | 'port'>

/** The settings of a command that only uses the local workspace. */
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
 * Resolves what was asked for (see {@link chooseProfile}) and reads the key of a service, which may ask for it.
 * @throws UsageError when the config file is wrong, a name is none, or there is no usable key
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

/** The settings for a choice, with its key; the local workspace needs none. */
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
