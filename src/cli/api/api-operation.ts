import * as z from 'zod'
import { allEndpoints } from '../../api/contract/contract.ts'
import { pathParameters, type AnyEndpoint } from '../../api/contract/endpoint.ts'
import { isPlainObject, parseWritten, UnkeptNumber } from '../../lib/json.ts'
import { ownValue } from '../../lib/own-value.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { UsageError } from '../config/settings.ts'

/** An operation named on the command line, with the path parameters from its path. */
export type NamedOperation = { endpoint: AnyEndpoint; fields: Record<string, string> }

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])

/**
 * Finds an operation by its name (`createEvalRun` or `runs.create`) or by method and path, where the path may contain
 * ids and a query (`GET /projects/P/servers?x=y`).
 * @throws UsageError with similar names if there is none, or if the path is not percent-encoded
 */
export function findOperation(words: readonly string[]): NamedOperation {
  const [first = '', path] = words
  if (METHODS.has(first.toUpperCase())) return findByPath(first.toUpperCase(), path)
  if (path !== undefined)
    throw new UsageError(`"${first}" is not a method; write mcpdeck api METHOD PATH or mcpdeck api OPERATION.`)
  if (first === '')
    throw new UsageError(
      'Name an operation, such as listProjects, or write METHOD PATH; mcpdeck api --list names all operations.',
    )
  const endpoint = allEndpoints().find(
    candidate => candidate.operation === first || `${candidate.resource}.${candidate.name}` === first,
  )
  if (endpoint) return { endpoint, fields: {} }
  throw new UsageError(`There is no operation "${first}".${near(first)} mcpdeck api --list names all of them.`)
}

function near(name: string): string {
  const wanted = name.toLowerCase()
  const operations = allEndpoints().map(endpoint => endpoint.operation)
  const hits = operations.filter(operation => operation.toLowerCase().includes(wanted))
  return hits.length > 0 ? ` Near: ${hits.slice(0, 5).join(', ')}.` : didYouMean(name, operations)
}

function findByPath(method: string, text: string | undefined): NamedOperation {
  if (!text) throw new UsageError(`A path must follow ${method}, such as /projects.`)
  const [path = '', query = ''] = text.split('?', 2)
  const given = path.split('/').filter(Boolean)
  const matches = allEndpoints()
    .filter(endpoint => endpoint.method === method)
    .flatMap(endpoint => {
      const fields = matchPath(endpoint.path, given)
      return fields ? [{ endpoint, fields: { ...fields, ...Object.fromEntries(new URLSearchParams(query)) } }] : []
    })
    .sort((a, b) => pathParameters(a.endpoint.path).length - pathParameters(b.endpoint.path).length)
  const [match] = matches
  if (match) return match
  throw new UsageError(`The contract has no ${method} ${path}. mcpdeck api --list names all operations.`)
}

/**
 * Matches a path. A literal segment must match exactly. A parameter accepts any id; if its own `{name}` is given
 * instead, a field sets it.
 */
function matchPath(template: string, given: readonly string[]): Record<string, string> | undefined {
  const expected = template.split('/').filter(Boolean)
  if (expected.length !== given.length) return undefined
  const fields: Record<string, string> = {}
  for (const [index, segment] of expected.entries()) {
    const value = given[index] ?? ''
    if (segment === value) continue
    if (!segment.startsWith('{')) return undefined
    fields[segment.slice(1, -1)] = decoded(value)
  }
  return fields
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw new UsageError(`"${segment}" in the path is not percent-encoded; write a percent sign as %25.`)
  }
}

export type JsonSchema = {
  type?: string | string[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  enum?: unknown[]
  const?: unknown
  items?: unknown
  $ref?: string
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
}

function schemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
}

/** Maximum number of schemas examined for one field. Schemas of servers may refer to themselves. */
const MOST_VARIANTS = 200

/** Returns schemas together with all schemas that they are composed of or refer to within a document. */
function variantsOf(schemas: readonly JsonSchema[], root: JsonSchema | undefined): JsonSchema[] {
  const found = new Set(schemas.filter(isPlainObject) as JsonSchema[])
  for (const { $ref, anyOf, oneOf, allOf } of found) {
    if (found.size > MOST_VARIANTS) break
    for (const branch of [atPointer(root, $ref), ...[anyOf, oneOf, allOf].flat()])
      if (isPlainObject(branch)) found.add(branch)
  }
  return [...found]
}

