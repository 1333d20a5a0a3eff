/** Names with their values, such as an environment or headers. */
export type Pairs = Record<string, string>

/** The notation of such pairs, one in each line. */
export type PairKind = {
  pattern: RegExp
  /** The required form of a line, for error messages. */
  form: string
  line: (name: string, value: string) => string
  /** Normalizes a name, so that equivalent names are equal. */
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

/** Pairs as typed: a text with one pair a line, or a list of pairs, which may have several lines. */
export type TypedPairs = string | readonly string[]

/** Parses typed pairs and adds more. Returns an error text for an invalid or duplicate pair. */
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

/** Returns only the beginning of a line, since the rest may be secret. */
function beginningOf(line: string): string {
  return `"${/^[\w-]*/.exec(line)?.[0] ?? ''}…"`
}

/** Formats pairs as text that {@link pairsOf} can parse. */
export function pairLines(kind: PairKind, pairs: Pairs): string {
  return Object.entries(pairs)
    .map(([name, value]) => kind.line(name, value))
    .join('\n')
}
