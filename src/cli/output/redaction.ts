import { homedir } from 'node:os'
import { type Own, withoutSecrets } from '../../lib/redaction/redaction.ts'

/** Variables whose values are secrets. */
const SECRET_VARIABLES = ['MCPDECK_API_KEY', 'MCPDECK_MODEL_API_KEY'] as const

/** The secrets that this process was given by its environment. */
export function knownSecrets(env: NodeJS.ProcessEnv): string[] {
  return SECRET_VARIABLES.flatMap(name => env[name]?.trim() || [])
}

/** What documents of this process must not hold, before its settings are known: its secrets, and where its home is. */
export function processTexts(): Own {
  return { known: knownSecrets(process.env), homes: [homedir()] }
}

/** The same, with the key of the service. */
export function ownTexts({ target }: { target: { kind: string; key?: string } }): Own {
  const { known = [], homes } = processTexts()
  return { known: [...known, ...(target.key === undefined ? [] : [target.key])], ...(homes && { homes }) }
}

/**
 * Makes a text fit for a log: what is a secret, or looks like one, becomes `[secret]`; control characters are spelt
 * out, and what follows a line break is indented, so that no text can pass for a line of its own.
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
