import { isPlainObject, type JsonObject } from '../json.ts'

/** Deeper ones are left to the compiler, which runs where the stack may end. */
const MOST_DEPTH = 10

const TYPES: Record<string, (value: unknown) => boolean> = {
  array: Array.isArray,
  boolean: value => typeof value === 'boolean',
  integer: Number.isInteger,
  null: value => value === null,
  number: Number.isFinite,
  object: isPlainObject,
  string: value => typeof value === 'string',
}

/** Whether a keyword is as its schema wants it, and whether the value satisfies it. */
type Keyword = {
  formed: (given: unknown, depth: number) => boolean
  holds?: (given: never, value: unknown, schema: JsonObject) => boolean
}

const isText = (given: unknown): given is string => typeof given === 'string'
const isCount = (given: unknown): boolean => Number.isInteger(given) && Number(given) >= 0
const isTexts = (given: unknown): given is string[] =>
  Array.isArray(given) && given.every(isText) && new Set(given).size === given.length

/** All keywords that are looked at here; they mean the same in every draft. */
const KEYWORDS: Record<string, Keyword> = {
  $schema: { formed: isText },
  title: { formed: isText },
  description: { formed: isText },
  // Formats are not checked anywhere.
  format: { formed: isText },
  default: { formed: () => true },
  type: {
    formed: given =>
      [given].flat().every(name => isText(name) && Object.hasOwn(TYPES, name)) && isTexts([given].flat()),
    holds: (given: string | string[], value) => [given].flat().some(name => TYPES[name]?.(value)),
  },
  enum: { formed: Array.isArray, holds: (given: unknown[], value) => given.includes(value) },
  minimum: { formed: Number.isFinite, holds: (given: number, value) => typeof value !== 'number' || value >= given },
  maximum: { formed: Number.isFinite, holds: (given: number, value) => typeof value !== 'number' || value <= given },
  minLength: { formed: isCount, holds: (given: number, value) => !isText(value) || Array.from(value).length >= given },
  maxLength: { formed: isCount, holds: (given: number, value) => !isText(value) || Array.from(value).length <= given },
  items: {
    formed: isPlain,
    holds: (given: JsonObject, value) => !Array.isArray(value) || value.every(item => holds(given, item)),
  },
  required: {
    formed: isTexts,
    holds: (given: string[], value) => !isPlainObject(value) || given.every(name => Object.hasOwn(value, name)),
  },
  properties: {
    // What every object has by itself is there for the compiler, given or not.
    formed: (given, depth) =>
      isPlainObject(given) && Object.entries(given).every(([name, inner]) => !(name in {}) && isPlain(inner, depth)),
    holds: (given: Record<string, JsonObject>, value) =>
      !isPlainObject(value) ||
      Object.entries(given).every(([name, inner]) => !Object.hasOwn(value, name) || holds(inner, value[name])),
  },
  additionalProperties: {
    formed: given => typeof given === 'boolean',
    holds: (given: boolean, value, { properties = {} }) =>
      given || !isPlainObject(value) || Object.keys(value).every(name => Object.hasOwn(properties as object, name)),
  },
  anyOf: {
    formed: (given, depth) => Array.isArray(given) && given.length > 0 && given.every(each => isPlain(each, depth)),
    holds: (given: JsonObject[], value) => given.some(each => holds(each, value)),
  },
}

/**
 * Whether arguments certainly fit a tool's schema. False says nothing: either they do not, or the schema uses more than
 * what most do, and only a compiler can tell.
 */
export function plainlyFits(schema: JsonObject, value: JsonObject): boolean {
  return isPlain(schema, 0) && holds(schema, value)
}

/** Whether nothing but these keywords is in a schema, each with what belongs there. */
function isPlain(schema: unknown, depth: number): schema is JsonObject {
  return (
    isPlainObject(schema) &&
    depth < MOST_DEPTH &&
    Object.entries(schema).every(([name, given]) => own(name)?.formed(given, depth + 1) ?? false)
  )
}

function holds(schema: JsonObject, value: unknown): boolean {
  return Object.entries(schema).every(([name, given]) => own(name)?.holds?.(given as never, value, schema) ?? true)
}

function own(name: string): Keyword | undefined {
  return Object.hasOwn(KEYWORDS, name) ? KEYWORDS[name] : undefined
}
