import { canonicalJson, hasMoreLevels, MAX_ANSWER_LEVELS, isPlainObject, type JsonObject } from '../json.ts'
import { anyOfImpact, allOfImpact, limitImpact, LIMITS, typeImpact } from './impacts.ts'
import { BOTH, type Impacts, NARROWS, NONE, UNKNOWN, WIDENS, worse } from './impact.ts'

/** One difference between two JSON schemas. */
export type SchemaChange = Impacts & {
  /**
   * Position of the difference, as a JSON pointer into the later schema, or into the earlier one for a removed part.
   */
  pointer: string
  /** The changed value as a person writes it: `a`, `filter.since`, `tags[]`; empty for all arguments together. */
  path: string
  kind: 'added' | 'removed' | 'type' | 'required' | 'optional' | 'choices' | 'closed' | 'limit' | 'text' | 'other'
  /** A short text after the path: `is now string (was number)`. */
  says: string
}

/** Maximum depth that is compared. A schema may be anything that a server sent. */
const MOST_DEPTH = 12
const MOST_CHANGES = 100
const MOST_WORDS = 60

const NAMED_SCHEMAS = ['properties', 'patternProperties', '$defs', 'definitions'] as const
const TEXTS = [
  'description',
  'title',
  'default',
  'examples',
  '$comment',
  'deprecated',
  'readOnly',
  'writeOnly',
] as const
const COMPARED: ReadonlySet<string> = new Set([
  ...NAMED_SCHEMAS,
  ...LIMITS,
  ...TEXTS,
  'type',
  'enum',
  'const',
  'required',
  'items',
  'additionalProperties',
])

/**
 * Returns how a later schema differs from an earlier one, most important first within each place. Empty only if both
 * have the same meaning, whatever the order of their keys, types, choices and required names. Beyond {@link
 * MOST_CHANGES} the rest is one change with the worst of their impacts.
 */
export function schemaChanges(before: unknown, after: unknown): SchemaChange[] {
  // A part that is too deep to compare may have changed.
  if (before !== after && [before, after].some(schema => hasMoreLevels(schema, MAX_ANSWER_LEVELS)))
    return [{ pointer: '', path: '', kind: 'other', says: 'is too deep to compare', ...UNKNOWN }]
  const changes = new Changes()
  compare({ before, after, pointer: '', path: '', depth: 0 }, changes)
  const found = changes.all()
  if (found.length === 0 || ![before, after].some(schema => turnsAround(schema, false))) return found
  return found.map(change => (change.kind === 'text' ? change : { ...change, ...worse(change, UNKNOWN) }))
}

class Changes {
  readonly #kept: SchemaChange[] = []
  #more = 0
  #rest: Impacts = NONE

