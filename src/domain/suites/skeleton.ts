import { plainSchemas } from '../../lib/json-schema/plain-schema.ts'
import { isPlainObject } from '../../lib/json.ts'

/** A JSON Schema, with only the parts that are needed here. */
type Schema = Readonly<Record<string, unknown>>

/** Maximum nesting for which a skeleton is written. */
const MOST_DEPTH = 6

/**
 * Returns an initial value: the default or the first choice; for an object, its properties that are required or have a
 * default; for other types, an empty value.
 * @param read resolves references in the schema that contains this one
 */
export function skeleton(schema: Schema, depth: number, read = plainSchemas(schema)): unknown {
  const plain = read(schema)
  const { schema: own } = plain.options[0] ?? plain
  const start = startOf(plain.schema) ?? startOf(own) ?? choicesOf(own)[0]
  if (start !== undefined || depth > MOST_DEPTH) return start ?? null
  const { type, properties } = own
  if (type === 'string') return ''
  if (type === 'number' || type === 'integer') return 0
  if (type === 'boolean') return false
  if (type === 'array') return tupleOf(own).map(item => skeleton(item, depth + 1, read))
  if (type !== 'object' && !isPlainObject(properties)) return depth === 0 ? {} : null
  const required = requiredNames(own)
  const entries = Object.entries(isPlainObject(properties) ? properties : {})
    .map(([name, property]) => [name, isPlainObject(property) ? property : {}] as const)
    .filter(([name, property]) => required.has(name) || startOf(property) !== undefined)
    .map(([name, property]) => [name, skeleton(property, depth + 1, read)] as const)
  return Object.fromEntries(entries)
}

/** Returns the schemas of an array's first items, if it has them. Drafts before 2020-12 call them `items`. */
export function tupleOf({ prefixItems, items }: Schema): readonly Schema[] {
  const listed = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : []
  return listed.map(item => (isPlainObject(item) ? item : {}))
}

export function requiredNames(schema: Schema): ReadonlySet<unknown> {
  const required = schema['required']
  return new Set(Array.isArray(required) ? required : [])
}

/** Returns the values that a schema allows, if it lists them. */
export function choicesOf(schema: Schema): readonly unknown[] {
  return Array.isArray(schema['enum']) ? (schema['enum'] as unknown[]) : []
}

/** Returns the value that a schema suggests: its default, its constant, or nothing. */
export function startOf(schema: Schema): unknown {
  return schema['default'] ?? schema['const']
}
