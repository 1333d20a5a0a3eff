import { namedValues, plainSchemas, type NamedValue, type PlainSchema } from '../../lib/json-schema/plain-schema.ts'
import { isPlainObject, type JsonObject } from '../../lib/json.ts'
import { jsonText } from '../../lib/printable.ts'
import { requiredNames, skeleton, startOf, tupleOf } from '../../domain/suites/skeleton.ts'
import { blanksOf, initialOf, unchosen, type ArgumentField, type FieldKind, type Reading } from './argument-field.ts'
import { schemaType } from './schema-lines.ts'

/** A part of a form, for one schema. */
export type Part =
  | { kind: 'field'; field: ArgumentField }
  /** Always sent if its parent is given. */
  | { kind: 'fixed'; value: unknown }
  | { kind: 'group'; required: boolean; parts: readonly (readonly [name: string, part: Part])[] }
  /** One of several variants, which the field selects by position. */
  | { kind: 'variants'; required: boolean; field: ArgumentField; variants: readonly Part[] }

/** Maximum nesting of objects whose properties are separate fields; deeper ones are typed as JSON. */
const MOST_LEVELS = 3
/** More fields than this are easier to edit as one JSON text. */
const MOST_FIELDS = 40
/** Keywords whose rules no field can show. */
const UNSHOWN = ['allOf', 'if', 'dependentSchemas', 'patternProperties', '$ref']

/** Returns the parts of a schema of arguments; undefined if they must be written as one text. */
export function partsOf(schema: JsonObject): Part | undefined {
  for (let levels = MOST_LEVELS; levels > 0; levels -= 1) {
    // A new reader, with its full limit, for each attempt: what is beyond the limit looks as if any value were allowed.
    const read = plainSchemas(schema)
    const root = read(schema)
    const plain = root.options.length > 0 ? root.options : [root]
    if (!plain.every(({ schema: each }) => isGroup(each) || takesNothing(each))) return undefined
    const part = partOf(root, { path: [], id: '', required: true, levels, read, start: undefined })
    if (countFields(part) <= MOST_FIELDS) return part
  }
  return undefined
}

/** Whether the schema of an object has no arguments. A schema with only a type allows any arguments. */
function takesNothing(schema: JsonObject): boolean {
  const { properties, additionalProperties: others } = schema
  if (!isShown(schema)) return false
  const isEmpty = isPlainObject(properties) && Object.keys(properties).length === 0
  return isEmpty ? others === undefined || others === false : properties === undefined && others === false
}

function isGroup(schema: JsonObject): boolean {
  const { properties } = schema
  return isShown(schema) && isPlainObject(properties) && Object.keys(properties).length > 0
}

function isShown(schema: JsonObject): boolean {
  return !UNSHOWN.some(keyword => keyword in schema)
}

function countFields(part: Part): number {
  if (part.kind === 'group') return part.parts.reduce((sum, [, inner]) => sum + countFields(inner), 0)
  if (part.kind === 'variants') return 1 + Math.max(...part.variants.map(countFields))
  return part.kind === 'field' ? 1 : 0
}

/** The position of a part, and the maximum depth of its own parts. */
type Place = {
  path: readonly string[]
  id: string
  required: boolean
  levels: number
  read: (schema: unknown) => PlainSchema
  /** The default value in the schema of its parent. */
  start: unknown
  /** The closest optional parent: nothing in it is prefilled, or it would always be sent. */
  optional?: string | undefined
  /** Constants already distinguish the alternatives. */
  isVariant?: boolean
  /** A constant is prefilled: it is required, or distinguishes an alternative from others. */
  isConstantSent?: boolean
}

function partOf(plain: PlainSchema, place: Place): Part {
  const { schema, options, isNullable } = plain
  const isRoot = place.path.length === 0
  if (place.levels > 0 && options.some(option => isGroup(option.schema)) && !namedValues(plain))
    return variantsOf(isNullable && place.required ? [...options, NOTHING] : options, schema, place)
  if (place.levels > 0 && (isGroup(schema) || (isRoot && takesNothing(schema))) && options.length === 0)
    return isNullable && place.required && !isRoot
      ? variantsOf([plain, NOTHING], schema, place)
      : groupOf(schema, place)
  return { kind: 'field', field: fieldOf(plain, place) }
}

function requirementOf({ required, optional }: Place): Pick<ArgumentField, 'required' | 'requiredWith'> {
  return { required, ...(required && optional !== undefined && { requiredWith: optional }) }
}

const NOTHING: PlainSchema = { schema: { type: 'null' }, options: [], isNullable: false }

