import type { ProfileKey } from '../../lib/files/profile-store.ts'
import type { StoredReach } from '../servers/stored-reach.ts'

/** The pattern last watched for a suite, by its id. */
export type WatchPatterns = ReadonlyMap<string, string>

const MOST_PATTERNS = 200

export const watchPatternsKey: ProfileKey<WatchPatterns> = {
  name: 'watched',
  version: 1,
  empty: new Map(),
  read: ({ patterns }) => (Array.isArray(patterns) ? new Map(patterns.filter(isPair)) : undefined),
  write: patterns => ({ patterns: [...patterns] }),
}

function isPair(value: unknown): value is [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every(text => typeof text === 'string')
}

/** Adds a pattern. The oldest patterns are removed. */
export function withPattern(before: WatchPatterns, suiteId: string, pattern: string): WatchPatterns {
  const others = [...before].filter(([id]) => id !== suiteId)
  return new Map([...others, [suiteId, pattern] as const].slice(-MOST_PATTERNS))
}

/** Splits a text with several patterns at blanks. */
export function patternsIn(text: string): string[] {
  return text.split(/\s+/).filter(Boolean)
}

/** Matches a script given by name only. */
const SCRIPT = /^[^-][^\\/]*\.(?:[cm]?[jt]sx?|py|rb|php)$/
/** Matches a path, but not an option or the name of a scoped package such as `@scope/server@1.2.3`. */
const FILE = /^([^-@].*|)[\\/][^\\/]*\.\w+$/

/** Returns the folder of the file that a server's command runs, or a file in `cwd`; undefined if it names none. */
export function patternOfCommand({ args = [] }: StoredReach, cwd: string): string | undefined {
  for (const word of args) {
    if (SCRIPT.test(word)) return word
    const folder = FILE.exec(word)?.[1]
    if (folder === undefined || folder.split(/[\\/]/).includes('node_modules')) continue
    return folder.startsWith(`${cwd}/`) ? `${folder.slice(cwd.length + 1)}/**` : `${folder}/**`
  }
  return undefined
}
