import { isPlainObject, type JsonObject } from '../json.ts'

/** A schema within another, and its JSON pointer there. */
export type Part = [schema: JsonObject, pointer: string]

/**
 * Keywords whose value is a schema, several schemas, or schemas by name. `not` is left out, because contradictions are
 * allowed under it.
 */
const INNER = ['items', 'additionalProperties', 'contains', 'propertyNames', 'then', 'else'] as const
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const
const NAMED = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'] as const

/** Yields a schema and the schemas inside it in order, each with its JSON pointer. */
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

/** Like `schemaParts`, without definitions that nothing refers to. */
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

/** Returns the target of a reference into the same schema; undefined if it is outside the schema or does not exist. */
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

/** Returns the members of an object or a list by name or index; empty for other values. */
export function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

/** Escapes a name for a JSON pointer. */
export function escaped(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1')
}
