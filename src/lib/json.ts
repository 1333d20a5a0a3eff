/** Maximum nesting of objects and lists in a request, and in answers of MCP servers and models. */
export const MAX_INPUT_LEVELS = 128
/**
 * Maximum nesting in what the service stores and returns, which contains received values. Deeper parts are replaced by
 * {@link TOO_DEEP}.
 */
export const MAX_STORED_LEVELS = 256
/** Maximum nesting that is read in a service's answer. */
export const MAX_ANSWER_LEVELS = 512

/** Replaces parts of a stored document that are too deep to show. */
export const TOO_DEEP = '(too deep to show)'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
/** Character codes of both kinds of brackets, without the bit in which they differ. */
const [OPENING, CLOSING] = [0x5b, 0x5d]

/** Limits for a JSON text. Objects, lists and everything in them count as values. */
export type JsonBounds = { levels: number; values?: number }

/**
 * Returns which limit a JSON text exceeds, if any. It is not parsed, so any length is acceptable. Invalid JSON, such as
 * text with unclosed levels, may exceed a limit that it would otherwise not exceed.
 */
export function excessOf(text: string, { levels, values = Infinity }: JsonBounds): keyof JsonBounds | undefined {
  // A level needs at least two characters, and a value one.
  if (text.length < Math.min(2 * levels, values)) return undefined
  let depth = 0
  let found = 1
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === COMMA) found += 1
    // `[` and `{`, and also `]` and `}`, differ in one bit.
    else if ((code & ~0x20) === OPENING) {
      depth += 1
      if (depth > levels) return 'levels'
      if ((text.charCodeAt(at + 1) & ~0x20) !== CLOSING) found += 1
    } else if ((code & ~0x20) === CLOSING) depth -= 1
    if (found > values) return 'values'
  }
  return undefined
}

/** Whether a JSON text is nested deeper than `levels`; see {@link excessOf}. */
export function textHasMoreLevels(text: string, levels: number): boolean {
  return excessOf(text, { levels }) !== undefined
}

export function hasMoreLevels(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some(inner => hasMoreLevels(inner, levels - 1))
}

/**
 * Parses stored JSON. Parts below {@link MAX_STORED_LEVELS} are replaced, because they could not be written again.
 * @throws SyntaxError for invalid JSON
 */
export function parseStored(text: string): unknown {
  const value = parseExact(text)
  return textHasMoreLevels(text, MAX_STORED_LEVELS) ? cut(value, MAX_STORED_LEVELS) : value
}

/**
 * Parses JSON text found inside other data.
 * @throws SyntaxError for invalid JSON, or JSON nested deeper than {@link MAX_ANSWER_LEVELS}
 */
export function parseInner(text: string): unknown {
  if (textHasMoreLevels(text, MAX_ANSWER_LEVELS)) throw new SyntaxError('The JSON has too many levels.')
  return parseExact(text)
}

/**
 * Returns why a number differs from its source text, as a predicate; undefined if it does not. An integer counts as
 * different if it is written back with different digits, since those may be an id.
 */
export function numberProblem(value: number, source: string): string | undefined {
  if (!Number.isFinite(value)) return 'is none that JSON can hold; quote it if it is text'
  if (!/^[+-]?\d{16,}$/.test(source) || digitsOf(source) === digitsOf(String(value))) return undefined
  return 'is too long to be stored exactly; quote it if it is text'
}

/** Returns the digits of an integer without zeros at both ends. */
function digitsOf(text: string): string {
  return text
    .replace(/e.*/, '')
    .replaceAll(/\D/g, '')
    .replaceAll(/^0+|0+$/g, '')
}

/** Thrown for a number in JSON that parsing would change. */
export class UnkeptNumber extends SyntaxError {}

/** Exact numbers in JSON (TC39 “JSON.parse source text access”), which TypeScript's library does not declare yet. */
const exact = JSON as typeof JSON & { rawJSON(text: string): unknown; isRawJSON(value: unknown): boolean }

// Every JSON.stringify, even in libraries, must write bigints as numbers.
// oxlint-disable-next-line no-extend-native -- the language leaves this method to programs, and defines none
Object.defineProperty(BigInt.prototype, 'toJSON', {
  configurable: true,
  writable: true,
  value(this: bigint) {
    return exact.rawJSON(this.toString())
  },
})

/**
 * Matches an integer that may exceed 2^53. This is a quick test, since parsing with sources takes ten times as long.
 */
