import fc from 'fast-check'

type Schema = Readonly<Record<string, unknown>>

/** Maximum nesting of objects and lists; below it only required fields are generated. */
const MOST_DEPTH = 5

/** Texts that a form may mistake for other values. */
export const trickyTexts: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('', ' ', '12', '-0', '1e3', 'true', 'null', '{}', '[]', '"q"', '{"a":1}', ' 7 ', '0x10', 'NaN', '0'),
  fc.constantFrom(
    'two\nlines',
    'a\tb',
    '\r',
    '\u001b[2J',
    '\u202eabc',
    'e\u0301',
    '99999999999999999999',
    '\\',
    '#',
    '~',
  ),
)

/** Values that a schema may allow: most of them are valid, and a validator decides. */
export function valuesOf(schema: unknown, root: Schema, depth = 0): fc.Arbitrary<unknown> {
  if (!isSchema(schema)) return fc.jsonValue({ maxDepth: 1 })
  const { $ref, anyOf, oneOf, allOf, ...own } = schema
  if (typeof $ref === 'string') return valuesOf(pointed($ref, root), root, depth)
  if ('const' in own) return fc.constant(own['const'])
  if (Array.isArray(own['enum'])) return fc.constantFrom(...(own['enum'] as unknown[]))
  const alternatives = [anyOf, oneOf].find(Array.isArray) as unknown[] | undefined
  const parts = Array.isArray(allOf) ? (allOf as unknown[]) : []
  if (alternatives === undefined && parts.length === 0) return typed(own, root, depth)
  const isOwn = 'type' in own || 'properties' in own
  // The values of all parts are merged; if they are not objects, the last is used, which is usually the most specific.
  return fc
    .tuple(
      ...(isOwn ? [typed(own, root, depth)] : []),
      ...parts.map(part => valuesOf(part, root, depth)),
      ...(alternatives ? [fc.oneof(...alternatives.map(each => valuesOf(each, root, depth)))] : []),
    )
    .map(made => (made.every(isSchema) ? Object.assign({}, ...made) : made.at(-1)))
}

function typed(schema: Schema, root: Schema, depth: number): fc.Arbitrary<unknown> {
  const { type } = schema
  if (Array.isArray(type))
    return fc.oneof(...type.map(each => typed({ ...schema, type: each as unknown }, root, depth)))
  switch (type ?? (isSchema(schema['properties']) ? 'object' : '')) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
    case 'number':
      return numbers(schema)
    case 'string':
      return texts(schema)
    case 'array':
      return lists(schema, root, depth)
    case 'object':
      return objects(schema, root, depth)
    default:
      return fc.oneof(trickyTexts, fc.jsonValue({ maxDepth: 2 }))
  }
}

function numbers(schema: Schema): fc.Arbitrary<number> {
  const { type, minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below } = schema
  const [low, high] = [minimum ?? above, maximum ?? below].map(each => (typeof each === 'number' ? each : undefined))
  const least = low ?? Math.min(high ?? 0, 0) - 1e6
  const most = high ?? Math.max(least, 0) + 1e6
  const whole = fc.integer({ min: Math.ceil(least), max: Math.max(Math.ceil(least), Math.floor(most)) })
  return type === 'integer' ? whole : fc.oneof(whole, fc.double({ min: least, max: most, noNaN: true }).map(positive))
}

/** JSON has no negative zero. */
function positive(number: number): number {
  return number === 0 ? 0 : number
}

function texts({ pattern, minLength, maxLength }: Schema): fc.Arbitrary<string> {
  // The library generates no text for lookarounds.
  if (typeof pattern === 'string')
    return /\(\?[!=<]/.test(pattern) ? fc.constant('main') : fc.stringMatching(new RegExp(pattern))
  const least = typeof minLength === 'number' ? minLength : 0
  const most = typeof maxLength === 'number' ? Math.min(maxLength, least + 20) : least + 20
  const fitting = fc.string({ minLength: least, maxLength: most })
  return least > 5 || most < 8 ? fitting : fc.oneof(fitting, trickyTexts)
}

function lists(schema: Schema, root: Schema, depth: number): fc.Arbitrary<unknown[]> {
  const { minItems, maxItems, items } = schema
  const least = typeof minItems === 'number' ? minItems : 0
  const most = Math.min(typeof maxItems === 'number' ? maxItems : least + 3, least + 3)
  if (depth >= MOST_DEPTH && least === 0) return fc.constant([])
  return fc.array(valuesOf(items ?? {}, root, depth + 1), { minLength: least, maxLength: most })
}

function objects(schema: Schema, root: Schema, depth: number): fc.Arbitrary<Schema> {
  const { properties, required, additionalProperties: others } = schema
  const needed = Array.isArray(required) ? (required as unknown[]) : []
  const known = Object.entries(isSchema(properties) ? properties : {})
  const made = known.map(([name, part]) => {
    const value = valuesOf(part, root, depth + 1)
    if (needed.includes(name)) return value.map(given => [[name, given]] as const)
    return depth >= MOST_DEPTH
      ? fc.constant([])
      : fc.option(value).map(given => (given === null ? [] : [[name, given] as const]))
  })
  const rest =
    others === false || (others === undefined && known.length > 0)
      ? fc.constant({})
      : fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), valuesOf(others ?? {}, root, depth + 1), { maxKeys: 2 })
  return fc
    .tuple(rest, fc.tuple(...made))
    .map(([more, entries]) => ({ ...more, ...Object.fromEntries(entries.flat() as [string, unknown][]) }))
}

/** Returns the target of a JSON pointer in the schema. */
export function pointed($ref: string, root: Schema): unknown {
  const steps = $ref
    .slice(2)
    .split('/')
    .filter(step => step !== '')
  return steps.reduce<unknown>((part, step) => Object(part)[step.replaceAll('~1', '/').replaceAll('~0', '~')], root)
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
