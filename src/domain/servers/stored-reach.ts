import { DOTS, shownWords } from '../../lib/redaction/shown-words.ts'
import { joinCommand } from '../../lib/split-command.ts'
import type { Pairs } from './pairs.ts'
import type { SignInClient } from './sign-in.ts'

/** How the local workspace of this process reaches a saved server; a service returns none of it. */
export type StoredReach = {
  command?: string | undefined
  args?: readonly string[] | undefined
  env?: Pairs | undefined
  headers?: Pairs | undefined
  /** Milliseconds. */
  timeout?: number | undefined
  /** The OAuth client that is saved with it. */
  client?: SignInClient | undefined
}

/** Reads it with its secrets; undefined for a server that is gone. */
export type StoredReaches = { of: (serverId: string) => Promise<StoredReach | undefined> }

/** The command with its arguments as it is shown; empty where there is none. */
export function shownCommand({ command, args = [] }: StoredReach): string {
  return command === undefined ? '' : joinCommand(shownWords([command, ...args]))
}

/** Pairs with dots for every value. */
export function shownPairs(pairs: Pairs = {}): Pairs {
  return Object.fromEntries(Object.keys(pairs).map(name => [name, DOTS]))
}

/** Words that were edited as they are shown, with what is behind their dots; undefined where nobody can tell. */
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

/** Pairs that were edited as they are shown, with what is behind their dots; a text says what nobody can tell. */
export function pairsBehind(edited: Pairs, stored: Pairs = {}): Pairs | string {
  const isKept = ([name, value]: [string, string]): boolean => value === DOTS && Object.hasOwn(stored, name)
  const entries = Object.entries(edited)
  const lost = entries.find(entry => entry[1].includes(DOTS) && !isKept(entry))
  if (lost) return `Type the whole value of ${lost[0]}; the value behind its dots is not returned.`
  return Object.fromEntries(entries.map(entry => [entry[0], isKept(entry) ? stored[entry[0]]! : entry[1]]))
}
