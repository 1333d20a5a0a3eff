import { type Schema, Validator } from '@cfworker/json-schema'
import draft7 from 'ajv/dist/refs/json-schema-draft-07.json' with { type: 'json' }
import { isPlainObject, type JsonObject } from '../json.ts'

/** Deeper ones are left to the compiler, which runs where the stack may end. */
const MOST_DEPTH = 10
/** What most schemas of tools are made of; it means the same in every draft, and takes a bounded time. */
const PLAIN = new Set(
  (
    '$schema title description default type enum minimum maximum minLength maxLength items required properties ' +
    'additionalProperties anyOf'
  ).split(' '),
)

let drafts: Validator | undefined

/**
 * Whether arguments certainly fit a tool's schema. False says nothing: either they do not, or the schema uses more than
 * what most do, and only a compiler can tell.
 */
export function plainlyFits(schema: JsonObject, value: JsonObject): boolean {
  if (!isPlain(schema, 0)) return false
  drafts ??= new Validator(draft7 as Schema, '7')
  return drafts.validate(schema).valid && new Validator(schema, '7').validate(value).valid
}

function isPlain(schema: unknown, depth: number): boolean {
  if (!isPlainObject(schema) || depth > MOST_DEPTH || !Object.keys(schema).every(name => PLAIN.has(name))) return false
  const { items, properties = {}, required = [], additionalProperties = true, anyOf = [] } = schema
  // Names that every object has are there for one of the two validators, given or not.
  const names = [Object.keys(Object(properties)), required].flat()
  const inner = [...(items === undefined ? [] : [items]), ...Object.values(Object(properties)), anyOf].flat()
  return (
    typeof additionalProperties === 'boolean' &&
    names.every(name => typeof name === 'string' && !(name in {})) &&
    inner.every(each => isPlain(each, depth + 1))
  )
}
