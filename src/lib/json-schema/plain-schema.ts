import { isPlainObject, type JsonObject } from '../json.ts'
import { referred } from './parts.ts'

/**
 * What a schema says with its references followed and its `allOf` put together, for whoever shows or asks for a value.
 * It does not decide what is valid: what cannot be put together stays in `allOf`.
 */
export type PlainSchema = {
  /** Without `$ref`, and without `anyOf` and `oneOf`. */
  schema: JsonObject
  /** The alternatives of `anyOf`, `oneOf` and a list of types, each with what holds for all; none or several. */
  options: readonly PlainSchema[]
  /** Whether null is one of the alternatives beside these. */
  isNullable: boolean
}

/** Alternatives that are told apart, constants aside; pydantic and zod write one for each member of a union. */
const MOST_OPTIONS = 30
const MOST_CONSTANTS = 2000
const MOST_STEPS = 5000
/**
 * Work for one root, in schemas that are read and names that are put together: both allOf and references can multiply
 * a schema at every level. Beyond it a part says nothing.
 */
const MOST_WORK = 20_000
/** References and conditions within each other that are followed. */
const MOST_DEPTH = 100

const UNKNOWN: PlainSchema = { schema: {}, options: [], isNullable: false }

/** Takes work off what is left; whether there was as much. */
type Spend = (work: number) => boolean

/** Reads the parts of one schema; a part that is read twice is put together once. */
export function plainSchemas(root: JsonObject): (schema: unknown) => PlainSchema {
  const merged = new Map<object, JsonObject>()
  const read = new Map<object, PlainSchema>()
  let left = MOST_WORK
  const spend: Spend = work => {
    left -= work
    return left >= 0
  }

  const plain = (schema: unknown, depth = 0): JsonObject => {
    if (!isPlainObject(schema)) return {}
    const earlier = merged.get(schema)
    if (earlier) return earlier
    if (depth > MOST_DEPTH || !spend(1)) return {}
    // A schema that is only a reference to itself says nothing.
    merged.set(schema, {})
    const { $ref, allOf, ...own } = schema
    const leads = typeof $ref === 'string' ? [referred($ref, root)?.part] : []
    const parts = [...leads, ...listOf(allOf)]
    if (!spend(parts.length)) return {}
    const made = parts
      .map(part => plain(part, depth + 1))
      .reduceRight((over, base) => (left > 0 && spend(sizeOf(base) + sizeOf(over)) ? together(base, over) : over), own)
    merged.set(schema, made)
    return made
  }

  return function readPlain(schema): PlainSchema {
    if (!spend(1)) return UNKNOWN
    const key = isPlainObject(schema) ? schema : root
    const earlier = isPlainObject(schema) ? read.get(key) : undefined
    if (earlier) return earlier
    const { found, isNullable, isCut } = alternatives(plain(schema), plain, spend)
    const [only] = found
    const base = withoutOptions(plain(schema))
    const options = found.map(option => ({ schema: option, options: [], isNullable: false }))
    // What is beyond the limits is neither shown nor refused: the alternatives stay together as a condition.
    const whole: PlainSchema = isCut
      ? { schema: { ...base, allOf: [...listOf(base['allOf']), { anyOf: [] }] }, options: [], isNullable: false }
      : { schema: base, options, isNullable }
    const answer: PlainSchema = found.length === 1 && only && !isCut ? { schema: only, options: [], isNullable } : whole
    if (isPlainObject(schema)) read.set(key, answer)
    return answer
  }
}

/** How much of a schema is copied where it is put together with another one. */
function sizeOf(schema: JsonObject): number {
  const { properties, required, allOf } = schema
  const lists = listOf(required).length + listOf(allOf).length
  return 1 + Object.keys(schema).length + Object.keys(Object(properties) as object).length + lists
}

const OPTIONS = ['anyOf', 'oneOf'] as const

function withoutOptions({ anyOf: _any, oneOf: _one, ...rest }: JsonObject): JsonObject {
  return rest
}

type Alternatives = { found: JsonObject[]; isNullable: boolean; isCut: boolean }

