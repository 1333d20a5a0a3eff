import { isMap } from 'yaml'
import { type LoadedConfig, loadConfig, writeConfig } from './file.ts'
import { defaultFile } from './default-file.ts'
import { LOCAL_PROFILE } from './defaults.ts'
import type { ProfileSettings } from './schema.ts'
import { profileNamed } from './profiles.ts'
import { UsageError } from '../arguments/usage-error.ts'
import type { Share } from '../../domain/polling/share.ts'

/** A profile as it is written: what is at its default stays out of the file. */
export type NewProfile = Partial<ProfileSettings> & Pick<ProfileSettings, 'baseUrl'>

/**
 * Adds a profile to the config file; comments and everything else in it stay. @throws UsageError when the name is taken
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

/** Takes a profile out of the config file; the local workspace is the default again where it was the default. */
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

/** Changes the config file. The first change begins with the commented default file, as `config init` writes it. */
export async function changeConfig(work: (loaded: LoadedConfig) => void): Promise<void> {
  const loaded = await loadConfig(process.env, defaultFile())
  work(loaded)
  // Only a document without errors comes out of loading.
  await writeConfig(loaded.path, loaded.document.toString({ lineWidth: 0, nullStr: '' }))
}

/**
 * Writes the theme into the config file, whose comments stay; answers the sentence's end that says where.
 * @throws UsageError when the file is wrong or cannot be written
 */
export async function keepTheme(name: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { path, document } = await loadConfig(env)
  document.set('theme', name)
  await writeConfig(path, document.toString({ lineWidth: 0, nullStr: '' }))
  return env.MCPDECK_THEME ? `${path}; MCPDECK_THEME goes before it` : path
}

/** Stores how often a screen is read in the config file; what is usual stays out of it. */
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