const MAY_BE_LONG = /[[:,\s]-?\d{16}|^-?\d{16}/
/** Matches a number that may exceed all doubles. The first pattern quickly rules out most texts. */
const HAS_POWER = /\d[eE]\+?\d{3}/
const MAY_BE_BEYOND = /(?:[[:,\s]|^)-?\d[\d.]*[eE]\+?\d{3}/

/** Whether {@link parseExact} may convert numbers of a text to bigints. */
export function mayHoldLong(text: string): boolean {
  return MAY_BE_LONG.test(text) || (HAS_POWER.test(text) && MAY_BE_BEYOND.test(text))
}

/** Maximum number of digits. Parsing longer integers takes too long. */
const MOST_DIGITS = 1000

/**
 * Parses JSON from outside. Integers that a double cannot represent become bigints, which JSON.stringify writes back
 * unchanged, and so do numbers beyond all doubles, which it would write as null.
 * @param change converts each value inside
 * @throws SyntaxError for invalid JSON
 */
export function parseExact(text: string, change?: (value: unknown) => unknown): unknown {
  const isLong = mayHoldLong(text) && !textHasMoreLevels(text, MAX_ANSWER_LEVELS)
  if (!isLong) return JSON.parse(text, change && ((_, value: unknown) => change(value)))
  return JSON.parse(text, (_, value: unknown, { source }: { source?: string } = {}) => {
    const isBeyond = value === Infinity || value === -Infinity
    const exactly = isBeyond ? (wholeNumber(source) ?? value) : exactNumber(value, source)
    return change ? change(exactly) : exactly
  })
}

/** Converts a number such as `-1.5e400` to an integer; undefined if it is too long. */
function wholeNumber(source = ''): bigint | undefined {
  const [, whole = '', part = '', power = '0'] = /^(-?\d+)(?:\.(\d+))?(?:[eE]\+?(\d+))?$/.exec(source) ?? []
  const zeros = Number(power) - part.length
  if (whole === '' || zeros < 0 || source.length + zeros > MOST_DIGITS) return undefined
  return BigInt(whole + part) * 10n ** BigInt(zeros)
}

/** Returns a JSON number as written: a bigint if it is an integer that a double would change. */
export function exactNumber(value: unknown, source: string | undefined): unknown {
  // 2^53 itself, for example, is written back unchanged.
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value
  return source.length <= MOST_DIGITS && /^-?\d+$/.test(source) ? BigInt(source) : value
}

/**
 * Parses JSON that a person wrote, with integers as in {@link parseExact}.
 * @throws UnkeptNumber if a number would silently change; SyntaxError for invalid JSON
 */
export function parseWritten(text: string): unknown {
  return JSON.parse(text, (_, value: unknown, { source }: { source?: string } = {}) => {
    const kept = exactNumber(value, source)
    const problem = typeof kept === 'number' && source !== undefined && numberProblem(kept, source)
    if (problem) throw new UnkeptNumber(`the number ${source} ${problem}`)
    return kept
  })
}

/** Whether a value is an integer that only a bigint can represent, for replacers of JSON.stringify. */
export function isLongNumber(value: unknown): boolean {
  return exact.isRawJSON(value)
}

/** Replaces the parts of a value below {@link MAX_ANSWER_LEVELS}. Returns the same value if there are none. */
export function withinLevels(value: unknown): unknown {
  return hasMoreLevels(value, MAX_ANSWER_LEVELS) ? cut(value, MAX_ANSWER_LEVELS) : value
}

function cut(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return TOO_DEEP
  if (Array.isArray(value)) return value.map(inner => cut(inner, levels - 1))
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cut(inner, levels - 1)]))
}

/** Returns the index of the closing quote of a string, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1
    if (escapes % 2 === 0) return end
  }
  return text.length
}

export type JsonObject = Record<string, unknown>

/** Whether a value is an object in the JSON sense: neither null nor an array. */
export function isPlainObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns JSON with sorted keys: equal values give equal text, whatever the order of their fields. */
export function canonicalJson(value: object): string
export function canonicalJson(value: unknown): string | undefined
export function canonicalJson(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, item: unknown) =>
    isPlainObject(item) && !isLongNumber(item) ? sorted(item) : item,
  )
}

function sorted(object: JsonObject): JsonObject {
  // With a null prototype, a field called "__proto__" is an ordinary field.
  const copy = Object.create(null) as JsonObject
  for (const key of Object.keys(object).toSorted()) copy[key] = object[key]
  return copy
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Returns the fields that are not undefined, for types with exact optional fields. */
export function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>
}