/** The alternatives of a schema, those within them included; of a schema without any the schema itself. */
function alternatives(schema: JsonObject, plain: (schema: unknown) => JsonObject, spend: Spend): Alternatives {
  const found: JsonObject[] = []
  let isNullable = false
  let others = 0
  const waiting = [schema]
  // Alternatives can refer to what holds them.
  for (let steps = 0; steps < MOST_STEPS && others <= MOST_OPTIONS && found.length <= MOST_CONSTANTS; steps += 1) {
    const next = waiting.shift()
    if (!next) {
      const isOnlyNull = found.length === 0 && isNullable
      return isOnlyNull
        ? { found: [{ ...withoutOptions(schema), type: 'null' }], isNullable: false, isCut: false }
        : { found, isNullable, isCut: false }
    }
    const { type } = next
    const keyword = OPTIONS.find(each => Array.isArray(next[each]))
    if (keyword !== undefined) {
      const { [keyword]: listed, ...base } = next
      const inner = listOf(listed)
      if (inner.length > MOST_CONSTANTS || !spend(inner.length * sizeOf(base))) break
      waiting.unshift(...inner.map(option => together(base, plain(option))))
    } else if (type === 'null' || (Array.isArray(type) && type.length === 1 && type[0] === 'null')) isNullable = true
    else if (Array.isArray(type) && type.length > 0) {
      isNullable ||= type.includes('null')
      // What may be null may also be one of its choices.
      const types = new Set(type.filter(each => each !== 'null'))
      found.push(...[...types].slice(0, MOST_OPTIONS).map(each => ({ ...next, type: each })))
      others += types.size
    } else if (isNull(next)) isNullable = true
    else {
      found.push(next)
      others += 'const' in next ? 0 : 1
    }
    isNullable ||= next['nullable'] === true
  }
  return { found: [], isNullable: false, isCut: true }
}

/** A constant of null, as some write it. */
function isNull(schema: JsonObject): boolean {
  const values = Array.isArray(schema['enum'])
    ? (schema['enum'] as unknown[])
    : 'const' in schema
      ? [schema['const']]
      : []
  return values.length > 0 && values.every(value => value === null)
}

/** Two schemas that hold together. Words and limits of `over` win; what both restrict otherwise stays in `allOf`. */
function together(base: JsonObject, over: JsonObject): JsonObject {
  const made: JsonObject = { ...base, ...over }
  const { properties: before, required: needed } = base
  if (isPlainObject(before)) {
    const now = isPlainObject(over['properties']) ? over['properties'] : {}
    const names = [...new Set([...Object.keys(before), ...Object.keys(now)])]
    made['properties'] = Object.fromEntries(names.map(name => [name, propertyOf(before, now, name)]))
  }
  if (Array.isArray(needed))
    made['required'] = [...new Set([...needed, ...(Array.isArray(over['required']) ? over['required'] : [])])]
  const rest = [...listOf(base['allOf']), ...listOf(over['allOf'])]
  for (const keyword of OPTIONS)
    if (base[keyword] !== undefined && over[keyword] !== undefined && base[keyword] !== over[keyword])
      rest.push({ [keyword]: base[keyword] })
  if (rest.length > 0) made['allOf'] = rest
  return made
}

function propertyOf(before: JsonObject, now: JsonObject, name: string): unknown {
  if (!Object.hasOwn(before, name)) return now[name]
  if (!Object.hasOwn(now, name) || before[name] === now[name]) return before[name]
  return { allOf: [before[name], now[name]] }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : []
}

/** A value that a schema names, and what it is called there. */
export type NamedValue = { value: unknown; title?: string }

/**
 * The values that a schema allows where it names them all: its enum, its constant, or those of all its alternatives;
 * undefined where it allows others too.
 */
export function namedValues(plain: PlainSchema): readonly NamedValue[] | undefined {
  const parts =
    plain.options.length > 0 ? plain.options.map(({ schema }) => ownValues(schema)) : [ownValues(plain.schema)]
  if (parts.includes(undefined)) return undefined
  const all = parts.flatMap(part => part ?? [])
  return plain.isNullable && !all.some(({ value }) => value === null) ? [...all, { value: null }] : all
}

function ownValues(schema: JsonObject): NamedValue[] | undefined {
  const { enum: listed, enumNames: names, title } = schema
  if (Array.isArray(listed))
    return listed.map((value: unknown, at) => {
      const name: unknown = Array.isArray(names) ? names[at] : undefined
      return typeof name === 'string' ? { value, title: name } : { value }
    })
  if (!('const' in schema)) return undefined
  return [typeof title === 'string' ? { value: schema['const'], title } : { value: schema['const'] }]
}
