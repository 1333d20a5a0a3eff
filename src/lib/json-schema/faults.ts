import { isPlainObject, type JsonObject } from '../json.ts'
/** Something in a schema that compiles, or would, but cannot be meant. */
export type SchemaFault = {
  /** No value is right; a default or a choice is wrong; or a reference leads nowhere. */
  kind: 'contradiction' | 'stray' | 'dangling'
  /** JSON pointer of the part that has it. */
  pointer: string
  /** What is wrong, as a sentence without its subject's article and full stop. */
  says: string
}

/** Keywords whose value is a schema, several schemas, or schemas by name. What is negated may contradict itself. */
const INNER = ['items', 'additionalProperties', 'contains', 'propertyNames', 'then', 'else'] as const
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const
const NAMED = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'] as const
const RANGES = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
  ['minContains', 'maxContains'],
] as const
const MOST_FAULTS = 50
const MOST_WORDS = 80

/** The faults of a schema, in the order in which they stand in it, no more than {@link MOST_FAULTS}. */
export function schemaFaults(root: unknown): SchemaFault[] {
  const faults: SchemaFault[] = []
  const waiting: [schema: unknown, pointer: string][] = [[root, '']]
  for (let next = waiting.pop(); next && faults.length < MOST_FAULTS; next = waiting.pop()) {
    const [schema, pointer] = next
    if (!isPlainObject(schema)) continue
    faults.push(...faultsAt(schema, pointer, root))
    waiting.push(...partsOf(schema, pointer).toReversed())
  }
  return faults.slice(0, MOST_FAULTS)
}

function partsOf(schema: JsonObject, pointer: string): [unknown, string][] {
  return [
    ...NAMED.flatMap(keyword => entriesOf(schema[keyword]).map(([name, part]) => [part, keyword, name] as const)),
    ...LISTS.flatMap(keyword => entriesOf(schema[keyword]).map(([name, part]) => [part, keyword, name] as const)),
    ...INNER.map(keyword => [schema[keyword], keyword] as const),
  ].map(([part, ...steps]) => [part, pointer + steps.map(step => `/${escaped(step)}`).join('')])
}

function faultsAt(schema: JsonObject, pointer: string, root: unknown): SchemaFault[] {
  const found = (kind: SchemaFault['kind'], says: string): SchemaFault => ({ kind, pointer, says })
  const { $ref } = schema
  return [
    ...(typeof $ref === 'string' && leadsNowhere($ref, root) ? [found('dangling', `refers to ${short($ref)}`)] : []),
    ...[...rangeFaults(schema), ...nameFaults(schema), ...typeFaults(schema)].map(says => found('contradiction', says)),
    ...strayFaults(schema).map(says => found('stray', says)),
  ]
}

/** Only what refers into the same schema can be followed; a schema with names of its own may mean anything by it. */
function leadsNowhere($ref: string, root: unknown): boolean {
  if (!$ref.startsWith('#/') || JSON.stringify(root).includes('"$id"')) return false
  let at: unknown = root
  for (const step of stepsOf($ref)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return true
    at = (at as JsonObject)[step]
  }
  return false
}

function stepsOf($ref: string): string[] {
  try {
    return decodeURIComponent($ref.slice(2))
      .split('/')
      .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  } catch {
    return [$ref]
  }
}

function rangeFaults(schema: JsonObject): string[] {
  const number = (keyword: string): number | undefined =>
    typeof schema[keyword] === 'number' ? schema[keyword] : undefined
  const faults = RANGES.flatMap(([least, most]) => {
    const [low = -Infinity, high = Infinity] = [number(least), number(most)]
    return low > high ? [`has ${least} ${low} above ${most} ${high}`] : []
  })
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below } = schema
  const low = typeof above === 'number' ? above : -Infinity
  const high = typeof below === 'number' ? below : Infinity
  if (low >= high) faults.push(`has exclusiveMinimum ${low} not below exclusiveMaximum ${high}`)
  else if (typeof maximum === 'number' && low >= maximum) faults.push(`has exclusiveMinimum ${low} not below maximum`)
  else if (typeof minimum === 'number' && high <= minimum) faults.push(`has exclusiveMaximum ${high} not above minimum`)
  return faults
}

/** Required names that may not be given. */
function nameFaults({
  required,
  properties,
  additionalProperties,
  patternProperties,
  ...schema
}: JsonObject): string[] {
  if (!Array.isArray(required)) return []
  const { maxProperties } = schema
  const tooMany =
    typeof maxProperties === 'number' && new Set(required).size > maxProperties
      ? [`requires ${new Set(required).size} properties and allows ${maxProperties}`]
      : []
  if (additionalProperties !== false || patternProperties !== undefined) return tooMany
  const known = isPlainObject(properties) ? properties : {}
  const missing = required.filter(name => typeof name === 'string' && !Object.hasOwn(known, name))
  return [...tooMany, ...missing.map(name => `requires ${quoted(name)}, which it does not allow`)]
}

/** Choices of which the type allows none, and conditions whose types exclude each other. */
function typeFaults(schema: JsonObject): string[] {
  const { type, enum: choices, allOf } = schema
  const faults: string[] = []
  if (Array.isArray(choices) && !choices.some(choice => fitsType(choice, type)))
    faults.push(
      choices.length === 0 ? 'has no choice in its enum' : `has no choice of type ${typesOf(type)} in its enum`,
    )
  if ('const' in schema && !fitsType(schema['const'], type)) faults.push(`has a const that is not ${typesOf(type)}`)
  const parts = [type, ...entriesOf(allOf).map(([, part]) => (isPlainObject(part) ? part['type'] : undefined))]
  const sets = parts.filter(each => each !== undefined).map(each => [each].flat())
  const common = SAMPLES.filter(sample => sets.every(set => fitsType(sample, set)))
  if (sets.length > 1 && common.length === 0) faults.push('has conditions whose types exclude each other')
  return faults
}

/** A value of each type. */
const SAMPLES: readonly unknown[] = ['', 1, 1.5, true, null, [], {}]

function strayFaults({ type, enum: choices, default: initial, ...schema }: JsonObject): string[] {
  const listed = Array.isArray(choices) ? choices : []
  const strays = listed.filter(choice => !fitsType(choice, type))
  const isNone = strays.length === listed.length
  return [
    ...(isNone ? [] : strays.map(choice => `has the choice ${quoted(choice)}, which is not ${typesOf(type)}`)),
    ...(initial === undefined || (initial === null && schema['nullable'] === true) || fitsType(initial, type)
      ? []
      : [`has the default ${quoted(initial)}, which is not ${typesOf(type)}`]),
  ]
}

function fitsType(value: unknown, type: unknown): boolean {
  if (type === undefined) return true
  const own = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  return [type].flat().some(each => each === own || (each === 'integer' && Number.isInteger(value)))
}

function typesOf(type: unknown): string {
  return short([type].flat().map(String).join(' or '))
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

function escaped(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1')
}

function quoted(value: unknown): string {
  return short(JSON.stringify(value))
}

function short(text: string): string {
  return text.length <= MOST_WORDS ? text : `${text.slice(0, MOST_WORDS)}…`
}
