/** A JSON Schema, of which only what is needed here is read. */
type Schema = Readonly<Record<string, unknown>>

/** Deepest nesting for which a skeleton is written. */
const MOST_DEPTH = 6

/** A value to start from: defaults, first choices, required properties, else the type's empty value. */
export function skeleton(schema: Schema, depth: number): unknown {
  const start = startOf(schema) ?? choicesOf(schema)[0]
  if (start !== undefined || depth > MOST_DEPTH) return start ?? null
  const { type, properties } = schema
  if (type === 'string') return ''
  if (type === 'number' || type === 'integer') return 0
  if (type === 'boolean') return false
  if (type === 'array') return []
  if (type !== 'object' && !isSchema(properties)) return depth === 0 ? {} : null
  const required = requiredNames(schema)
  const entries = Object.entries(isSchema(properties) ? properties : {})
    .map(([name, property]) => [name, isSchema(property) ? property : {}] as const)
    .filter(([name, property]) => required.has(name) || startOf(property) !== undefined)
    .map(([name, property]) => [name, skeleton(property, depth + 1)] as const)
  return Object.fromEntries(entries)
}

export function requiredNames(schema: Schema): ReadonlySet<unknown> {
  const required = schema['required']
  return new Set(Array.isArray(required) ? required : [])
}

/** The values that a schema allows, where it names them. */
export function choicesOf(schema: Schema): readonly unknown[] {
  return Array.isArray(schema['enum']) ? (schema['enum'] as unknown[]) : []
}

/** The value that a schema itself suggests: its default, its constant, or nothing. */
export function startOf(schema: Schema): unknown {
  return schema['default'] ?? schema['const']
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
