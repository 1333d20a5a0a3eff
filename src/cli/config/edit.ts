import { isMap } from 'yaml'
import { type LoadedConfig, loadConfig, writeConfig } from './file.ts'
import { defaultFile } from './default-file.ts'
import { LOCAL_PROFILE } from './defaults.ts'
import type { ProfileSettings } from './schema.ts'
import { profileNamed } from './profiles.ts'
import { UsageError } from '../arguments/usage-error.ts'
import type { Share } from '../../domain/polling/share.ts'

/** A profile to write; settings at their default are left out. */
export type NewProfile = Partial<ProfileSettings> & Pick<ProfileSettings, 'baseUrl'>

/**
 * Adds a profile to the config file; comments and everything else are kept.
 * @throws UsageError if the name is taken
 */
export async function addProfile(name: string, profile: NewProfile): Promise<void> {
  await changeConfig(({ config, document }) => {
    if (Object.hasOwn(config.profiles, name))
      throw new UsageError(`There is a profile "${name}" already; remove it first, or edit the config file.`)
    document.setIn(['profiles', name], document.createNode(profile))
  })
}

/** Makes a profile the default one; `local` is the local workspace. */
export async function makeDefault(name: string): Promise<void> {
  await changeConfig(({ config, document }) => {
    if (name !== LOCAL_PROFILE) profileNamed(config.profiles, name)
    document.set('default', name)
  })
}

/** Removes a profile from the config file; if it was the default, the local workspace becomes the default. */
export async function removeProfile(name: string): Promise<void> {
  await changeConfig(({ config, document }) => {
    profileNamed(config.profiles, name)
    document.deleteIn(['profiles', name])
    if (Object.keys(config.profiles).length === 1) document.delete('profiles')
    if (config.default === name) document.delete('default')
    // An empty block would be written as {} below the comments.
    if (isMap(document.contents) && document.contents.items.length === 0) document.contents = null
  })
}

/** Changes the config file. The first change starts from the commented default file, as written by `config init`. */
async function changeConfig(work: (loaded: LoadedConfig) => void): Promise<void> {
  await change(process.env, defaultFile(), work)
}

/** Makes a change again, from what is there then, for as long as other commands change the file at the same time. */
async function change(
  env: NodeJS.ProcessEnv,
  without: string,
  work: (loaded: LoadedConfig) => void,
): Promise<LoadedConfig> {
  for (;;) {
    const loaded = await loadConfig(env, without)
    work(loaded)
    // Loading returns only documents without errors.
    const text = loaded.document.toString({ lineWidth: 0, nullStr: '' })
    if (await writeConfig(loaded.path, text, loaded.text)) return loaded
  }
}

/**
 * Writes the theme to the config file, whose comments are kept; returns the end of a sentence that says where.
 * @throws UsageError if the file is invalid or cannot be written
 */
export async function keepTheme(name: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { path } = await change(env, '', ({ document }) => document.set('theme', name))
  return env.MCPDECK_THEME ? `${path}; MCPDECK_THEME goes before it` : path
}

/** Stores how often a screen is read in the config file; the default is left out. */
export async function saveShare(screen: string, share: Share): Promise<void> {
  await changeConfig(({ document }) => {
    if (share !== 'usual') {
      document.setIn(['reads', screen], share)
      return
    }
    document.deleteIn(['reads', screen])
    const reads = document.get('reads')
    if (isMap(reads) && reads.items.length === 0) document.delete('reads')
    if (isMap(document.contents) && document.contents.items.length === 0) document.contents = null
  })
}
