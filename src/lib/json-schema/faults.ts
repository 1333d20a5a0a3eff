import { isPlainObject, type JsonObject } from '../json.ts'
import { entriesOf, referred, schemaParts } from './parts.ts'
import { isOfType } from './types.ts'

/** Something in a schema that compiles but is probably a mistake. */
export type SchemaFault = {
  /** No value is valid; a default or a choice is invalid; or a reference has no target. */
  kind: 'contradiction' | 'stray' | 'dangling'
  /** JSON pointer of the faulty part. */
  pointer: string
  /** Description of the fault, as a sentence without the article of its subject and without a full stop. */
  says: string
}

const RANGES = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
  ['minContains', 'maxContains'],
] as const
const MOST_FAULTS = 50
const MOST_WORDS = 80

/** Returns the faults of a schema in their order in it, at most {@link MOST_FAULTS}. */
export function schemaFaults(root: unknown): SchemaFault[] {
  const faults: SchemaFault[] = []
  for (const [schema, pointer] of schemaParts(root)) {
    if (faults.length >= MOST_FAULTS) break
    faults.push(...faultsAt(schema, pointer, root))
  }
  return faults.slice(0, MOST_FAULTS)
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

/**
 * Whether a reference has no target. Only references into the same schema can be followed. In a schema with its own ids
 * they could mean anything.
 */
function leadsNowhere($ref: string, root: unknown): boolean {
  return $ref.startsWith('#/') && !JSON.stringify(root).includes('"$id"') && referred($ref, root) === undefined
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

/** Finds required names that are not allowed. */
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

/** Finds choices that the type does not allow, and conditions whose types exclude each other. */
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
  return [type].flat().some(each => isOfType(value, each))
}

function typesOf(type: unknown): string {
  return short([type].flat().map(String).join(' or '))
}

function quoted(value: unknown): string {
  return short(JSON.stringify(value))
}

function short(text: string): string {
  return text.length <= MOST_WORDS ? text : `${text.slice(0, MOST_WORDS)}…`
}
