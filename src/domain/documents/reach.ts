import { redacted } from '../../lib/redaction/redaction.ts'
import { DOTS, shownWords } from '../../lib/redaction/shown-words.ts'
import type { Form } from './nouns.ts'
import { escaped, variable } from './secrets.ts'

type Pairs = Readonly<Record<string, string>>

/** The settings for connecting to a server, as far as this machine knows them. */
export type Reach = {
  command?: string | undefined
  args?: readonly string[] | undefined
  env?: Pairs | undefined
  headers?: Pairs | undefined
  /** Milliseconds. */
  timeout?: number | undefined
  client?: { clientId?: string | undefined } | undefined
}

/** Connection settings that are safe for a file: references replace what is, or may be, secret. */
type ReferredReach = Pick<Reach, 'command' | 'args' | 'env' | 'headers'> & { hasReferences: boolean }

/** Flags followed by a header, a variable or a connection string. */
const LONG_FLAG = String.raw`--(?:header|env|pat|dsn|user|connection-string|[\w-]*(?:cookie|session|bearer))`
const PAIR_FLAG = new RegExp(`^(?:-H|-e|-u|${LONG_FLAG})$`, 'i')
/** A flag of this kind with its value in the same word. */
const HOLDS_PAIR = new RegExp(String.raw`^(?:-[Heu]\S|(?i:${LONG_FLAG})=)`)

/** Whether a word is a header such as `Authorization: Basic …`, or holds settings. Such words may contain anything. */
function isPair(word: string): boolean {
  return /^[\w-]+:\s/.test(word) || /(?:^|;)\s*(?:password|pwd|user id|uid)\s*=/i.test(word)
}

/**
 * Replaces what may be secret in connection settings.
 * @param reference written for the value of a name
 * @param plain written for a text that is not secret
 */
export function referredReach(
  { command, args = [], env = {}, headers = {} }: Reach,
  reference: (name: string) => string,
  plain: (text: string) => string = text => text,
): ReferredReach {
  const words = command === undefined ? [] : shownWords([command, ...args])
  const isHidden = (word: string, at: number) =>
    word.includes(DOTS) ||
    (at > 0 && (redacted(word) !== word || isPair(word) || PAIR_FLAG.test(words[at - 1]!) || HOLDS_PAIR.test(word)))
  const hidden = new Set(words.flatMap((word, at) => (isHidden(word, at) ? [at] : [])))
  const [program, ...rest] = words.map((word, at) => (hidden.has(at) ? reference(`argument_${at}`) : plain(word)))
  const referred = (pairs: Pairs) => Object.fromEntries(Object.keys(pairs).map(name => [name, reference(name)]))
  const [hasEnv, hasHeaders] = [env, headers].map(pairs => Object.keys(pairs).length > 0)
  return {
    ...(program !== undefined && { command: program, args: rest }),
    ...(hasEnv && { env: referred(env) }),
    ...(hasHeaders && { headers: referred(headers) }),
    hasReferences: hidden.size > 0 || hasEnv === true || hasHeaders === true,
  }
}

/** Returns the fields of a server whose program is unknown. */
export const unknownCommand = (prefix: string): Form => ({
  command: variable(prefix, 'command'),
  args: variable(prefix, 'args'),
})

/** Fields of a server that may contain variables. */
const WITH_VARIABLES = ['url', 'command', 'args', 'clientSecret']

/**
 * Returns the fields of a server that its service never returns.
 * @param prefix prefix of its variables
 */
export function reachFields(
  { command, args, env, headers, timeout, client }: Reach,
  prefix: string,
  isProgram: boolean,
): Form {
  const taken = new Set(WITH_VARIABLES.map(name => variable(prefix, name)))
  const reference = (name: string): string => {
    // Names that would give the same variable still need separate values.
    const names = [name, ...Array.from({ length: taken.size }, (_, at) => `${name}_${at + 2}`)]
    const free = names.map(each => variable(prefix, each)).find(each => !taken.has(each))!
    taken.add(free)
    return free
  }
  const reach = isProgram ? { command, args, env } : { headers }
  const { hasReferences: _, args: words, ...fields } = referredReach(reach, reference, escaped)
  return {
    ...fields,
    ...(words && words.length > 0 && { args: words }),
    ...(timeout !== undefined && { timeout }),
    ...(client?.clientId !== undefined && { clientId: escaped(client.clientId) }),
  }
}
