import { loadConfig, writeConfig } from './file.ts'

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