  add(change: SchemaChange): void {
    if (this.#kept.length < MOST_CHANGES) this.#kept.push(change)
    else {
      this.#more += 1
      this.#rest = worse(this.#rest, change)
    }
  }

  all(): SchemaChange[] {
    if (this.#more === 0) return this.#kept
    const last = this.#kept.at(-1) ?? NONE
    const says = `has ${this.#more + 1} more changes`
    return [...this.#kept.slice(0, -1), { pointer: '', path: '', kind: 'other', says, ...worse(this.#rest, last) }]
  }
}

/** Whether a keyword such as `not` inverts the effect of a part, so that widening the part can narrow the whole. */
function turnsAround(schema: unknown, within: boolean): boolean {
  if (Array.isArray(schema)) return schema.some(each => turnsAround(each, within))
  if (!isPlainObject(schema)) return false
  return Object.entries(schema).some(([keyword, value]) => {
    if (keyword.startsWith('unevaluated')) return true
    if (within && (keyword === '$ref' || keyword === '$dynamicRef')) return true
    return turnsAround(value, within || ['not', 'if', 'oneOf', 'maxContains', 'contains'].includes(keyword))
  })
}

type Place = { before: unknown; after: unknown; pointer: string; path: string; depth: number }
type Add = (change: Omit<SchemaChange, 'path'>) => void

function compare(place: Place, changes: Changes): void {
  const { before: was, after: is, pointer, path } = place
  if (isSame(was, is)) return
  const add: Add = change => changes.add({ path, ...change })
  const [before, after] = [schemaOf(was), schemaOf(is)]
  if (!before || !after || place.depth >= MOST_DEPTH) {
    add({ pointer, kind: 'other', says: 'changed', ...UNKNOWN })
    return
  }
  const alternative = alternativeImpact(before, after)
  if (alternative) {
    add({ pointer: `${pointer}/anyOf`, kind: 'type', ...alternative })
    compareTexts(place, before, after, add)
    return
  }
  compareTypes(place, before, after, add)
  compareChoices(place, before, after, add)
  compareProperties(place, before, after, changes)
  compareNamed(place, 'patternProperties', before, after, changes)
  for (const keyword of ['$defs', 'definitions']) compareNamed(place, keyword, before, after, changes)
  if ('items' in before || 'items' in after)
    compare(inner(place, before['items'], after['items'], '/items', `${path}[]`), changes)
  compareClosed(place, before, after, add)
  compareLimits(place, before, after, add)
  compareTexts(place, before, after, add)
  for (const keyword of new Set([...Object.keys(before), ...Object.keys(after)]))
    if ((!COMPARED.has(keyword) || isOdd(keyword, before, after)) && !isSame(before[keyword], after[keyword]))
      add({
        pointer: `${pointer}/${escaped(keyword)}`,
        kind: 'other',
        says: `changed its ${short(keyword)}`,
        ...otherImpact(keyword, before[keyword], after[keyword]),
      })
}

/** Returns the impact if one of two schemas is an alternative of the other, such as a type that may now be null. */
function alternativeImpact(before: JsonObject, after: JsonObject): (Impacts & { says: string }) | undefined {
  const isAmong = (one: JsonObject, { anyOf, ...others }: JsonObject): boolean =>
    Array.isArray(anyOf) &&
    !('anyOf' in one) &&
    Object.keys(withoutTexts(others)).length === 0 &&
    anyOf.some(each => isPlainObject(each) && isSame(withoutTexts(each), withoutTexts(one)))
  if (isAmong(before, after)) return { says: 'may now be something else too', ...WIDENS }
  return isAmong(after, before) ? { says: 'may now be one of its alternatives only', ...NARROWS } : undefined
}

function withoutTexts(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !isText(keyword)))
}

function isText(keyword: string): boolean {
  return (TEXTS as readonly string[]).includes(keyword)
}

/**
 * Converts a value to a schema: an object, or a boolean that allows everything or nothing; undefined for other values.
 */
function schemaOf(value: unknown): JsonObject | undefined {
  if (value === undefined || value === true) return {}
  if (value === false) return { not: {} }
  return isPlainObject(value) ? value : undefined
}

/** Whether a keyword that is compared part by part has no parts in these schemas. */
function isOdd(keyword: string, before: JsonObject, after: JsonObject): boolean {
  return [before[keyword], after[keyword]].some(value => {
    if (value === undefined) return false
    if ((NAMED_SCHEMAS as readonly string[]).includes(keyword)) return !isPlainObject(value)
    if (keyword === 'required') return !Array.isArray(value) || value.some(name => typeof name !== 'string')
    return false
  })
}

function otherImpact(keyword: string, before: unknown, after: unknown): Impacts {
  if (keyword === 'anyOf') return anyOfImpact(before, after, isSame)
  return keyword === 'allOf' ? allOfImpact(before, after, isSame) : UNKNOWN
}

function compareTypes({ pointer }: Place, before: JsonObject, after: JsonObject, add: Add): void {
  if (isSame(asSet(before['type']), asSet(after['type']))) return
  const says = `is now ${typesOf(after['type'])} (was ${typesOf(before['type'])})`
  add({ pointer: `${pointer}/type`, kind: 'type', says, ...typeImpact(before, after) })
}

function typesOf(value: unknown): string {
  if (value === undefined) return 'any'
  const words = (type: unknown): string => (typeof type === 'string' ? type : JSON.stringify(type))
  return short(Array.isArray(value) ? value.map(words).join(' | ') : words(value))
}

function compareChoices({ pointer }: Place, before: JsonObject, after: JsonObject, add: Add): void {
  const [was, is] = [choicesOf(before), choicesOf(after)]
  if (was === is || isSame(was?.toSorted(), is?.toSorted())) return
  const gone = was && is ? without(was, is) : []
  const fresh = was && is ? without(is, was) : []
  const both = [before, after].some(schema => 'enum' in schema && 'const' in schema)
  const impact = gone.length > 0 ? (fresh.length > 0 ? BOTH : NARROWS) : fresh.length > 0 ? WIDENS : NONE
  add({
    pointer: `${pointer}/${'const' in (is ? after : before) ? 'const' : 'enum'}`,
    kind: 'choices',
    says: choiceWords({ was, is, gone, fresh }),
    ...(both ? UNKNOWN : was && is ? impact : is ? NARROWS : WIDENS),
  })
}

/** Returns the allowed values as JSON; undefined if any value is allowed. */
function choicesOf(schema: JsonObject): string[] | undefined {
  const { enum: choices } = schema
  const values = 'const' in schema ? [schema['const']] : 'enum' in schema ? [choices].flat() : undefined
  return values?.map(value => canonicalJson(value) ?? 'null')
}

type Choices = Record<'was' | 'is', readonly string[] | undefined> & Record<'gone' | 'fresh', readonly string[]>

function choiceWords({ was, is, gone, fresh }: Choices): string {
  if (!is) return 'may now be anything'
  if (!was) return `must now be one of ${short(is.join(', '))}`
  const parts = [
    gone.length > 0 && `may no longer be ${short(gone.join(', '))}`,
    fresh.length > 0 && `may now be ${short(fresh.join(', '))}`,
  ]
  return parts.filter(Boolean).join(', ') || 'lists its choices otherwise'
}

/** Returns the choices that the others do not contain. A schema may list any number. */
function without(choices: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others)
  return choices.filter(choice => !known.has(choice))
}

