import { homedir } from 'node:os'
import { type Own, withoutSecrets } from '../../lib/redaction/redaction.ts'

/** Environment variables whose values are secrets. */
const SECRET_VARIABLES = ['MCPDECK_API_KEY', 'MCPDECK_MODEL_API_KEY'] as const

/** Returns the secrets in the environment of this process. */
export function knownSecrets(env: NodeJS.ProcessEnv): string[] {
  return SECRET_VARIABLES.flatMap(name => env[name]?.trim() || [])
}

/**
 * Returns texts that documents of this process must not contain, before its settings are known: its secrets, and the
 * home directory.
 */
export function processTexts(): Own {
  return { known: knownSecrets(process.env), homes: [homedir()] }
}

/** Returns the texts of {@link processTexts}, and the key of the service. */
export function ownTexts({ target }: { target: { kind: string; key?: string } }): Own {
  const { known = [], homes } = processTexts()
  return { known: [...known, ...(target.key === undefined ? [] : [target.key])], ...(homes && { homes }) }
}

/**
 * Makes a text safe for a log: secrets, and texts that look like secrets, become `[secret]`; control characters are
 * escaped, and text after a line break is indented, so that it cannot pass for a log line.
 */
export function createRedaction(env: NodeJS.ProcessEnv): (text: string) => string {
  const known = knownSecrets(env)
  return text =>
    withoutSecrets(text, known)
      .replaceAll(/[\0-\t\v-\u001F\u007F]/g, spelt)
      .replaceAll('\n', '\n  ')
}

function spelt(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
}
