/** Matches unquoted characters that only a shell understands. */
const SHELL_ONLY = /[|&;<>()$`*?[\]{}~#!\n]/
const NEEDS_QUOTES = new RegExp(`[\\s'"\\\\]|${SHELL_ONLY.source}`)
const WORD_PART = /\s+|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)/gsy

/** Why a text is not a command: it needs a shell, has an unclosed quote, or is empty. */
export type CommandProblem = 'shell' | 'open' | 'empty'

/**
 * Splits a command that runs without a shell into words at blanks, with the quotes and backslashes of a shell. Other
 * shell syntax is refused, so that its meaning never changes silently.
 */
export function splitCommand(command: string): readonly string[] | CommandProblem {
  const words: string[] = []
  let word: string | undefined
  let end = 0
  for (const { 0: part, 1: single, 2: double, 3: escaped, 4: plain } of command.matchAll(WORD_PART)) {
    end += part.length
    if (plain !== undefined && SHELL_ONLY.test(plain)) return 'shell'
    if (double !== undefined && /(?<!\\)[$`]/.test(double)) return 'shell'
    const text = single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? escaped ?? plain
    if (text === undefined) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + text
  }
  if (end < command.length) return 'open'
  if (word !== undefined) words.push(word)
  return words.length === 0 ? 'empty' : words
}

/** Joins words to a command that {@link splitCommand} splits into the same words. */
export function joinCommand(words: readonly string[]): string {
  const quoted = (word: string): string => `'${word.replaceAll("'", `'"'"'`)}'`
  return words.map(word => (word === '' || NEEDS_QUOTES.test(word) ? quoted(word) : word)).join(' ')
}