function compareProperties(place: Place, before: JsonObject, after: JsonObject, changes: Changes): void {
  const [wanted, wants] = [namesOf(before['required']), namesOf(after['required'])]
  const [was, is] = [schemasOf(before['properties']), schemasOf(after['properties'])]
  for (const name of new Set([...Object.keys(was), ...Object.keys(is), ...wanted, ...wants])) {
    const path = place.path === '' ? name : `${place.path}.${name}`
    const pointer = `${place.pointer}/properties/${escaped(name)}`
    const isRequired = wants.has(name)
    const [hadIt, hasIt] = [Object.hasOwn(was, name), Object.hasOwn(is, name)]
    if (!hadIt && hasIt) {
      const says = isRequired ? 'is new and required' : 'is new and optional'
      changes.add({ pointer, path, kind: 'added', says, ...addedImpact(before, wanted.has(name), isRequired) })
    } else if (hadIt && !hasIt) changes.add({ pointer, path, kind: 'removed', says: 'is gone', ...BOTH })
    if (wanted.has(name) !== isRequired && hadIt === hasIt)
      changes.add({
        pointer: `${place.pointer}/required`,
        path,
        kind: isRequired ? 'required' : 'optional',
        says: isRequired ? 'is now required' : 'is now optional',
        ...(isRequired ? NARROWS : WIDENS),
      })
    if (hadIt && hasIt) compare({ before: was[name], after: is[name], pointer, path, depth: place.depth + 1 }, changes)
  }
}

/** Returns the impact of declaring a property. Before, it may have been allowed as an additional property. */
function addedImpact(before: JsonObject, wasRequired: boolean, isRequired: boolean): Impacts {
  const { additionalProperties: further } = before
  const isDeclared = 'patternProperties' in before || isPlainObject(further) || wasRequired
  if (isDeclared) return { input: isRequired && !wasRequired ? 'breaking' : 'unknown', output: 'unknown' }
  return { input: isRequired ? 'breaking' : 'safe', output: further === false ? 'unknown' : 'safe' }
}

