import { DOTS, shownWords } from '../../lib/redaction/shown-words.ts'
import { joinCommand } from '../../lib/split-command.ts'
import type { Pairs } from './pairs.ts'
import type { SignInClient } from './sign-in.ts'

/**
 * The settings with which the local workspace of this process connects to a saved server. A remote service does not
 * return them.
 */
export type StoredReach = {
  command?: string | undefined
  args?: readonly string[] | undefined
  env?: Pairs | undefined
  headers?: Pairs | undefined
  /** Milliseconds. */
  timeout?: number | undefined
  /** The OAuth client that is saved with the server. */
  client?: SignInClient | undefined
}

/** Reads a saved server with its secrets; undefined if the server is gone. */
export type StoredReaches = { of: (serverId: string) => Promise<StoredReach | undefined> }

/** Returns the command with its arguments for display; empty if there is none. */
export function shownCommand({ command, args = [] }: StoredReach): string {
  return command === undefined ? '' : joinCommand(shownWords([command, ...args]))
}

/** Returns pairs with every value replaced by dots. */
export function shownPairs(pairs: Pairs = {}): Pairs {
  return Object.fromEntries(Object.keys(pairs).map(name => [name, DOTS]))
}

/** Restores the secrets in a displayed command that was edited; undefined if they cannot be identified. */
export function wordsBehind(
  edited: readonly string[],
  { command, args = [] }: StoredReach,
): readonly string[] | undefined {
  const stored = command === undefined ? [] : [command, ...args]
  const shown = shownWords(stored)
  const behind = new Map<string, string[]>()
  for (const [index, word] of shown.entries())
    if (word.includes(DOTS)) behind.set(word, [...(behind.get(word) ?? []), stored[index]!])
  const taken = new Map<string, number>()
  const words = edited.map(word => {
    if (!word.includes(DOTS)) return word
    const values = behind.get(word) ?? []
    const isSame = new Set(values).size === 1
    if (!isSame && edited.filter(other => other === word).length !== values.length) return undefined
    const at = taken.get(word) ?? 0
    taken.set(word, at + 1)
    return values[isSame ? 0 : at]
  })
  return words.includes(undefined) ? undefined : (words as string[])
}

/** Restores the secrets in displayed pairs that were edited; an error text if they cannot be identified. */
export function pairsBehind(edited: Pairs, stored: Pairs = {}): Pairs | string {
  const isKept = ([name, value]: [string, string]): boolean => value === DOTS && Object.hasOwn(stored, name)
  const entries = Object.entries(edited)
  const lost = entries.find(entry => entry[1].includes(DOTS) && !isKept(entry))
  if (lost) return `Type the whole value of ${lost[0]}; the value behind its dots is not returned.`
  return Object.fromEntries(entries.map(entry => [entry[0], isKept(entry) ? stored[entry[0]]! : entry[1]]))
}
