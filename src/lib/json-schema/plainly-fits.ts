import { type Schema, Validator } from '@cfworker/json-schema'
import draft7 from 'ajv/dist/refs/json-schema-draft-07.json' with { type: 'json' }
import { isPlainObject, type JsonObject } from '../json.ts'

/**
 * Maximum depth of checked schemas. Deeper ones are left to the compiler, which runs in a thread whose stack may
 * overflow.
 */
const MOST_DEPTH = 10
/** Keywords that most tool schemas use, which have the same meaning in every draft and take limited time to check. */
const PLAIN = new Set(
  (
    '$schema title description default type enum minimum maximum minLength maxLength items required properties ' +
    'additionalProperties anyOf'
  ).split(' '),
)

let drafts: Validator | undefined

/**
 * Whether arguments certainly fit a tool's schema. False means unknown: they do not fit, or the schema uses less common
 * keywords that only a compiler can check.
 */
export function plainlyFits(schema: JsonObject, value: JsonObject): boolean {
  if (!isPlain(schema, 0)) return false
  drafts ??= new Validator(draft7 as Schema, '7')
  return drafts.validate(schema).valid && new Validator(schema, '7').validate(value).valid
}

function isPlain(schema: unknown, depth: number): boolean {
  if (!isPlainObject(schema) || depth > MOST_DEPTH || !Object.keys(schema).every(name => PLAIN.has(name))) return false
  const { items, properties = {}, required = [], additionalProperties = true, anyOf = [] } = schema
  // One of the two validators treats names that every object inherits as present.
  const names = [Object.keys(Object(properties)), required].flat()
  const inner = [...(items === undefined ? [] : [items]), ...Object.values(Object(properties)), anyOf].flat()
  return (
    typeof additionalProperties === 'boolean' &&
    names.every(name => typeof name === 'string' && !(name in {})) &&
    inner.every(each => isPlain(each, depth + 1))
  )
}
