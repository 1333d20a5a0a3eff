import { SECRET, withoutSecrets } from './redaction.ts'

/** Replaces a stored value that is not shown. */
export const DOTS = '••••'

const SECRET_WORD = '(?:token|secret|key|password|passwd|passphrase|pwd|auth|credentials?)'
const SECRET_FLAG = new RegExp(`^--?[\\w-]*${SECRET_WORD}$`, 'i')
const SECRET_ASSIGNMENT = new RegExp(`^(-{0,2}[\\w-]*${SECRET_WORD}=).+$`, 'is')

/** Replaces arguments that look like a secret by dots. */
export function shownWords(words: readonly string[]): string[] {
  return words.map((word, index) => {
    if (SECRET_FLAG.test(words[index - 1] ?? '') && !word.startsWith('-')) return DOTS
    const named = SECRET_ASSIGNMENT.exec(word)?.[1]
    return named === undefined ? withoutSecrets(word).replaceAll(SECRET, DOTS) : named + DOTS
  })
}
