/** Most levels of objects and lists in a request, in what an MCP server answers and in what a model answers. */
export const MAX_INPUT_LEVELS = 128
/**
 * Most levels in what the service stores and answers, which wraps what came in. Deeper parts read as {@link TOO_DEEP}.
 */
export const MAX_STORED_LEVELS = 256
/** Most levels that are read of a service's answer. */
export const MAX_ANSWER_LEVELS = 512

/** What stands where a stored document goes on deeper than it can be shown. */
export const TOO_DEEP = '(too deep to show)'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
/** Both kinds of brackets, without the bit in which they differ. */
const [OPENING, CLOSING] = [0x5b, 0x5d]

/** What a text of JSON may have at most. A value is an object, a list, or what stands in one. */
export type JsonBounds = { levels: number; values?: number }

/**
 * What a text of JSON has more of than it may, if anything; it is not parsed, so that nothing can be too much. What is
 * no JSON, as where levels are not closed, may have more all the same.
 */
export function excessOf(text: string, { levels, values = Infinity }: JsonBounds): keyof JsonBounds | undefined {
  // A level takes two characters, and a value one.
  if (text.length < Math.min(2 * levels, values)) return undefined
  let depth = 0
  let found = 1
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === COMMA) found += 1
    // `[` and `{`, then `]` and `}`: they differ in one bit, as letters do.
    else if ((code & ~0x20) === OPENING) {
      depth += 1
      if (depth > levels) return 'levels'
      if ((text.charCodeAt(at + 1) & ~0x20) !== CLOSING) found += 1
    } else if ((code & ~0x20) === CLOSING) depth -= 1
    if (found > values) return 'values'
  }
  return undefined
}

/** Whether a text of JSON has more levels of objects and lists; see {@link excessOf}. */
export function textHasMoreLevels(text: string, levels: number): boolean {
  return excessOf(text, { levels }) !== undefined
}

export function hasMoreLevels(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some(inner => hasMoreLevels(inner, levels - 1))
}

/**
 * Parses JSON that was stored; parts below {@link MAX_STORED_LEVELS} are replaced, because nothing could write them
 * again.
 * @throws SyntaxError for what is not JSON
 */
export function parseStored(text: string): unknown {
  const value = parseExact(text)
  return textHasMoreLevels(text, MAX_STORED_LEVELS) ? cut(value, MAX_STORED_LEVELS) : value
}

/**
 * Parses JSON text that stands in somebody's data.
 * @throws SyntaxError for what is not JSON, or has more than {@link MAX_ANSWER_LEVELS}
 */
export function parseInner(text: string): unknown {
  if (textHasMoreLevels(text, MAX_ANSWER_LEVELS)) throw new SyntaxError('The JSON has too many levels.')
  return parseExact(text)
}

/**
 * Why a number is not what somebody wrote, as a predicate; undefined where it is. JSON writes the shortest digits that
 * mean the same number, so whoever wrote other digits of a whole one, as of an id, means those.
 */
export function numberProblem(value: number, source: string): string | undefined {
  if (!Number.isFinite(value)) return 'is none that JSON can hold; quote it if it is text'
  if (!/^[+-]?\d{16,}$/.test(source) || digitsOf(source) === digitsOf(String(value))) return undefined
  return 'is too long to be stored exactly; quote it if it is text'
}

/** The digits of a whole number, without the zeros at its ends. */
function digitsOf(text: string): string {
  return text
    .replace(/e.*/, '')
    .replaceAll(/\D/g, '')
    .replaceAll(/^0+|0+$/g, '')
}

/** A number in JSON that would become another one. */
export class UnkeptNumber extends SyntaxError {}

/** Exact numbers in JSON (TC39 “JSON.parse source text access”), which the compiler's library does not know yet. */
const exact = JSON as typeof JSON & { rawJSON(text: string): unknown; isRawJSON(value: unknown): boolean }

