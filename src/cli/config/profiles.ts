import { statSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { homedir } from 'node:os'
import type { BadgeColour } from '../../tui/theme/badge-colours.ts'
import { addressProblem, DEFAULT_SLUG, normalAddress } from './address.ts'
import { commandArguments } from '../arguments/command-arguments.ts'
import { LOCAL_PROFILE } from './defaults.ts'
import type { Config, ProfileSettings } from './schema.ts'
import { configFile, directories } from './directories.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { ownValue } from '../../lib/own-value.ts'

/** Options of the command line that choose the source of the data. */
export type ProfileOptions = { local?: boolean; profile?: string; baseUrl?: string; dataDir?: string }

/** The source of a key. A `stored` key is typed once and saved, for one profile at one host. */
export type KeySource =
  | { kind: 'variable'; name: string }
  | { kind: 'file'; path: string }
  | { kind: 'command'; words: readonly string[]; config: string; profile: string }
  | { kind: 'stored'; path: string; profile: string; host: string }

/** A chosen service, whatever setting chose it. */
export type ServiceChoice = {
  kind: 'service'
  name: string
  baseUrl: string
  source: KeySource
  slug: string
  badge: BadgeColour | undefined
  readOnly: boolean
  project: string | undefined
  web: Readonly<Partial<Record<string, string>>> | undefined
}

/** The data source in use, and a few words about what chose it. */
export type Choice = { because: string } & ({ kind: 'local' } | ServiceChoice)

/** Name of a service that was given only by its address. */
export const UNNAMED = 'service'
const KEY_VARIABLE = 'MCPDECK_API_KEY'

/**
 * Decides where the data comes from: flag, then environment, then the default profile, then the local workspace.
 * @throws UsageError if two settings of the same rank contradict each other, or a name does not exist
 */
export function chooseProfile(
  options: ProfileOptions,
  env: NodeJS.ProcessEnv,
  config: Pick<Config, 'default' | 'profiles'>,
): Choice {
  const { local, profile, baseUrl } = options
  const flags = [local && '--local', profile !== undefined && '--profile', baseUrl !== undefined && '--base-url']
  const [first, second] = flags.filter(flag => typeof flag === 'string')
  if (first && second) throw new UsageError(`${first} and ${second} cannot be combined.`)
  if (local) return { kind: 'local', because: '--local' }
  if (profile !== undefined) return named(profile, env, config, '--profile')
  if (baseUrl !== undefined) return addressed(baseUrl, '--base-url')
  const [namedProfile, address] = [env.MCPDECK_PROFILE, env.MCPDECK_BASE_URL]
  if (namedProfile && address)
    throw new UsageError('MCPDECK_PROFILE and MCPDECK_BASE_URL are both set; unset one, or pass --profile.')
  if (namedProfile) return named(namedProfile, env, config, 'MCPDECK_PROFILE')
  if (address) return addressed(address, 'MCPDECK_BASE_URL')
  // Giving a directory chooses the local workspace.
  if (options.dataDir !== undefined) return { kind: 'local', because: '--data-dir' }
  if (config.default !== LOCAL_PROFILE) return named(config.default, env, config, 'the default profile')
  if (env[KEY_VARIABLE])
    throw new UsageError(
      `${KEY_VARIABLE} is set but no address: set MCPDECK_BASE_URL or pass --base-url, or --local to ignore the key.`,
    )
  return { kind: 'local', because: 'nothing else is configured' }
}

/** @throws UsageError for an invalid address */
export function normalizeBaseUrl(text: string): string {
  const problem = addressProblem(text)
  if (problem) throw new UsageError(`The base address "${text}" cannot be used: ${problem}.`)
  return normalAddress(text)
}

function addressed(text: string, because: string): Choice {
  const baseUrl = normalizeBaseUrl(text)
  const source: KeySource = { kind: 'variable', name: KEY_VARIABLE }
  const unset = { badge: undefined, readOnly: false, project: undefined, web: undefined }
  return { kind: 'service', name: UNNAMED, baseUrl, source, slug: DEFAULT_SLUG, ...unset, because }
}

function named(name: string, env: NodeJS.ProcessEnv, { profiles }: Pick<Config, 'profiles'>, because: string): Choice {
  if (name === LOCAL_PROFILE) return { kind: 'local', because }
  const profile = profileNamed(profiles, name)
  const baseUrl = normalAddress(profile.baseUrl)
  return {
    kind: 'service',
    name,
    baseUrl,
    source: keySource(name, profile, env),
    slug: profile.slug,
    badge: profile.badge,
    readOnly: profile.readOnly,
    project: profile.project,
    web: profile.web,
    because,
  }
}

/** Returns a profile of the config. @throws UsageError with similar names if there is none */
export function profileNamed(profiles: Config['profiles'], name: string): ProfileSettings {
  const profile = ownValue(profiles, name)
  if (profile) return profile
  const names = [LOCAL_PROFILE, ...Object.keys(profiles)]
  throw new UsageError(
    `There is no profile "${name}".${didYouMean(name, names)} There ${names.length === 1 ? 'is' : 'are'} ` +
      `${names.join(', ')}; mcpdeck profile add makes another.`,
  )
}

/**
 * Returns the key source of a profile. A profile without one uses `MCPDECK_API_KEY`, unless that belongs to the address
 * of `MCPDECK_BASE_URL`, and otherwise the stored key.
 */
export function keySource(name: string, profile: ProfileSettings, env: NodeJS.ProcessEnv): KeySource {
  const config = configFile(env)
  if (profile.keyFile !== undefined) return { kind: 'file', path: expanded(profile.keyFile, dirname(config)) }
  if (profile.keyCommand !== undefined)
    return { kind: 'command', words: commandArguments(profile.keyCommand), config, profile: name }
  if (profile.keyEnv !== undefined) return { kind: 'variable', name: profile.keyEnv }
  if (env[KEY_VARIABLE] && !env.MCPDECK_BASE_URL) return { kind: 'variable', name: KEY_VARIABLE }
  return storedKey(name, profile.baseUrl)
}

/**
 * Names the stored key of a profile by its address, so that a changed address does not send the key to another host.
 */
export function storedKey(profile: string, baseUrl: string) {
  const { host } = new URL(baseUrl)
  const path = join(directories().data, 'keys', `${profile}@${host.replaceAll(':', '_')}.key`)
  return { kind: 'stored', path, profile, host } as const
}

/** Describes a key source in words, without the key. */
export function sourceText(source: KeySource): string {
  switch (source.kind) {
    case 'variable':
      return `variable ${source.name}`
    case 'file':
      return `file ${source.path}`
    case 'command':
      return `command ${source.words[0] ?? ''}`
    case 'stored':
      return hasFile(source.path)
        ? `stored in ${source.path}`
        : `asked for at a terminal, then stored in ${source.path}`
  }
}

function expanded(path: string, base: string): string {
  if (path === '~' || path.startsWith('~/')) return join(homedir(), path.slice(1))
  return isAbsolute(path) ? path : join(base, path)
}

/** Whether a file exists, whatever its contents. */
export function hasFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}
