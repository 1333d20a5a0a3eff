import { isPlainObject, type JsonObject } from '../json.ts'

/** A schema within another, and its JSON pointer there. */
export type Part = [schema: JsonObject, pointer: string]

/** Keywords whose value is a schema, several schemas, or schemas by name. What is negated may contradict itself. */
const INNER = ['items', 'additionalProperties', 'contains', 'propertyNames', 'then', 'else'] as const
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const
const NAMED = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'] as const

/** A schema and the schemas in it, in the order in which they stand there, each with its JSON pointer. */
export function* schemaParts(root: unknown): Generator<Part> {
  const waiting: [schema: unknown, pointer: string][] = [[root, '']]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [schema, pointer] = next
    if (!isPlainObject(schema)) continue
    yield [schema, pointer]
    waiting.push(...partsOf(schema, pointer).toReversed())
  }
}

const DEFINITIONS: ReadonlySet<string> = new Set(['$defs', 'definitions'])

/** The same of what a value meets: a definition that nothing refers to is left out. */
export function* usedParts(root: unknown): Generator<Part> {
  const waiting: [schema: unknown, pointer: string][] = [[root, '']]
  const seen = new Set<unknown>()
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [schema, pointer] = next
    if (!isPlainObject(schema) || seen.has(schema)) continue
    seen.add(schema)
    yield [schema, pointer]
    const { $ref } = schema
    const leads = typeof $ref === 'string' ? referred($ref, root) : undefined
    if (leads) waiting.push([leads.part, String($ref).slice(1)])
    waiting.push(...partsOf(schema, pointer, keyword => !DEFINITIONS.has(keyword)).toReversed())
  }
}

function partsOf(
  schema: JsonObject,
  pointer: string,
  isWanted: (keyword: string) => boolean = () => true,
): [unknown, string][] {
  return [
    ...NAMED.filter(isWanted).flatMap(keyword =>
      entriesOf(schema[keyword]).map(([name, part]) => [part, keyword, name] as const),
    ),
    ...LISTS.flatMap(keyword => entriesOf(schema[keyword]).map(([name, part]) => [part, keyword, name] as const)),
    ...INNER.map(keyword => [schema[keyword], keyword] as const),
  ].map(([part, ...steps]) => [part, pointer + steps.map(step => `/${escaped(step)}`).join('')])
}

/** What a reference into the same schema leads to; undefined where it leads out of it, or nowhere. */
export function referred($ref: string, root: unknown): { part: unknown } | undefined {
  if ($ref === '#') return { part: root }
  if (!$ref.startsWith('#/')) return undefined
  let part: unknown = root
  for (const step of stepsOf($ref)) {
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, step)) return undefined
    part = (part as JsonObject)[step]
  }
  return { part }
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

/** The members of an object or a list by their names or places; none of anything else. */
export function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

/** A name as a step of a JSON pointer. */
export function escaped(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1')
}
