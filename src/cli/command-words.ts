import { UsageError } from './usage-error.ts'

/** What only a shell would understand, where it is not quoted. */
const SHELL_ONLY = /[|&;<>()$`*?[\]{}~#!\n]/
const WORD_PART = /\s+|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)/gsy

/**
 * The words of a command that runs without a shell. A list is taken as it is; a text is split at blanks, with
 * quotes and backslashes as a shell has them.
 * @param name what the command is called in the refusal
 * @throws UsageError for what only a shell would understand, so that it never means something else in silence
 */
export function commandWords(command: string | readonly string[], name = 'keyCommand'): readonly string[] {
  if (typeof command !== 'string') return command
  const words: string[] = []
  let word: string | undefined
  let end = 0
  for (const { 0: part, 1: single, 2: double, 3: escaped, 4: plain } of command.matchAll(WORD_PART)) {
    end += part.length
    if (plain !== undefined && SHELL_ONLY.test(plain)) throw needsShell(name)
    if (double !== undefined && /(?<!\\)[$`]/.test(double)) throw needsShell(name)
    const text = single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? escaped ?? plain
    if (text === undefined) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + text
  }
  if (end < command.length) throw new UsageError(`${name} has a quote or a backslash that nothing follows.`)
  if (word !== undefined) words.push(word)
  if (words.length === 0) throw new UsageError(`${name} is empty.`)
  return words
}

function needsShell(name: string): UsageError {
  return new UsageError(
    `${name} runs without a shell, and this needs one; ${name === 'keyCommand' ? 'write it as [sh, -c, "…"], or quote' : 'quote'} what is meant literally.`,
  )
}
