import { oneLine } from '../core/one-line.ts'

/** Longest piece of a transcript that is shown as evidence, in characters. */
const EXCERPT_CHARS = 300

/** Control and format characters: they could rewrite a terminal's line or hide text from its reader. */
const UNSEEN = /[\p{Cc}\p{Cf}]+/gu

/** Spellings of credentials and addresses, with what is shown in their place. */
const SECRETS: readonly (readonly [pattern: RegExp, shown: string])[] = [
  [/\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g, '(token)'],
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, '$1 (token)'],
  [/\b(?:sk|pk|rk|gh[a-z]|github_pat|xox[a-z]|AKIA)[-_]?[A-Za-z0-9][\w-]{14,}/g, '(key)'],
  [/\b([\w-]*(?:api[_-]?key|token|secret|passw(?:or)?d))(["']?\s*[:=]\s*["']?)[^\s"',;}&]+/gi, '$1$2(secret)'],
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, '$1'],
  [/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, '(e-mail)'],
]

/**
 * A piece of a transcript as it may be shown: on one line, without credentials, addresses and unseen characters,
 * clipped to 300 characters.
 */
export function excerptOf(text: string): string {
  // Whatever is cut off need not be searched, but a secret must not be cut in two.
  const seen = oneLine(text.replaceAll(UNSEEN, ' '))
  const scrubbed = SECRETS.reduce((kept, [pattern, shown]) => kept.replaceAll(pattern, shown), seen)
  return scrubbed.length <= EXCERPT_CHARS ? scrubbed : `${scrubbed.slice(0, EXCERPT_CHARS - 1)}…`
}
