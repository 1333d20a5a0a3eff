import { realpathSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import envPaths from 'env-paths'
import { UsageError } from '../arguments/usage-error.ts'

/**
 * Returns the program's directories, following XDG where the system supports it.
 * @throws UsageError if the environment has no place for them
 */
export function directories(): { data: string; config: string; cache: string; state: string } {
  const paths = envPaths('mcpdeck', { suffix: '' })
  const loose = Object.values(paths).find(path => !isAbsolute(path))
  if (loose !== undefined)
    throw new UsageError(
      `The directory ${loose} would depend on where mcpdeck is started: set HOME, and what there is of ` +
        'XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME and XDG_CACHE_HOME, to absolute paths.',
    )
  return { data: paths.data, config: paths.config, cache: paths.cache, state: paths.log }
}

/** Returns the path of the config file, whether it exists or not. */
export function configFile(env: NodeJS.ProcessEnv): string {
  return env['MCPDECK_CONFIG'] || join(directories().config, 'config.yaml')
}

/** Returns where a path leads to; the path itself if there is no file yet. */
export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}
