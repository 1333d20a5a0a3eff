import { hasMoreLevels, MAX_ANSWER_LEVELS } from '../json-depth.ts'

/** One difference between two JSON schemas. */
export type SchemaChange = {
  /** Where it is, as a JSON pointer into the schema that still has it: the later one, except for what is gone. */
  pointer: string
  /**
   * The value it is about, as a person writes it: `a`, `filter.since`, `tags[]`; empty for the arguments as a whole.
   */
  path: string
  kind: 'added' | 'removed' | 'type' | 'required' | 'optional' | 'choices' | 'closed' | 'limit' | 'text' | 'other'
  /** In a few words behind the path: `is now string (was number)`. */
  says: string
  /** Whether arguments that were right before may be wrong now. */
  breaks: boolean
}

type JsonObject = Record<string, unknown>

/** A schema is whatever somebody's server sent. */
const MOST_DEPTH = 12
const MOST_CHANGES = 100
const MOST_WORDS = 60

const NAMED_SCHEMAS = ['properties', 'patternProperties', '$defs', 'definitions'] as const
const LIMITS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'pattern',
  'format',
] as const
const TEXTS = ['description', 'title', 'default', 'examples', '$comment'] as const
const COMPARED: ReadonlySet<string> = new Set([
  ...NAMED_SCHEMAS,
  ...LIMITS,
  ...TEXTS,
  'type',
  '$ref',
  'enum',
  'const',
  'required',
  'items',
  'additionalProperties',
])

/**
 * How a later schema differs from an earlier one, most telling first within each place; empty exactly where both say
 * the same, in whatever order their keys, types, choices and required names stand. Past {@link MOST_CHANGES} the rest
 * is left out.
 */
export function schemaChanges(before: unknown, after: unknown): SchemaChange[] {
  // What cannot be looked at may have changed.
  if (before !== after && [before, after].some(schema => hasMoreLevels(schema, MAX_ANSWER_LEVELS)))
    return [{ pointer: '', path: '', kind: 'other', says: 'is too deep to compare', breaks: true }]
  const changes: SchemaChange[] = []
  compare({ before, after, pointer: '', path: '', depth: 0 }, changes)
  return changes
}

type Place = { before: unknown; after: unknown; pointer: string; path: string; depth: number }

function compare(place: Place, changes: SchemaChange[]): void {
  const { before, after, pointer, path } = place
  if (changes.length >= MOST_CHANGES || isSame(before, after)) return
  const add = (change: Omit<SchemaChange, 'path'>): void => {
    if (changes.length < MOST_CHANGES) changes.push({ path, ...change })
  }
  if (!isObject(before) || !isObject(after) || place.depth >= MOST_DEPTH) {
    add({ pointer, kind: 'other', says: 'changed', breaks: true })
    return
  }
  compareTypes(place, before, after, add)
  compareChoices(place, before, after, add)
  compareProperties(place, before, after, changes)
  for (const keyword of NAMED_SCHEMAS)
    if (keyword !== 'properties') compareNamed(place, keyword, before, after, changes)
  if ('items' in before || 'items' in after)
    compare(inner(place, before['items'], after['items'], '/items', `${path}[]`), changes)
  compareClosed(place, before, after, add)
  compareLimits(place, before, after, add)
  for (const keyword of new Set([...Object.keys(before), ...Object.keys(after)]))
    if (!COMPARED.has(keyword) && !isSame(before[keyword], after[keyword]))
      add({ pointer: `${pointer}/${escaped(keyword)}`, kind: 'other', says: `changed its ${keyword}`, breaks: true })
}

type Add = (change: Omit<SchemaChange, 'path'>) => void

function compareTypes({ pointer }: Place, before: JsonObject, after: JsonObject, add: Add): void {
  for (const keyword of ['type', '$ref'] as const) {
    if (isSame(asSet(before[keyword]), asSet(after[keyword]))) continue
    const [was, is] = [typesOf(before[keyword]), typesOf(after[keyword])]
    add({
      pointer: `${pointer}/${keyword}`,
      kind: 'type',
      says: `is now ${is} (was ${was})`,
      breaks: !widens(before[keyword], after[keyword]),
    })
  }
}

function typesOf(value: unknown): string {
  if (value === undefined) return 'any'
  const words = (type: unknown): string => (typeof type === 'string' ? type : JSON.stringify(type))
  return short(Array.isArray(value) ? value.map(words).join(' | ') : words(value))
}

/** Whether every type that was allowed still is. */
function widens(before: unknown, after: unknown): boolean {
  if (after === undefined) return true
  const allowed = new Set<unknown>(Array.isArray(after) ? after : [after])
  if (allowed.has('number')) allowed.add('integer')
  return before !== undefined && (Array.isArray(before) ? before : [before]).every(type => allowed.has(type))
}

function compareChoices({ pointer }: Place, before: JsonObject, after: JsonObject, add: Add): void {
  for (const keyword of ['enum', 'const'] as const) {
    if (isSame(asSet(before[keyword]), asSet(after[keyword]))) continue
    const choices = (schema: JsonObject): string[] | undefined =>
      schema[keyword] === undefined
        ? undefined
        : (keyword === 'enum' && Array.isArray(schema[keyword]) ? schema[keyword] : [schema[keyword]]).map(
            value => JSON.stringify(value) ?? 'null',
          )
    const [was, is] = [choices(before), choices(after)]
    add({
      pointer: `${pointer}/${keyword}`,
      kind: 'choices',
      says: choiceWords(was, is),
      breaks: is !== undefined && (was === undefined || without(was, is).length > 0),
    })
  }
}

