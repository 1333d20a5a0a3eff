/** Names with their values, such as an environment or headers. */
export type Pairs = Record<string, string>

/** How such pairs are written, one per line. */
export type PairKind = {
  pattern: RegExp
  /** What a line that is none should be. */
  form: string
  line: (name: string, value: string) => string
  /** What two names that mean the same have in common. */
  same: (name: string) => string
}

export const ENVIRONMENT: PairKind = {
  pattern: /^([A-Za-z_]\w*)=(.*)$/s,
  form: 'NAME=value',
  line: (name, value) => `${name}=${value}`,
  same: name => name,
}
export const HEADERS: PairKind = {
  pattern: /^([\w!#$%&'*+.^`|~-]+):\s*([\t\x20-\x7e\x80-\xff]*)$/,
  form: 'Name: value',
  line: (name, value) => `${name}: ${value}`,
  same: name => name.toLowerCase(),
}

/** Pairs as they are typed: a text with one in each line, or each by itself, which may be of several lines. */
export type TypedPairs = string | readonly string[]

/** The pairs that were typed, and further ones. A text says which is none, or is there twice. */
export function pairsOf(kind: PairKind, typed: TypedPairs, further: readonly string[] = []): Pairs | string {
  const each = typeof typed === 'string' ? typed.split('\n').map(line => line.trim()) : typed
  const lines = [...each, ...further].filter(line => line !== '')
  const pairs = new Map<string, string>()
  const names = new Set<string>()
  for (const line of lines) {
    const [, name, value = ''] = kind.pattern.exec(line) ?? []
    if (name === undefined) return `Write ${kind.form}, one in each line; ${beginningOf(line)} is none.`
    if (names.has(kind.same(name))) return `${name} is given twice.`
    names.add(kind.same(name))
    pairs.set(name, value)
  }
  return Object.fromEntries(pairs)
}

/** The beginning of a line, since the rest may be a secret. */
function beginningOf(line: string): string {
  return `"${/^[\w-]*/.exec(line)?.[0] ?? ''}…"`
}

/** The pairs as a text that {@link pairsOf} reads. */
export function pairLines(kind: PairKind, pairs: Pairs): string {
  return Object.entries(pairs)
    .map(([name, value]) => kind.line(name, value))
    .join('\n')
}