/** Resolves a reference such as `#/$defs/name`. */
function atPointer(root: unknown, ref: unknown): unknown {
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return undefined
  const names = ref
    .slice(2)
    .split('/')
    .map(name => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  return names.reduce((at: unknown, name) => (isPlainObject(at) ? ownValue(at, name) : undefined), root)
}

/** Returns the schemas of a property, even if only branches declare it. */
export function propertySchemas(schemas: readonly JsonSchema[], name: string, root: JsonSchema): JsonSchema[] {
  return variantsOf(schemas, root).flatMap(({ properties }) => {
    const own: unknown = isPlainObject(properties) ? ownValue(properties, name) : undefined
    return isPlainObject(own) ? [own] : []
  })
}

/** Whether text is allowed at this place of the body. */
function takesText(schemas: readonly JsonSchema[], root: JsonSchema | undefined): boolean {
  return variantsOf(schemas, root).some(({ type, enum: choices, const: only }) =>
    type === undefined
      ? [choices, only].flat().some(choice => typeof choice === 'string')
      : [type].flat().includes('string'),
  )
}

/**
 * Returns a field's value: text if the contract accepts text, otherwise the JSON that the text contains. Invalid JSON
 * stays text, for the check to report.
 * @throws UsageError naming a number that would change
 */
function valueOf(name: string, text: string, isText: boolean): unknown {
  if (isText) return text
  try {
    return parseWritten(text)
  } catch (error) {
    if (error instanceof UnkeptNumber) throw new UsageError(`${name}: ${error.message}.`)
    return text
  }
}

/**
 * Builds the input of an operation from `name=value` fields (dots reach into the body) and a whole body.
 * A name goes to the path, then the query, then the body.
 */
export function buildInput(
  operation: NamedOperation,
  fields: readonly string[],
  body: unknown,
): Record<string, unknown> {
  const { endpoint } = operation
  const inPath = new Set(pathParameters(endpoint.path))
  const inQuery = new Set(endpoint.query ? Object.keys(schemaOf(endpoint.query).properties ?? {}) : [])
  const bodySchema = endpoint.body && schemaOf(endpoint.body)
  const input: Record<string, unknown> = { ...operation.fields }
  const ofBody: Field[] = []
  for (const field of fields) {
    const at = field.indexOf('=')
    if (at < 1) throw new UsageError(`"${field}" is not a field; write --field name=value.`)
    const [name, value] = [field.slice(0, at), field.slice(at + 1)]
    if (!inPath.has(name) && !inQuery.has(name)) ofBody.push([name.split('.'), value])
    else if (Object.hasOwn(input, name) && !Object.hasOwn(operation.fields, name)) throw givenTwice(name)
    else input[name] = value
  }
  const [first] = ofBody
  if (first && !bodySchema) throw noField(endpoint, first[0].join('.'))
  const content = first && bodySchema ? putAll(body, ofBody, bodySchema) : body
  if (content !== undefined) {
    if (!bodySchema) throw new UsageError(`${endpoint.operation} takes no body.`)
    input.body = content
  }
  return input
}

function givenTwice(name: string): UsageError {
  return new UsageError(`"${name}" is given twice, and is no list.`)
}

function noField(endpoint: AnyEndpoint, name: string): UsageError {
  const names = inputNames(endpoint).map(known => known.replace(/\?$/, ''))
  return new UsageError(
    names.length === 0
      ? `${endpoint.operation} takes no fields, so there is no place for "${name}".`
      : `${endpoint.operation} has no field "${name}".${didYouMean(name, names)} It takes ${names.join(', ')}.`,
  )
}

/** Path and text of a value. */
export type Field = readonly [path: readonly string[], text: string]

/**
 * Puts texts at paths of a body, converted to the types in its schema. A repeated path becomes a list, as does a single
 * text if the schema allows only a list.
 * @throws UsageError naming what is repeated but is not a list, and a number that would change
 */
export function putAll(into: unknown, fields: readonly Field[], root: JsonSchema): Record<string, unknown> {
  const texts = Map.groupBy(fields, ([path]) => JSON.stringify(path))
  for (const [path] of fields) {
    const within = fields.find(([other]) => other.length > path.length && path.every((step, at) => other[at] === step))
    if (within) throw new UsageError(`"${path.join('.')}" is given whole, and "${within[0].join('.')}" within it.`)
  }
  return [...texts.values()].reduce<Record<string, unknown>>(
    (all, given) => {
      const [[path]] = given as [Field]
      return put(
        all,
        path,
        given.map(([, text]) => text),
        root,
        [root],
      )
    },
    isPlainObject(into) ? into : {},
  )
}

function put(
  into: unknown,
  path: readonly string[],
  texts: readonly string[],
  root: JsonSchema,
  schemas: readonly JsonSchema[],
): Record<string, unknown> {
  const [name = '', ...rest] = path
  const object = typeof into === 'object' && into !== null ? { ...into } : {}
  const inner = propertySchemas(schemas, name, root)
  const known: Record<string, unknown> = object
  known[name] = rest.length > 0 ? put(known[name], rest, texts, root, inner) : valueAt(path, texts, root, inner)
  return known
}

function valueAt(
  [name = '']: readonly string[],
  texts: readonly string[],
  root: JsonSchema,
  schemas: readonly JsonSchema[],
): unknown {
  const variants = variantsOf(schemas, root)
  const types = new Set(variants.flatMap(({ type }) => type ?? []))
  const value = (text: string, of: readonly JsonSchema[]): unknown =>
    text === 'null' && types.has('null') ? null : valueOf(name, text, takesText(of, root))
  const [only = ''] = texts
  if (!types.has('array')) {
    if (texts.length > 1) throw givenTwice(name)
    return value(only, schemas)
  }
  const items = variants.flatMap(({ items: each }) => (isPlainObject(each) ? [each] : []))
  const isList = [...types].every(type => type === 'array' || type === 'null')
  if (texts.length > 1) return texts.map(text => value(text, items))
  const whole = value(only, schemas)
  return isList && whole !== null && !Array.isArray(whole) ? [value(only, items)] : whole
}

/** Returns the names of an operation's input: path parameters, query options, body fields; `?` marks optional ones. */
export function inputNames(endpoint: AnyEndpoint): string[] {
  const optional = (schema: z.ZodType | undefined): string[] => {
    if (!schema) return []
    const { properties = {}, required = [] } = schemaOf(schema)
    return Object.keys(properties).map(name => (required.includes(name) ? name : `${name}?`))
  }
  return [...pathParameters(endpoint.path), ...optional(endpoint.query), ...optional(endpoint.body)]
}
