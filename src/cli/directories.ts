import { join } from 'node:path'
import envPaths from 'env-paths'

/** The program's directories, after XDG where the system has it. */
export function directories(): { data: string; config: string; cache: string; state: string } {
  const paths = envPaths('mcpdeck', { suffix: '' })
  return { data: paths.data, config: paths.config, cache: paths.cache, state: paths.log }
}

/** Where the config file lies, whether there is one or not. */
export function configFile(env: NodeJS.ProcessEnv): string {
  return env['MCPDECK_CONFIG'] || join(directories().config, 'config.yaml')
}