// Every JSON.stringify is to write them as the numbers that they are, also those of libraries.
// oxlint-disable-next-line no-extend-native -- the language leaves this method to programs, and defines none
Object.defineProperty(BigInt.prototype, 'toJSON', {
  configurable: true,
  writable: true,
  value(this: bigint) {
    return exact.rawJSON(this.toString())
  },
})

/** What may be a whole number beyond 2^53, cheaply: the parser with its sources takes ten times as long. */
const MAY_BE_LONG = /[[:,\s]-?\d{16}|^-?\d{16}/
/** What may be a number beyond all doubles; the first finds quickly that a text has none. */
const HAS_POWER = /\d[eE]\+?\d{3}/
const MAY_BE_BEYOND = /(?:[[:,\s]|^)-?\d[\d.]*[eE]\+?\d{3}/

/** Whether {@link parseExact} may make bigints of a text's numbers. */
export function mayHoldLong(text: string): boolean {
  return MAY_BE_LONG.test(text) || (HAS_POWER.test(text) && MAY_BE_BEYOND.test(text))
}

/** Longer ones take the parser of whole numbers too long. */
const MOST_DIGITS = 1000

/**
 * Parses JSON of others. Whole numbers that would come out as other ones become bigints, which JSON.stringify writes as
 * they came; so do those beyond all doubles, which it would write as null.
 * @param change what becomes of each value within
 * @throws SyntaxError for what is not JSON
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

/** `-1.5e400` as a whole number; undefined where it is too long. */
function wholeNumber(source = ''): bigint | undefined {
  const [, whole = '', part = '', power = '0'] = /^(-?\d+)(?:\.(\d+))?(?:[eE]\+?(\d+))?$/.exec(source) ?? []
  const zeros = Number(power) - part.length
  if (whole === '' || zeros < 0 || source.length + zeros > MOST_DIGITS) return undefined
  return BigInt(whole + part) * 10n ** BigInt(zeros)
}

/** A number of JSON as it was written: a whole one that would come out as another is a bigint. */
export function exactNumber(value: unknown, source: string | undefined): unknown {
  // 2^53 itself, for one, is written as it came.
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value
  return source.length <= MOST_DIGITS && /^-?\d+$/.test(source) ? BigInt(source) : value
}

/**
 * Parses JSON that a person wrote, with whole numbers as {@link parseExact} has them.
 * @throws UnkeptNumber where a number of it would silently become another one; SyntaxError for what is not JSON
 */
export function parseWritten(text: string): unknown {
  return JSON.parse(text, (_, value: unknown, { source }: { source?: string } = {}) => {
    const kept = exactNumber(value, source)
    const problem = typeof kept === 'number' && source !== undefined && numberProblem(kept, source)
    if (problem) throw new UnkeptNumber(`the number ${source} ${problem}`)
    return kept
  })
}

/** Whether a replacer of JSON.stringify has a whole number that only a bigint holds. */
export function isLongNumber(value: unknown): boolean {
  return exact.isRawJSON(value)
}

/** A value with its parts below {@link MAX_ANSWER_LEVELS} replaced; the same one where it has none. */
export function withinLevels(value: unknown): unknown {
  return hasMoreLevels(value, MAX_ANSWER_LEVELS) ? cut(value, MAX_ANSWER_LEVELS) : value
}

function cut(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return TOO_DEEP
  if (Array.isArray(value)) return value.map(inner => cut(inner, levels - 1))
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cut(inner, levels - 1)]))
}

/** Where the closing quote of a string is, or the end of the text. */
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

/** JSON with sorted keys: equal values give equal text whatever the order their fields arrived in. */
export function canonicalJson(value: object): string
export function canonicalJson(value: unknown): string | undefined
export function canonicalJson(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, item: unknown) =>
    isPlainObject(item) && !isLongNumber(item) ? sorted(item) : item,
  )
}

function sorted(object: JsonObject): JsonObject {
  // A null prototype keeps a field called "__proto__" an ordinary field.
  const copy = Object.create(null) as JsonObject
  for (const key of Object.keys(object).toSorted()) copy[key] = object[key]
  return copy
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Those of the fields that are not undefined, for types whose optional fields are there or not. */
export function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>
}
