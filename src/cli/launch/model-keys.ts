import { readSecret } from '../profile/profile-key.ts'
import { UsageError } from '../arguments/usage-error.ts'

/**
 * Keys for models of one's own, by provider, from variables and files; never from an argument, which other users of
 * the machine can read.
 * @param from entries such as `openai=OPENAI_API_KEY`
 * @throws UsageError in a sentence that holds no key
 */
export function readModelKeys(
  from: { variables: readonly string[]; files: readonly string[] },
  env: NodeJS.ProcessEnv,
): Record<string, string> | undefined {
  const keys: Record<string, string> = {}
  for (const [provider, name] of from.variables.map(text => pairOf('--model-key-env', text))) {
    const key = env[name]?.trim()
    if (!key) throw new UsageError(`The variable ${name} of --model-key-env holds no key.`)
    keys[provider] = key
  }
  for (const [provider, file] of from.files.map(text => pairOf('--model-key-file', text)))
    keys[provider] = readSecret(file)
  return Object.keys(keys).length > 0 ? keys : undefined
}

function pairOf(option: string, text: string): readonly [string, string] {
  const [, provider, value] = /^([\w.-]+)=(.+)$/s.exec(text) ?? []
  if (provider !== undefined && value !== undefined) return [provider, value]
  throw new UsageError(`${option} takes PROVIDER=${option.endsWith('env') ? 'VARIABLE' : 'FILE'}.`)
}