function compareNamed(place: Place, keyword: string, before: JsonObject, after: JsonObject, changes: Changes): void {
  const [was, is] = [schemasOf(before[keyword]), schemasOf(after[keyword])]
  const isDefinition = keyword !== 'patternProperties'
  for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const at = `/${escaped(keyword)}/${escaped(name)}`
    const [hadIt, hasIt] = [Object.hasOwn(was, name), Object.hasOwn(is, name)]
    const { pointer, path, ...next } = inner(place, was[name], is[name], at, `${place.path}(${name})`)
    if (hadIt && hasIt) compare({ pointer, path, ...next }, changes)
    else if (hasIt) changes.add({ pointer, path, kind: 'other', says: 'is new', ...(isDefinition ? NONE : UNKNOWN) })
    else changes.add({ pointer, path, kind: 'other', says: 'is gone', ...UNKNOWN })
  }
}

function inner(place: Place, before: unknown, after: unknown, at: string, path: string): Place {
  return { before, after, pointer: place.pointer + at, path, depth: place.depth + 1 }
}

/**
 * Compares whether additional properties are allowed. Clients that send or read only declared properties are not
 * affected, so this is never known to break.
 */
function compareClosed(place: Place, before: JsonObject, after: JsonObject, add: Add): void {
  const keyword = 'additionalProperties'
  const [was, is] = [before, after].map(schema => {
    const { [keyword]: further = true } = schema
    return isSame(further, {}) ? true : further
  })
  if (isSame(was, is)) return
  const isOpened = was === false || is === true
  const says =
    is === false ? 'refuses further properties now' : isOpened ? 'takes further properties now' : 'takes others now'
  const isClosed = is === false || was === true
  add({
    pointer: `${place.pointer}/${keyword}`,
    kind: 'closed',
    says,
    input: isOpened ? 'safe' : 'unknown',
    output: isClosed ? 'safe' : 'unknown',
  })
}

function compareLimits(place: Place, before: JsonObject, after: JsonObject, add: Add): void {
  for (const keyword of LIMITS) {
    const [was, is] = [before[keyword], after[keyword]]
    if (isSame(was, is)) continue
    add({ ...stated(place, keyword, was, is), kind: 'limit', ...limitImpact(keyword, was, is) })
  }
}

/** Compares texts. They have no effect, except for a default, which may apply to an omitted argument. */
function compareTexts(place: Place, before: JsonObject, after: JsonObject, add: Add): void {
  for (const keyword of TEXTS) {
    const [was, is] = [before[keyword], after[keyword]]
    if (isSame(was, is)) continue
    const change = stated(place, keyword, was, is)
    if (keyword === 'default') add({ ...change, kind: 'text', input: 'unknown', output: 'safe' })
    else add({ ...change, says: `has another ${keyword}`, kind: 'text', ...NONE })
  }
}

function stated({ pointer }: Place, keyword: string, before: unknown, after: unknown) {
  const [was, is] = [before, after].map(value => (value === undefined ? 'none' : short(JSON.stringify(value))))
  return { pointer: `${pointer}/${keyword}`, says: `has ${keyword} ${is} (was ${was})` }
}

function schemasOf(value: unknown): JsonObject {
  return isPlainObject(value) ? value : {}
}

function namesOf(value: unknown): Set<string> {
  return new Set(Array.isArray(value) ? value.filter(name => typeof name === 'string') : [])
}

/** Normalizes the order of `type`, `enum` and `required`, which are sets. */
function asSet(value: unknown): unknown {
  if (!Array.isArray(value)) return value === undefined ? undefined : [canonicalJson(value)]
  return value.map(item => canonicalJson(item) ?? 'null').toSorted()
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || canonicalJson(one) === canonicalJson(other)
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

function short(text: string): string {
  return text.length <= MOST_WORDS ? text : `${text.slice(0, MOST_WORDS)}…`
}
