import * as z from 'zod'
import { allEndpoints } from '../../api/contract/contract.ts'
import { pathParameters, type AnyEndpoint } from '../../api/contract/endpoint.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { UsageError } from '../config/settings.ts'

/** An operation that was named on the command line, with the path parameters its path gave. */
export type NamedOperation = { endpoint: AnyEndpoint; fields: Record<string, string> }

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])

/**
 * Finds an operation by its name (`createEvalRun` or `runs.create`) or by method and path, where the path may hold
 * ids and a query (`GET /projects/P/servers?x=y`).
 * @throws UsageError with near names when there is none
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

/** A literal segment must be the same; a parameter takes any id, and its own `{name}` leaves it to a field. */
function matchPath(template: string, given: readonly string[]): Record<string, string> | undefined {
  const expected = template.split('/').filter(Boolean)
  if (expected.length !== given.length) return undefined
  const fields: Record<string, string> = {}
  for (const [index, segment] of expected.entries()) {
    const value = given[index] ?? ''
    if (segment === value) continue
    if (!segment.startsWith('{')) return undefined
    fields[segment.slice(1, -1)] = decodeURIComponent(value)
  }
  return fields
}

export type JsonSchema = {
  type?: string | string[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  anyOf?: JsonSchema[]
}

function schemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
}

/** Whether a text may stand for itself at this place of the body. */
function takesText(schema: JsonSchema | undefined): boolean {
  if (!schema) return false
  if (schema.anyOf) return schema.anyOf.some(takesText)
  return schema.type === 'string' || (Array.isArray(schema.type) && schema.type.includes('string'))
}

/**
 * A field's value: text where the contract takes text, JSON elsewhere; JSON that is none stays text for the check to
 * name.
 */
function valueOf(text: string, schema: JsonSchema | undefined): unknown {
  if (takesText(schema)) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
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
  let content = body
  for (const field of fields) {
    const at = field.indexOf('=')
    if (at < 1) throw new UsageError(`"${field}" is not a field; write --field name=value.`)
    const [name, value] = [field.slice(0, at), field.slice(at + 1)]
    if (inPath.has(name) || inQuery.has(name)) input[name] = value
    else if (!bodySchema) throw noField(endpoint, name)
    else content = put(content, name.split('.'), value, bodySchema)
  }
  if (content !== undefined) {
    if (!bodySchema) throw new UsageError(`${endpoint.operation} takes no body.`)
    input.body = content
  }
  return input
}

function noField(endpoint: AnyEndpoint, name: string): UsageError {
  const names = inputNames(endpoint).map(known => known.replace(/\?$/, ''))
  return new UsageError(
    names.length === 0
      ? `${endpoint.operation} takes no fields, so there is no place for "${name}".`
      : `${endpoint.operation} has no field "${name}".${didYouMean(name, names)} It takes ${names.join(', ')}.`,
  )
}

/** A body with a text put at a path of it, as the value that its schema has there. */
export function put(
  into: unknown,
  path: readonly string[],
  text: string,
  schema: JsonSchema | undefined,
): Record<string, unknown> {
  const [name = '', ...rest] = path
  const object = typeof into === 'object' && into !== null ? { ...into } : {}
  const inner = schema?.properties?.[name]
  const known: Record<string, unknown> = object
  known[name] = rest.length > 0 ? put(known[name], rest, text, inner) : valueOf(text, inner)
  return known
}

/** Names of what an operation takes: path parameters, query options, body fields; `?` marks what may be left out. */
export function inputNames(endpoint: AnyEndpoint): string[] {
  const optional = (schema: z.ZodType | undefined): string[] => {
    if (!schema) return []
    const { properties = {}, required = [] } = schemaOf(schema)
    return Object.keys(properties).map(name => (required.includes(name) ? name : `${name}?`))
  }
  return [...pathParameters(endpoint.path), ...optional(endpoint.query), ...optional(endpoint.body)]
}
