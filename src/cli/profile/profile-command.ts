import { jsonText } from '../../lib/printable.ts'
import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { BADGE_COLOURS } from '../../tui/theme/badge-colours.ts'
import { confirmPrompt } from '../output/confirm-prompt.ts'
import { readConfig } from '../config/file.ts'
import { LOCAL_PROFILE } from '../config/defaults.ts'
import type { ProfileSettings } from '../config/schema.ts'
import { EXIT } from '../process/exit-codes.ts'
import { addProfile, type NewProfile, removeProfile, makeDefault } from '../config/edit.ts'
import { typedKey } from '../config/profile-key.ts'
import {
  chooseProfile,
  hasFile,
  keySource,
  normalizeBaseUrl,
  profileNamed,
  sourceText,
  storedKey,
} from '../config/profiles.ts'
import { askSecret } from '../config/secret-prompt.ts'
import { UsageError, type CommonOptions } from '../config/settings.ts'
import { printItems } from '../output/print-items.ts'
import { say } from '../output/prose.ts'

/** Options of `profile add`. */
export type AddOptions = {
  keyFile?: string
  keyCommand?: string
  keyEnv?: string
  slug?: string
  badge?: string
  use?: boolean
}

/** A line of `profile list`, with the source of the key but never the key. */
type ProfileLine = {
  name: string
  baseUrl: string | null
  keySource: string | null
  isDefault: boolean
  readOnly: boolean
}

/** Lists the profiles of the config file and the local workspace. */
export async function listProfiles(own: { json?: boolean; names?: boolean }): Promise<number> {
  const config = await readConfig(process.env)
  const line = (name: string, profile?: ProfileSettings): ProfileLine => ({
    name,
    baseUrl: profile?.baseUrl ?? null,
    keySource: profile ? sourceText(keySource(name, profile, process.env)) : null,
    isDefault: config.default === name,
    readOnly: profile?.readOnly ?? false,
  })
  const lines = [line(LOCAL_PROFILE), ...Object.entries(config.profiles).map(([name, profile]) => line(name, profile))]
  if (own.names) process.stdout.write(lines.map(({ name }) => `${name}\n`).join(''))
  else
    printItems(lines, own.json, each => [
      each.isDefault ? '*' : ' ',
      each.name,
      each.baseUrl ?? 'this machine',
      each.readOnly ? 'read-only' : '-',
      each.keySource ?? 'needs no key',
    ])
  return EXIT.done
}

/** Prints one profile, by default the one that would be opened. */
export async function showProfile(
  name: string | undefined,
  common: CommonOptions,
  json: boolean | undefined,
): Promise<number> {
  const config = await readConfig(process.env)
  const choice = chooseProfile({ ...common, ...(name !== undefined && { profile: name }) }, process.env, config)
  const shown =
    choice.kind === 'local'
      ? { name: LOCAL_PROFILE, because: choice.because }
      : {
          name: choice.name,
          because: choice.because,
          baseUrl: choice.baseUrl,
          keySource: sourceText(choice.source),
          slug: choice.slug,
          badge: choice.badge ?? null,
          readOnly: choice.readOnly,
          project: choice.project ?? null,
        }
  if (json) process.stdout.write(`${jsonText(shown)}\n`)
  else
    printItems(
      Object.entries(shown).filter(([, value]) => value !== null),
      false,
      ([field, value]) => [field, String(value)],
    )
  return EXIT.done
}

/** Adds a profile; asks for its key if there is a terminal and no other source of the key. */
export async function newProfile(
  name: string,
  address: string,
  common: CommonOptions,
  { use, badge, keyFile, ...own }: AddOptions,
): Promise<number> {
  const profile: NewProfile = {
    baseUrl: normalizeBaseUrl(address),
    ...own,
    // On the command line a path is relative to the current folder, in the file to the file.
    ...(keyFile !== undefined && { keyFile: keyFile.startsWith('~/') ? keyFile : resolve(keyFile) }),
    ...(badge !== undefined && { badge: badgeNamed(badge) }),
    ...(common.readOnly && { readOnly: true }),
    ...(common.project !== undefined && { project: common.project }),
  }
  await addProfile(name, profile)
  if (use) await makeDefault(name)
  const { profiles } = await readConfig(process.env)
  const source = keySource(name, profileNamed(profiles, name), process.env)
  if (source.kind === 'stored' && process.stdin.isTTY) await typedKey({ source, name }, askSecret)
  say(`Profile ${name} is ${use ? 'the default now' : 'there'}; its key: ${sourceText(source)}.`)
  return EXIT.done
}

function badgeNamed(text: string) {
  const badge = BADGE_COLOURS.find(colour => colour === text)
  if (!badge) throw new UsageError(`--badge is "${text}"; it can be ${BADGE_COLOURS.join(', ')}.`)
  return badge
}

/** Makes a profile the default. */
export async function chooseDefault(name: string): Promise<number> {
  await makeDefault(name)
  say(`${name} opens by default.`)
  return EXIT.done
}

/** Removes a profile and its stored key; other key sources are not changed. */
export async function dropProfile(name: string, yes: boolean | undefined): Promise<number> {
  const { profiles } = await readConfig(process.env)
  const { path } = storedKey(name, profileNamed(profiles, name).baseUrl)
  const hasKey = hasFile(path)
  if (hasKey && !yes && !(await confirmPrompt(`Profile ${name} is removed, and its key in ${path} with it`)))
    return EXIT.noVerdict
  await removeProfile(name)
  rmSync(path, { force: true })
  say(`Profile ${name} is gone${hasKey ? ', and its key' : ''}.`)
  return EXIT.done
}
