import { parseExact } from '../json.ts'
import { decoded, folded, unbroken, type View, viewOf } from './redaction-views.ts'

/** A pattern of secrets or personal data. The first group, if there is one, may be a prefix to keep. */
type Rule = {
  pattern: RegExp
  /** Set if the match must begin at the start of a word. */
  word?: true
  /** Set if the first group must end in a separator, or where something was removed from the text. */
  parted?: true
  /** Text that replaces the match. */
  label?: string
}

export const SECRET = '[secret]'
const ADDRESS = '[address]'
const HOME = '~'

/** Secrets that grant access. Every pattern is bounded, so that long texts take only linear time. */
const SECRETS: readonly Rule[] = [
  { pattern: /((?:sk|rk)_|Bearer\s+)[\w.~+/=-]+/gi, word: true },
  { pattern: /(DPoP\s+)[\w.~+/=-]{20,}/gi, word: true },
  { pattern: /(sk-)[\w-]{8,}/g, word: true },
  // JSON web tokens, visitor sessions, and tokens of well-known services.
  { pattern: /()eyJ[\w-]{8,4000}\.[\w-]+(?:\.[\w-]*)?/g, word: true },
  {
    pattern:
      /()(?:gh[oprsu]_|github_pat_|glpat-|xox[abeprs]-|xapp-|A[KS]IA|AIza|ya29\.|npm_|pypi-|hf_|SG\.|do[opr]_v1_|whsec_|vst_)[\w.-]{8,}/g,
    word: true,
  },
  { pattern: /(-----BEGIN[A-Z\s]{0,30}PRIVATE\s{0,9}KEY-----)[^-]+/g },
  // Visitor links and invitations, which grant access.
  { pattern: /(\/visit\/)[^/\s?#"'()<>[\]|`\\]+/g },
  { pattern: /([a-z]{2,12}_[0-9a-z]{10,40}\.)[\w-]{20,}/g, word: true },
  {
    pattern:
      /([?&#][\w-]{0,40}(?:token|secret|key|code|passw(?:or)?d|signature|sig|auth|jwt|session|sid|ticket|otp)=)[^&\s"']+/gi,
  },
  {
    pattern:
      /("\w{0,40}(?:token|secret|api_?key|access_?key|private_?key|passw(?:or)?d|passphrase|pwd|cookie|jwt)"\s*:\s*")(?:[^"\\]|\\.)+/gi,
  },
  { pattern: /([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@:]{1,200}:[^\s/]{1,400}(?=@)/gi, word: true },
]

/** Data other than secrets that must not leave the machine in a document for others. */
const PERSONAL: readonly Rule[] = [
  { pattern: /(Authorization["']?\s*[:=]\s*["']?)[^\s"',;]+(?:\s+[^\s"',;]+)?/gi },
  { pattern: /(Cookie["']?\s*[:=]\s*["']?)[^\n"']+/gi },
  // A line break may replace the space.
  { pattern: /(Bearer["']?[\s:,]*["']?)[\w.~+/=-]{6,}/gi, word: true },
  {
    pattern:
      /((?:token|secret|(?:api|access|private|secret)[ _-]?key|passw(?:or)?d|passphrase|passcode|pwd|credentials?)["']?\s*[:=]\s*["']?)[^\s"',;]+/gi,
  },
  { pattern: /(passphrase["']?\s*[:=]\s*)[^\n]+/gi },
  // Secrets in text and on command lines: a value that contains a digit, after a name of secrets.
  {
    pattern:
      /((?:token|secret|key|passw(?:or)?d|passphrase|passcode|pwd)(?:\s{1,3}(?:is|was|are))?[\s:>"'=]{0,6})(?=[^\s"',;]{0,200}\d)(?![a-z]{2,12}_[0-9a-z]{10,})[^\s"',;]{7,}/gi,
    word: true,
    parted: true,
  },
  // A part of an address that nobody would have chosen. Ids are exempt, because their prefix says their kind.
  {
    pattern:
      /(https?:\/\/[^\s"'<>]{0,300}?\/)(?![a-z]{2,12}_)(?=[A-Za-z-]*\d)(?=[\d-]*[A-Za-z])[\w-]{16,}(?=[/?#\s"'<>),\].;:!]|$)/g,
  },
  // An address without a scheme: a host with its port or its domain, and what follows.
  {
    pattern:
      /((?:(?:[a-z0-9-]{1,63}\.){1,6}[a-z][a-z0-9-]{1,24}|localhost|\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?\/(?:[^\s"'<>/]{1,100}\/){0,6}?)(?![a-z]{2,12}_)(?=[A-Za-z-]*\d)(?=[\d-]*[A-Za-z])[\w-]{16,}(?=[/?#\s"'<>),\].;:!]|$)/g,
    word: true,
  },
  { pattern: /(\s-(?:u|-user)[\s=]["']?[^\s:"']{1,64}:)[^\s"']+/g },
]

const ADDRESSES: readonly Rule[] = [
  {
    // A package version followed by more is not an address.
    pattern:
      /()(?:[\p{L}\p{M}\p{N}._'+!#$&*^{|}~-]{1,64}|"[^"\n]{1,64}")@(?!v?\d+(?:\.\d+){0,2}(?:-[\w.]+)?(?![\w.-]))(?:\[[^\]\s]{2,60}\]|[\p{L}\p{N}_-]{1,63}(?:\.[\p{L}\p{N}_-]{1,63}){1,8})/gu,
    label: ADDRESS,
  },
  { pattern: /()[\w.+-]{1,64} ?@ ?[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}\.[A-Za-z]{2,24}/g, label: ADDRESS },
  { pattern: /()[\p{L}\p{N}._+-]{1,64}@\p{L}[\p{L}\p{N}_-]{0,62}/gu, label: ADDRESS },
  { pattern: /()[\w.+-]{1,64} at [\w-]{1,63}(?: dot [\w-]{1,63}){1,4}/gi, word: true, label: ADDRESS },
  { pattern: /()(?:\/home\/|\/Users\/)[^/\s"'`]+/g, label: HOME },
  { pattern: /()[A-Za-z]:[\\/]{0,2}Users[\\/]{0,2}[^\\/\s"'`]+/g, label: HOME },
]

/** Patterns of text that looks random. */
const RANDOM: readonly Rule[] = [
  {
    pattern:
      /()(?![a-z]{2,12}_[0-9a-z]{10,40}(?![\w-]))(?=(?:[A-Za-z0-9]{0,40}[_-]){0,6}(?=[A-Za-z]{0,30}\d[A-Za-z]{0,30}\d)(?=[\da-z]{0,30}[A-Z])(?=[\dA-Z]{0,30}[a-z])[A-Za-z0-9]{12,})[\w-]{20,}/g,
    word: true,
  },
]

type Range = { from: number; to: number; label: string }

/** Minimum length of known secrets that are removed. Shorter values are part of many words, and protect nothing. */
const LEAST_LITERAL = 4

/** Replaces known secrets of at least {@link LEAST_LITERAL} characters, and what looks like one, by `[secret]`. */
export function withoutSecrets(text: string, known: readonly string[] = []): string {
  const view = viewOf(text)
  return replaced(text, [...literalRanges(view, known, SECRET), ...rangesOf(view, SECRETS)])
}

/** Like {@link withoutSecrets}, also for the part of a known secret at the side on which a text was cut off. */
export function withoutCutSecrets(text: string, side: 'beginning' | 'end', known: readonly string[]): string {
  const clean = withoutSecrets(text, known)
  const isAtSide = (secret: string, length: number) =>
    side === 'end' ? clean.endsWith(secret.slice(0, length)) : clean.startsWith(secret.slice(-length))
  let longest = 0
  for (const secret of known)
    for (let length = secret.length - 1; length >= LEAST_LITERAL && length > longest; length -= 1)
      if (isAtSide(secret, length)) longest = length
  if (longest === 0) return clean
  return side === 'end' ? clean.slice(0, -longest) + SECRET : SECRET + clean.slice(longest)
}

/** Maximum number of JSON texts nested in each other, such as a tool's text in its result in an export. */
const MOST_WRAPPED = 5

/** Replaces known secrets by `[secret]` in the texts of a JSON value. Names and numbers are kept. */
export function withoutKnown<T>(value: T, known: readonly string[]): T {
  if (known.length === 0) return value
  const spellings = known.flatMap(secret => {
    const levels = [secret]
    while (levels.length < MOST_WRAPPED) levels.push(JSON.stringify(levels.at(-1)).slice(1, -1))
    return levels
  })
  const longestFirst = [...new Set(spellings)].toSorted((one, other) => other.length - one.length)
  const struck = (text: string) => longestFirst.reduce((left, spelling) => left.replaceAll(spelling, SECRET), text)
  return parseExact(JSON.stringify(value), each => (typeof each === 'string' ? struck(each) : each)) as T
}

/** Facts about the machine and session that a document comes from. */
export type Own = {
  /** Known secrets, in any form. */
  known?: readonly string[]
  /** Home directories. */
  homes?: readonly string[]
}

/**
 * Makes a text safe to share. Removes secrets, e-mail addresses and home directories, even if they are broken over
 * lines, hidden by Markdown or encoded as in URLs, HTML and JSON. It prefers to remove too much: what follows a broken
 * secret is removed up to the next space, and what looks random counts as a secret unless the text is the id or
 * the address of a record.
 */
export function redacted(text: string, own: Own & { isId?: boolean } = {}): string {
  return replaced(text, privateRanges(text, own))
}

function privateRanges(text: string, own: Own & { isId?: boolean }): Range[] {
  const rules = [...SECRETS, ...PERSONAL, ...ADDRESSES, ...(own.isId ? [] : RANDOM)]
  return viewsOf(text).flatMap(view => [
    ...literalRanges(view, own.known ?? [], SECRET),
    ...literalRanges(view, own.homes ?? [], HOME),
    ...rangesOf(view, rules),
  ])
}

/** Number of characters after the beginning of a text that are searched for the end of a secret. */
export const REDACTION_REACH = 20_000

/** Returns the beginning of a text, {@link redacted} before it is cut. */
export function redactedStart(text: string, most: number, own: Own & { isId?: boolean }): string {
  return cleanStart(text, most, part => redacted(part, own), REDACTION_REACH)
}

/**
 * Returns a function for parts of a text that begin at `from`, {@link redacted} with what is around them. It takes the
 * wanted number of characters of the original, and returns where the part ends there: never within what was removed.
 * @param most maximum number of characters that will be wanted
 */
export function redactedFrom(
  text: string,
  from: number,
  most: number,
  own: Own,
): (length: number) => { text: string; end: number } {
  const begin = Math.max(0, from - REDACTION_REACH)
  let searched = from + most + REDACTION_REACH
  let ranges: Range[] = []
  for (;;) {
    const last = searched
    ranges = merged(privateRanges(text.slice(begin, searched), own))
    // Of what is removed up to the end of what is searched, the end is not known yet.
    if (searched >= text.length || !ranges.some(({ to }) => begin + to >= last)) break
    searched += searched - begin
  }
  const absolute = ranges.map(range => ({ ...range, from: begin + range.from, to: begin + range.to }))
  return length => {
    let end = Math.min(text.length, from + length)
    const within = absolute.filter(range => range.to > from && range.from < end)
    end = Math.max(end, within.at(-1)?.to ?? end)
    const shifted = within.map(({ label, ...at }) => ({ label, from: Math.max(0, at.from - from), to: at.to - from }))
    return { text: replaced(text.slice(from, end), shifted), end }
  }
}

/** The reach of {@link cleanStart} for single credentials. */
export const SECRET_REACH = 4000

/**
 * Returns the beginning of a text, cleaned before it is cut, since a part of a secret would not be recognized. The end
 * of what is searched is not shown either, if it is as it was: a secret may be cut off there.
 * @param clean removes the secrets from a text
 * @param reach number of further characters that are searched, twice as many as a secret may have
 */
export function cleanStart(text: string, most: number, clean: (text: string) => string, reach = SECRET_REACH): string {
  const searched = most + reach
  if (text.length < searched) return clean(text).slice(0, most)
  const part = text.slice(0, searched)
  const cleaned = clean(part)
  let unsure = 0
  while (unsure < reach / 2 && unsure < cleaned.length && cleaned.at(-1 - unsure) === part.at(-1 - unsure)) unsure += 1
  return cleaned.slice(0, Math.min(most, cleaned.length - unsure))
}

/** Matches names whose texts identify a thing, so that random-looking text there is not a secret. */
const NAMING = /(?:id|name|value|time(?:stamp)?|At|url)s?$/

/** Returns a JSON value whose texts are {@link redacted}; everything else is unchanged. */
export function redactedValue<T>(value: T, own: Own, name = ''): T {
  if (typeof value === 'string') return redacted(value, { ...own, isId: NAMING.test(name) }) as T
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(item => redactedValue(item as unknown, own, name)) as T
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, redactedValue(inner as unknown, own, key)]),
  ) as T
}

/** Returns the text in each form in which someone may read it. */
function viewsOf(text: string): View[] {
  const plain = viewOf(text)
  const joined = folded(plain)
  const read = [unbroken(plain), joined].map(view => folded(decoded(view)))
  return [...new Map([...read, joined, plain].map(view => [view.text, view])).values()]
}

function literalRanges(view: View, literals: readonly string[], label: string): Range[] {
  const longEnough = literals.filter(({ length }) => length >= LEAST_LITERAL)
  return longEnough.flatMap(literal => {
    const ranges: Range[] = []
    for (let at = view.text.indexOf(literal); at !== -1; at = view.text.indexOf(literal, at + literal.length))
      ranges.push(rangeIn(view, at, at + literal.length, label))
    return ranges
  })
}

/** Maximum number of characters in rejected matches, such as matches within words. Beyond it every match counts. */
const MOST_IN_VAIN = 1_000_000

function rangesOf(view: View, rules: readonly Rule[]): Range[] {
  return rules.flatMap(({ pattern, word, parted, label = SECRET }) => {
    const ranges: Range[] = []
    const search = new RegExp(pattern)
    let inVain = 0
    for (let match = search.exec(view.text); match; match = search.exec(view.text)) {
      const from = match.index + match[1]!.length
      const isParted = !parted || !/\w$/.test(match[1]!) || isBroken(view, from)
      const isWhole = isParted && (!word || beginsWord(view, match.index))
      if (!isWhole && inVain < MOST_IN_VAIN) {
        inVain += match[0].length
        search.lastIndex = match.index + 1
        continue
      }
      ranges.push(rangeIn(view, from, match.index + match[0].length, label))
    }
    return ranges
  })
}

/** Whether a word may begin here, which includes where something was removed, and after an underscore. */
function beginsWord(view: View, index: number): boolean {
  return index === 0 || !/[^\W_]/.test(view.text[index - 1]!) || isBroken(view, index)
}

/** Whether something was removed before a character other than the first. */
function isBroken({ from, to }: View, index: number): boolean {
  return from(index) !== to(index - 1)
}

function rangeIn({ from, to }: View, begin: number, end: number, label: string): Range {
  return { from: from(begin), to: to(end - 1), label }
}

/** Replaces each range by its label. */
function replaced(text: string, ranges: readonly Range[]): string {
  let safe = ''
  let end = 0
  for (const { from, to, label } of merged(ranges)) {
    safe += text.slice(end, from) + label
    end = to
  }
  return safe + text.slice(end)
}

/** Returns the ranges in order. Overlapping ones are merged; the label of a secret takes precedence. */
function merged(ranges: readonly Range[]): Range[] {
  const found: Range[] = []
  for (const range of ranges.toSorted((one, other) => one.from - other.from || other.to - one.to)) {
    const open = found.at(-1)
    if (open && range.from < open.to) {
      const label = range.label === SECRET ? SECRET : open.label
      found[found.length - 1] = { from: open.from, to: Math.max(open.to, range.to), label }
    } else found.push(range)
  }
  return found
}
