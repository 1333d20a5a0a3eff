export type JsonSchema = Record<string, unknown>

/** Limits that both sides can express. */
const BOUNDS = ['minimum', 'exclusiveMinimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'] as const

/** A JSON schema reduced to the parts by which two sides can be compared. */
export type Shape = {
  /** JSON types; empty if any value is allowed. */
  types: ReadonlySet<string>
  /** The only values, as text. */
  values?: ReadonlySet<string>
  /** Known values, if others are allowed as well. */
  knownValues?: ReadonlySet<string>
  bounds: ReadonlyMap<string, number>
  fields: ReadonlyMap<string, { required: boolean; shape: Shape }>
  /** Whether undeclared fields are refused. */
  strict: boolean
  /** Shape of the items of a list or of the values of a dictionary. */
  entries?: Shape
}

type Resolve = (schema: JsonSchema) => JsonSchema

/** Reads a schema; `resolve` follows its references. Alternatives are merged into one shape. */
export function shapeOf(source: JsonSchema, resolve: Resolve): Shape {
  const schema = resolve(source)
  const whole = merge(
    [ownShape(schema, resolve), ...schemas(schema['allOf']).map(part => shapeOf(part, resolve))],
    'all',
  )
  const alternatives = [...schemas(schema['oneOf']), ...schemas(schema['anyOf'])].filter(saysMore)
  if (alternatives.length === 0) return whole
  const choice = merge(
    alternatives.map(part => shapeOf(part, resolve)),
    'any',
  )
  return merge([whole, choice], 'all')
}

/** A branch that only names required fields restricts combinations, which a list of fields does not show. */
function saysMore(branch: JsonSchema): boolean {
  return '$ref' in branch || 'type' in branch || 'enum' in branch || 'const' in branch || 'anyOf' in branch
}

function ownShape(schema: JsonSchema, resolve: Resolve): Shape {
  const required = new Set(texts(schema['required']))
  const properties = Object.entries(asSchema(schema['properties']) ?? {})
  const entries = asSchema(schema['items']) ?? asSchema(schema['additionalProperties'])
  const values = 'const' in schema ? [schema['const']] : schema['enum']
  return {
    types: typesOf(schema),
    ...optional('values', values === undefined ? undefined : new Set(texts(values))),
    ...optional('knownValues', schema['values'] === undefined ? undefined : new Set(texts(schema['values']))),
    bounds: boundsOf(schema),
    fields: new Map(
      properties.map(([name, value]) => [
        name,
        { required: required.has(name), shape: shapeOf(asSchema(value) ?? {}, resolve) },
      ]),
    ),
    strict: schema['additionalProperties'] === false,
    ...optional('entries', entries && Object.keys(entries).length > 0 ? shapeOf(entries, resolve) : undefined),
  }
}

function typesOf(schema: JsonSchema): Set<string> {
  const named = Array.isArray(schema['type']) ? texts(schema['type']) : texts([schema['type'] ?? []].flat())
  const constant = 'const' in schema && named.length === 0 ? [typeof schema['const']] : []
  const types = new Set([...named, ...constant])
  if (schema['nullable'] === true) types.add('null')
  return types
}

/** The range of a safe integer is not a rule of the contract. */
function boundsOf(schema: JsonSchema): Map<string, number> {
  const bounds = BOUNDS.map(name => [name, schema[name]] as const)
  return new Map(
    bounds.filter(
      (bound): bound is [(typeof BOUNDS)[number], number] =>
        typeof bound[1] === 'number' && Math.abs(bound[1]) !== Number.MAX_SAFE_INTEGER,
    ),
  )
}

/** `all`: every part applies. `any`: one part applies, so a field is required only if all parts require it. */
function merge(parts: Shape[], mode: 'all' | 'any'): Shape {
  if (parts.length === 1) return parts[0]!
  const objects = parts.filter(part => part.types.has('object') || part.fields.size > 0)
  const valued = parts.filter(part => !(part.types.size === 1 && part.types.has('null')))
  const allValued = mode === 'all' || valued.every(part => part.values)
  const names = new Set(objects.flatMap(part => [...part.fields.keys()]))
  const merged = [...names].map(name => {
    const found = objects.flatMap(part => part.fields.get(name) ?? [])
    const agree = mode === 'all' || found.length === objects.length
    const required = mode === 'all' ? found.some(isRequired) : agree && found.every(isRequired)
    return [
      name,
      {
        required,
        shape: merge(
          found.map(field => field.shape),
          mode,
        ),
      },
    ] as const
  })
  const entries = parts.flatMap(part => part.entries ?? [])
  return {
    types: new Set(parts.flatMap(part => [...part.types])),
    ...optional('values', allValued ? union(valued.map(part => part.values)) : undefined),
    ...optional('knownValues', union(parts.map(part => part.knownValues))),
    bounds: new Map(parts.flatMap(part => [...part.bounds])),
    fields: new Map(merged),
    strict: objects.length > 0 && objects[mode === 'all' ? 'some' : 'every'](part => part.strict),
    ...optional('entries', entries.length > 0 ? merge(entries, mode) : undefined),
  }
}

function isRequired(field: { required: boolean }): boolean {
  return field.required
}

function union(sets: (ReadonlySet<string> | undefined)[]): ReadonlySet<string> | undefined {
  const present = sets.filter(set => set !== undefined)
  return present.length > 0 ? new Set(present.flatMap(set => [...set])) : undefined
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V })
}

function asSchema(value: unknown): JsonSchema | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonSchema) : undefined
}

function schemas(value: unknown): JsonSchema[] {
  const entries: unknown[] = Array.isArray(value) ? value : []
  return entries.map(asSchema).filter(schema => schema !== undefined)
}

function texts(value: unknown): string[] {
  const entries: unknown[] = Array.isArray(value) ? value : []
  return entries.map(String)
}
