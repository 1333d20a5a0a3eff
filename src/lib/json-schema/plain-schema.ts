import { isPlainObject, type JsonObject } from '../json.ts'
import { referred } from './parts.ts'

/**
 * A schema with its references followed and its `allOf` merged, for showing or entering values. It is not for
 * validation: what cannot be merged stays in `allOf`.
 */
export type PlainSchema = {
  /** The schema without `$ref`, `anyOf` and `oneOf`. */
  schema: JsonObject
  /**
   * The alternatives of `anyOf`, `oneOf` and a list of types, each merged with what applies to all; none, or at least
   * two.
   */
  options: readonly PlainSchema[]
  /** Whether null is allowed in addition. */
  isNullable: boolean
}

/** Maximum number of alternatives, not counting constants. Pydantic and zod write one for each member of a union. */
const MOST_OPTIONS = 30
const MOST_CONSTANTS = 2000
const MOST_STEPS = 5000
/**
 * Maximum work for one root, counted in schemas read and names merged. Both allOf and references can multiply a schema
 * at every level. Parts beyond the limit stay empty.
 */
const MOST_WORK = 20_000
/** Maximum depth of nested references and conditions that are followed. */
const MOST_DEPTH = 100

const UNKNOWN: PlainSchema = { schema: {}, options: [], isNullable: false }

/** Uses up some of the remaining work. Returns false if not enough was left. */
type Spend = (work: number) => boolean

/** Returns a function that reads parts of one schema, each of which is merged only once. */
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
    // A schema that only refers to itself allows anything.
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
    // Beyond a limit the alternatives become a condition that cannot be shown, so that no valid value is refused.
    const whole: PlainSchema = isCut
      ? { schema: { ...base, allOf: [...listOf(base['allOf']), { anyOf: [] }] }, options: [], isNullable: false }
      : { schema: base, options, isNullable }
    const answer: PlainSchema = found.length === 1 && only && !isCut ? { schema: only, options: [], isNullable } : whole
    if (isPlainObject(schema)) read.set(key, answer)
    return answer
  }
}

/** Returns how much of a schema is copied when it is merged with another. */
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

/** Returns the alternatives of a schema, including nested ones; the schema itself if it has none. */
function alternatives(schema: JsonObject, plain: (schema: unknown) => JsonObject, spend: Spend): Alternatives {
  const found: JsonObject[] = []
  let isNullable = false
  let others = 0
  const waiting = [schema]
  // Alternatives can refer to the schema that contains them, so the number of steps is limited.
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
      // A nullable schema may also list null as a choice.
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

/** Whether null is written as a constant, as some schemas do. */
function isNull(schema: JsonObject): boolean {
  const values = Array.isArray(schema['enum'])
    ? (schema['enum'] as unknown[])
    : 'const' in schema
      ? [schema['const']]
      : []
  return values.length > 0 && values.every(value => value === null)
}

/**
 * Merges two schemas that must both hold. Texts and limits of `over` take precedence. Other restrictions that both have
 * stay in `allOf`.
 */
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

/** A value that a schema lists, and its title. */
export type NamedValue = { value: unknown; title?: string }

/**
 * Returns the allowed values if a schema lists all of them: its enum, its constant, or those of all its alternatives;
 * undefined if it allows others too.
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
