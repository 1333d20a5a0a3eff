import fc from 'fast-check'
import { dereference, type OpenApi } from '../contract/openapi.ts'
import type { JsonSchema } from '../contract/json-shape.ts'
import { anyCharacter } from '../any-character.ts'

/** Below this depth only required fields are generated. */
const DEEP = 7
const MOST_ITEMS = 12

/**
 * Text that a dashboard must never show by itself. Texts of the service never contain it, so that it can be recognised.
 */
export const NONSENSE = /\bNaN\b|\bundefined\b|\bInfinity\b|∞|\[object |Invalid Date/

const NOW = Date.now()
const time = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: NOW - 30 * 86_400_000, max: NOW }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 2 * NOW }) },
  { weight: 1, arbitrary: fc.constantFrom(-1, 8_640_000_000_000_001, Number.MAX_SAFE_INTEGER) },
)
const whole = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 20 }) },
  { weight: 4, arbitrary: fc.nat({ max: 100_000 }) },
  { weight: 2, arbitrary: fc.integer({ min: -1_000_000, max: 1_000_000_000_000 }) },
  { weight: 1, arbitrary: fc.maxSafeInteger() },
)
const fraction = fc.oneof(
  { weight: 6, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
  { weight: 2, arbitrary: fc.double({ min: -1000, max: 1_000_000, noNaN: true }) },
  { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
)
const free = fc.oneof(
  { weight: 4, arbitrary: fc.lorem({ maxCount: 6, mode: 'words' }) },
  { weight: 2, arbitrary: fc.lorem({ maxCount: 8, mode: 'sentences' }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 60 }) },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 200 }) },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', '\u001B[31mred', 'x'.repeat(5000), 'https://a.example/b?c=d') },
)
const id = fc.nat({ max: 40 }).map(number => `id_${number}`)

type Gen = fc.GeneratorValue

/** Generates values that match schemas of the document, each from its own seed; words of the document are frequent. */
export function createValues(document: OpenApi) {
  const words = [...wordsOf(document)]
  const anyWord = fc.constantFrom(...words)
  const chance = (gen: Gen, percent: number): boolean => gen(fc.nat, { max: 99 }) < percent

  const valueOf = (source: JsonSchema, gen: Gen, name: string, depth: number): unknown => {
    const schema = dereference(document, source)
    if ('const' in schema) return schema['const']
    if (Array.isArray(schema['enum'])) return gen(fc.constantFrom, ...(schema['enum'] as unknown[]))
    const choices = (schema['oneOf'] ?? schema['anyOf']) as JsonSchema[] | undefined
    if (choices && !('properties' in schema)) return valueOf(gen(fc.constantFrom, ...choices), gen, name, depth)
    const parts = (schema['allOf'] ?? []) as JsonSchema[]
    if (parts.length > 0 && !('properties' in schema))
      return Object.assign({}, ...parts.map(part => valueOf(part, gen, name, depth)))
    const types = [schema['type'] ?? (schema['properties'] ? 'object' : 'any')].flat() as string[]
    if (schema['nullable'] === true && chance(gen, 15)) return null
    return typed(gen(fc.constantFrom, ...types), { schema, gen, name, depth })
  }

  const typed = (type: string, at: { schema: JsonSchema; gen: Gen; name: string; depth: number }): unknown => {
    const { schema, gen, name, depth } = at
    switch (type) {
      case 'null':
        return null
      case 'boolean':
        return gen(fc.boolean)
      case 'integer':
        return within(schema, /At$|timestamp/i.test(name) ? gen(() => time) : gen(() => whole))
      case 'number':
        return within(schema, /At$|timestamp/i.test(name) ? gen(() => time) : gen(() => fraction))
      case 'string':
        return textOf(schema, gen, name)
      case 'array':
        return listOf(schema, gen, name, depth)
      case 'object':
        return objectOf(schema, gen, depth)
      default:
        return gen(fc.jsonValue, { maxDepth: 2, stringUnit: 'grapheme' })
    }
  }

  const textOf = (schema: JsonSchema, gen: Gen, name: string): string => {
    if (schema['format'] === 'date-time') return new Date(gen(fc.integer, { min: 0, max: 2 * NOW })).toISOString()
    if (name === 'nextCursor') return chance(gen, 20) ? gen(() => id) : ''
    if (/id$/i.test(name)) return gen(() => id)
    const text = chance(gen, 50) ? gen(() => anyWord) : gen(() => free)
    const most = Number(schema['maxLength'] ?? Infinity)
    return (NONSENSE.test(text) ? 'text' : text).padEnd(Number(schema['minLength'] ?? 0), 'x').slice(0, most)
  }

  const listOf = (schema: JsonSchema, gen: Gen, name: string, depth: number): unknown[] => {
    const least = Number(schema['minItems'] ?? 0)
    const most = Math.max(least, Math.min(Number(schema['maxItems'] ?? Infinity), depth > DEEP ? 0 : MOST_ITEMS))
    // A page of a list is usually not empty, so that there is something to select.
    const some = depth <= 1 && chance(gen, 80) ? Math.min(3, most) : least
    const length = gen(fc.integer, { min: Math.max(least, some), max: most })
    return Array.from({ length }, () => valueOf(asSchema(schema['items']), gen, name, depth + 1))
  }

  const objectOf = (schema: JsonSchema, gen: Gen, depth: number): Record<string, unknown> => {
    const required = new Set(schema['required'] as string[] | undefined)
    const properties = Object.entries(asSchema(schema['properties'])) as [string, JsonSchema][]
    const made = properties.flatMap(([name, each]) =>
      required.has(name) || (depth <= DEEP && chance(gen, 75))
        ? [[name, valueOf(each, gen, name, depth + 1)] as const]
        : [],
    )
    const more = schema['additionalProperties']
    const extra =
      typeof more === 'object' && depth <= DEEP
        ? Array.from({ length: gen(fc.nat, { max: 3 }) }, () => [
            gen(() => anyWord),
            valueOf(asSchema(more), gen, '', depth + 1),
          ])
        : []
    return Object.fromEntries([...extra, ...made]) as Record<string, unknown>
  }

  return {
    /** Returns a value of this schema; the same for the same seed. */
    of: (schema: JsonSchema, seed: number): unknown =>
      fc.sample(
        fc.gen().map(gen => ({ value: valueOf(schema, gen, '', 0) })),
        { seed, numRuns: 1 },
      )[0]?.value,
  }
}

function within(schema: JsonSchema, number: number): number {
  const least = Number(schema['minimum'] ?? schema['exclusiveMinimum'] ?? -Infinity)
  const most = Number(schema['maximum'] ?? Infinity)
  return Math.min(most, Math.max(least, number))
}

function asSchema(value: unknown): JsonSchema {
  return typeof value === 'object' && value !== null ? (value as JsonSchema) : {}
}

/** Every word of the closed lists in the document. */
function wordsOf(value: unknown, words = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return words
  if ('enum' in value && Array.isArray(value.enum))
    for (const word of value.enum) if (typeof word === 'string' && !NONSENSE.test(word)) words.add(word)
  for (const part of Object.values(value)) wordsOf(part, words)
  return words
}