function choiceWords(was: readonly string[] | undefined, is: readonly string[] | undefined): string {
  if (!is) return 'may now be anything'
  if (!was) return `must now be one of ${short(is.join(', '))}`
  const gone = without(was, is)
  const fresh = without(is, was)
  const parts = [
    gone.length > 0 && `may no longer be ${short(gone.join(', '))}`,
    fresh.length > 0 && `may now be ${short(fresh.join(', '))}`,
  ]
  return parts.filter(Boolean).join(', ') || 'lists its choices otherwise'
}

/** The choices that are not among the others; a schema may list any number. */
function without(choices: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others)
  return choices.filter(choice => !known.has(choice))
}

function compareProperties(place: Place, before: JsonObject, after: JsonObject, changes: SchemaChange[]): void {
  const [wanted, wants] = [namesOf(before['required']), namesOf(after['required'])]
  const [was, is] = [schemasOf(before['properties']), schemasOf(after['properties'])]
  for (const name of new Set([...Object.keys(was), ...Object.keys(is), ...wanted, ...wants])) {
    if (changes.length >= MOST_CHANGES) return
    const path = place.path === '' ? name : `${place.path}.${name}`
    const pointer = `${place.pointer}/properties/${escaped(name)}`
    const isRequired = wants.has(name)
    const [hadIt, hasIt] = [Object.hasOwn(was, name), Object.hasOwn(is, name)]
    if (!hadIt && hasIt) {
      const says = isRequired ? 'is new and required' : 'is new and optional'
      changes.push({ pointer, path, kind: 'added', says, breaks: isRequired })
      continue
    }
    if (hadIt && !hasIt) {
      changes.push({ pointer, path, kind: 'removed', says: 'is gone', breaks: true })
      continue
    }
    if (wanted.has(name) !== isRequired)
      changes.push({
        pointer: `${place.pointer}/required`,
        path,
        kind: isRequired ? 'required' : 'optional',
        says: isRequired ? 'is now required' : 'is now optional',
        breaks: isRequired,
      })
    if (hadIt) compare({ before: was[name], after: is[name], pointer, path, depth: place.depth + 1 }, changes)
  }
}

function compareNamed(
  place: Place,
  keyword: string,
  before: JsonObject,
  after: JsonObject,
  changes: SchemaChange[],
): void {
  const [was, is] = [schemasOf(before[keyword]), schemasOf(after[keyword])]
  for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const at = `/${escaped(keyword)}/${escaped(name)}`
    compare(inner(place, was[name], is[name], at, `${place.path}(${name})`), changes)
  }
}

function inner(place: Place, before: unknown, after: unknown, at: string, path: string): Place {
  return { before, after, pointer: place.pointer + at, path, depth: place.depth + 1 }
}

function compareClosed(place: Place, before: JsonObject, after: JsonObject, add: Add): void {
  const keyword = 'additionalProperties'
  if (isSame(before[keyword], after[keyword])) return
  const closed = after[keyword] === false
  const opened = before[keyword] === false
  add({
    pointer: `${place.pointer}/${keyword}`,
    kind: 'closed',
    says: closed
      ? 'refuses further properties now'
      : opened
        ? 'takes further properties now'
        : 'takes other further properties now',
    breaks: !(after[keyword] === undefined || after[keyword] === true),
  })
}

function compareLimits({ pointer }: Place, before: JsonObject, after: JsonObject, add: Add): void {
  for (const keyword of [...LIMITS, ...TEXTS]) {
    if (isSame(before[keyword], after[keyword])) continue
    const isText = (TEXTS as readonly string[]).includes(keyword)
    const was = before[keyword] === undefined ? 'none' : short(JSON.stringify(before[keyword]) ?? 'none')
    const is = after[keyword] === undefined ? 'none' : short(JSON.stringify(after[keyword]) ?? 'none')
    add({
      pointer: `${pointer}/${keyword}`,
      kind: isText ? 'text' : 'limit',
      says: isText && keyword !== 'default' ? `has another ${keyword}` : `has ${keyword} ${is} (was ${was})`,
      breaks: !isText && after[keyword] !== undefined,
    })
  }
}

function schemasOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

function namesOf(value: unknown): Set<string> {
  return new Set(Array.isArray(value) ? value.filter(name => typeof name === 'string') : [])
}

/** `type`, `enum` and `required` mean sets: their order says nothing. */
function asSet(value: unknown): unknown {
  if (!Array.isArray(value)) return value === undefined ? undefined : [sorted(value)]
  return value.map(item => JSON.stringify(sorted(item)) ?? 'null').toSorted()
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
}

/** The same value with its keys in order, and its sets too. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map(key => [key, sorted(value[key])]),
  )
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

function short(text: string): string {
  return text.length <= MOST_WORDS ? text : `${text.slice(0, MOST_WORDS)}…`
}
