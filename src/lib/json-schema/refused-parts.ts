import { isPlainObject, type JsonObject } from '../json.ts'
import { entriesOf, escaped, usedParts } from './parts.ts'

/** A kind of part that JSON Schema and MCP allow but some client or model service refuses. */
export type Refused = (typeof KINDS)[number][0]

/** Position of the first part of a kind, as a JSON pointer. */
export type RefusedPart = { refused: Refused; pointer: string }

/** Finds the pointer of a refused part in the schema at `pointer`; undefined if it has none. */
type Look = (schema: JsonObject, pointer: string) => string | undefined

const here =
  (isRefused: (schema: JsonObject) => boolean): Look =>
  (schema, pointer) =>
    isRefused(schema) ? pointer : undefined
const atRoot =
  (isRefused: (schema: JsonObject) => boolean): Look =>
  (schema, pointer) =>
    pointer === '' && isRefused(schema) ? pointer : undefined

const has = (schema: JsonObject, ...keywords: string[]): boolean => keywords.some(each => Object.hasOwn(schema, each))

const KINDS = [
  ['root-choice', atRoot(schema => has(schema, 'anyOf', 'oneOf', 'allOf'))],
  ['root-exclusion', atRoot(schema => has(schema, 'enum', 'not'))],
  ['no-properties', atRoot(schema => schema['type'] === 'object' && !has(schema, 'properties'))],
  ['argument-name', (schema, at) => (at === '' ? property(schema, at, name => !ARGUMENT.test(name)) : undefined)],
  ['no-items', here(schema => [schema['type']].flat().includes('array') && !has(schema, 'items'))],
  ['item-list', here(({ items }) => Array.isArray(items))],
  ['boolean-property', (schema, at) => property(schema, at, (_, part) => typeof part === 'boolean')],
  ['enum-value', here(({ enum: choices }) => Array.isArray(choices) && choices.some(isNumberOrBoolean))],
  ['several-types', here(({ type }) => Array.isArray(type) && type.length > 1)],
] as const satisfies [string, Look][]

const ARGUMENT = /^[\w.-]{1,64}$/

/** Returns the first part of each kind in the used parts of a schema. */
export function refusedParts(root: unknown): RefusedPart[] {
  const found = new Map<Refused, string>()
  for (const [schema, pointer] of usedParts(root)) {
    for (const [refused, look] of KINDS) {
      const at = found.has(refused) ? undefined : look(schema, pointer)
      if (at !== undefined) found.set(refused, at)
    }
  }
  return KINDS.flatMap(([refused]) => {
    const pointer = found.get(refused)
    return pointer === undefined ? [] : [{ refused, pointer }]
  })
}

function property(
  { properties }: JsonObject,
  pointer: string,
  isRefused: (name: string, part: unknown) => boolean,
): string | undefined {
  const entry = isPlainObject(properties) ? entriesOf(properties).find(each => isRefused(...each)) : undefined
  return entry && `${pointer}/properties/${escaped(entry[0])}`
}

function isNumberOrBoolean(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean'
}