function groupOf(schema: JsonObject, place: Place): Part {
  const { read, required, levels } = place
  const properties = isPlainObject(schema['properties']) ? schema['properties'] : {}
  const needed = requiredNames(schema)
  const names = Object.keys(properties)
  const optional = required ? place.optional : place.path.at(-1)
  const start = startOf(schema) ?? place.start
  const parts = names.map(name => {
    const plain = read(properties[name])
    const isNeeded = needed.has(name)
    if (place.isVariant && isNeeded && 'const' in plain.schema && plain.options.length === 0)
      return [name, { kind: 'fixed', value: plain.schema['const'] }] as const
    const inner: Place = {
      path: [...place.path, name],
      id: `${place.id}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      required: isNeeded,
      levels: levels - 1,
      read,
      start: isPlainObject(start) && Object.hasOwn(start, name) ? start[name] : undefined,
      optional,
      isConstantSent: isNeeded || place.isVariant === true,
    }
    return [name, partOf(plain, inner)] as const
  })
  const first = parts.filter(([name]) => needed.has(name))
  return { kind: 'group', required, parts: [...first, ...parts.filter(([name]) => !needed.has(name))] }
}

function variantsOf(options: readonly PlainSchema[], schema: JsonObject, place: Place): Part {
  const labels = options.map(option => variantLabel(option, place.read))
  const choices = labels.map((label, at) => ({
    text: String(at),
    label: labels.indexOf(label) === at ? label : `${label} (${at + 1})`,
    ...detailOf(options[at]!.schema),
  }))
  const variants = options.map((option, at) => {
    const inner = { ...place, required: true, id: `${place.id}#${at}`, isVariant: true, optional: undefined }
    if (option === NOTHING) return { kind: 'fixed', value: null } as const
    return isGroup(option.schema) ? groupOf(option.schema, inner) : partOf({ ...option, options: [] }, inner)
  })
  const field: ArgumentField = {
    id: `${place.id}#`,
    label: place.path.length === 0 ? 'variant' : place.path.join('.'),
    path: place.path,
    kind: 'text',
    ...requirementOf(place),
    type: `one of ${options.length}`,
    description: descriptionOf(schema),
    schema,
    initial: place.required && place.optional === undefined ? '0' : '',
    choices,
    blanks: unchosen(place.required),
  }
  return { kind: 'variants', required: place.required, field, variants }
}

/**
 * Returns what distinguishes an alternative from the others: its constants, its title, what it requires, or its type.
 */
function variantLabel({ schema, ...rest }: PlainSchema, read: Place['read']): string {
  const properties = isPlainObject(schema['properties']) ? schema['properties'] : {}
  const needed = [...requiredNames(schema)].filter(name => typeof name === 'string')
  const fixed = needed.flatMap(name => {
    const { schema: inner } = read(properties[name])
    return 'const' in inner ? [`${name}: ${plainText(inner['const'])}`] : []
  })
  if (fixed.length > 0) return fixed.join(', ')
  const { title } = schema
  if (typeof title === 'string' && title !== '') return title
  if (needed.length > 0 && isGroup(schema)) return `with ${needed.join(', ')}`
  return schemaType({ schema, ...rest }, read)
}

function detailOf(schema: JsonObject): { detail?: string } {
  const detail = descriptionOf(schema)
  return detail === undefined ? {} : { detail }
}

function descriptionOf({ description }: JsonObject): string | undefined {
  return typeof description === 'string' ? description : undefined
}

function plainText(value: unknown): string {
  return typeof value === 'string' ? value : jsonText(value)
}

function fieldOf(plain: PlainSchema, place: Place): ArgumentField {
  const { schema } = plain
  const about = {
    id: place.id,
    label: place.path.join('.'),
    path: place.path,
    ...requirementOf(place),
    type: schemaType(plain, place.read),
    description: descriptionOf(schema),
    schema,
  }
  const isPrefilled = place.optional === undefined
  const own = place.isConstantSent === false ? schema['default'] : startOf(schema)
  const start = isPrefilled ? (place.start ?? own) : undefined
  const chosen = chosenOf(plain, { start, required: place.required && isPrefilled })
  if (chosen) return { ...about, ...chosen, blanks: unchosen(place.required) }
  const types = knownTypes(plain)
  const list = itemsOf(plain, place)
  const kind = kindOf(plain)
  const isStarted = place.required && isPrefilled && !list
  const value = start ?? (isStarted ? structureOf(plain, place) : undefined)
  const reading = { ...types, type: about.type, ...list, kind }
  return { ...about, ...types, ...list, ...initialOf(value, reading), blanks: blanksOf(reading, place.required) }
}

/** Returns how the items of a list of texts, numbers and booleans are parsed, and their choices. */
function itemsOf(
  { schema, options }: PlainSchema,
  { read }: Place,
): Pick<ArgumentField, 'items' | 'choices' | 'repeats'> | undefined {
  if (options.length > 0 || schema['type'] !== 'array' || tupleOf(schema).length > 0) return undefined
  const plain = read(schema['items'])
  const type = schemaType(plain, read)
  const named = namedValues(plain)
  const chosen = named && choicesFor(named, value => !value.includes('\n'))
  const repeats = schema['uniqueItems'] === true ? {} : { repeats: true as const }
  if (chosen) return { items: { kind: chosen.kind, type }, choices: chosen.choices, ...repeats }
  const { types } = knownTypes(plain)
  return types?.every(each => SCALARS.has(each)) ? { items: { kind: kindOf(plain), type, types } } : undefined
}

const SCALARS = new Set(['string', 'number', 'integer', 'boolean', 'null'])

/** Makes booleans and enumerated values choices; a required one starts at the first enumerated value. */
function chosenOf(
  plain: PlainSchema,
  { start, required }: { start: unknown; required: boolean },
): Pick<ArgumentField, 'initial' | 'kind' | 'choices'> | undefined {
  const isSwitch = (schema: JsonObject): boolean =>
    schema['type'] === 'boolean' && !('enum' in schema || 'const' in schema)
  const { schema, options } = plain
  const isBoolean = options.length === 0 && isSwitch(schema)
  const named = isBoolean
    ? [{ value: false }, { value: true }, ...(plain.isNullable ? [{ value: null }] : [])]
    : namedValues(plain)
  const chosen = named && choicesFor(named, () => true)
  if (!chosen) return undefined
  const { kind, choices, written } = chosen
  const given = start === undefined ? undefined : written(start)
  const first = required && !isBoolean ? choices[0]!.text : ''
  const initial = choices.find(({ text }) => text === given)?.text ?? first
  return { kind, initial, choices }
}

/**
 * Returns enumerated values as choices, and a function that writes a value as one; undefined if some cannot be choices.
 * @param isWritable whether a text can be written unchanged
 */
function choicesFor(named: readonly NamedValue[], isWritable: (text: string) => boolean) {
  if (named.length === 0 || named.some(({ value }) => typeof value === 'object' && value !== null)) return undefined
  // An empty text would be the same as one that is left out, so such a choice is JSON.
  const isText = named.every(({ value }) => typeof value === 'string' && value !== '' && isWritable(value))
  const written = (value: unknown): string => (isText ? String(value) : jsonText(value))
  // A text that looks like a number or null of another choice must be distinguished from it.
  const others = new Set(named.flatMap(({ value }) => (typeof value === 'string' ? [] : [jsonText(value)])))
  const labelOf = (value: unknown): string =>
    typeof value === 'string' && value !== '' && isWritable(value) && !others.has(value) ? value : jsonText(value)
  const choices = distinct(named.map(choice => choiceOf(choice, written(choice.value), labelOf(choice.value))))
  return { kind: isText ? ('text' as const) : ('json' as const), choices, written }
}

function choiceOf(
  { title }: NamedValue,
  text: string,
  label: string,
): { text: string; label: string; detail?: string } {
  return title === undefined || title === label ? { text, label } : { text, label: title, detail: label }
}

function distinct<T extends { text: string }>(choices: readonly T[]): T[] {
  return [...new Map(choices.toReversed().map(choice => [choice.text, choice])).values()].toReversed()
}

const JSON_TYPES = new Set(['number', 'integer', 'boolean', 'object', 'array', 'null'])

function kindOf(plain: PlainSchema): FieldKind {
  const types = typesOf({ ...plain, isNullable: false })
  if (types.every(type => type === 'string')) return 'text'
  return types.every(type => JSON_TYPES.has(type)) ? 'json' : 'either'
}

function typesOf({ schema, options, isNullable }: PlainSchema): string[] {
  const types = (options.length > 0 ? options.map(option => option.schema) : [schema]).map(typeOf)
  return [...types, ...(isNullable ? ['null'] : [])]
}

/** Returns the types of values that a schema allows; nothing if one of them is not known. */
function knownTypes(plain: PlainSchema): Pick<Reading, 'types'> {
  const types = typesOf(plain)
  return types.includes('') ? {} : { types }
}

/** Returns the type of values that a schema allows; empty if it is not known. */
function typeOf(schema: JsonObject): string {
  const { type } = schema
  if (typeof type === 'string') return type
  if (isPlainObject(schema['properties'])) return 'object'
  const named = namedValues({ schema, options: [], isNullable: false }) ?? []
  return named.length > 0 && named.every(({ value }) => typeof value === 'string') ? 'string' : ''
}

/** Scalars stay empty, because an invented number or boolean would be sent unnoticed. */
function structureOf(plain: PlainSchema, { read }: Place): unknown {
  const { schema, options } = plain
  if (options.length > 0) return undefined
  return schema['type'] === 'object' || schema['type'] === 'array' ? skeleton(schema, 1, read) : undefined
}
