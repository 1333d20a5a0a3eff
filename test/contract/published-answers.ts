import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { AnyEndpoint } from '../../src/api/contract/endpoint.ts'
import type { JsonSchema } from './json-shape.ts'
import { documentedOperations, readOpenApi } from './openapi.ts'

type Find = (endpoint: AnyEndpoint, status: number, body: unknown) => string[]

/** Returns how an answer differs from the published file. */
export function createPublishedAnswers(): Find {
  const document = readOpenApi()
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
  ajv.addSchema(readable(document) as object, 'published')
  const operations = new Map(documentedOperations(document).map(each => [each.operation, each]))
  const validators = new Map<string, ValidateFunction>()
  const validatorOf = (name: string, schema: JsonSchema): ValidateFunction => {
    const known = validators.get(name)
    if (known) return known
    const made = ajv.compile(readable(absolute(schema)) as object)
    validators.set(name, made)
    return made
  }
  return (endpoint, status, body) => {
    if (status >= 400) return problemsOf(validatorOf('error', { $ref: '#/components/schemas/Error' }), body)
    const operation = operations.get(publishedName(endpoint))
    if (!operation) return []
    if (operation.status !== status) return [`status ${status}, published as ${operation.status}`]
    const schema = isNameless(operation.response, body) ? NAMELESS : operation.response
    return problemsOf(validatorOf(JSON.stringify(schema), schema), body)
  }
}

const NAMED = '#/components/schemas/ProjectEnvironment'
const NAMELESS = { $ref: '#/components/schemas/AdhocEnvironment' }

/** The file has two shapes of an environment; `adhoc` tells which one a record has. */
function isNameless(schema: JsonSchema, body: unknown): boolean {
  return schema['$ref'] === NAMED && (body as { adhoc?: boolean } | null)?.adhoc === true
}

/** Operations of the prose document that answer like a published one. */
const TWINS: Readonly<Record<string, string>> = {
  listClients: 'listHosts',
  createClient: 'createHost',
  getClient: 'getHost',
  updateClient: 'updateHost',
  deleteClient: 'deleteHost',
  duplicateClient: 'duplicateHost',
  publishScenarioPut: 'publishScenario',
}

function publishedName({ operation }: AnyEndpoint): string {
  return TWINS[operation] ?? operation
}

function problemsOf(validate: ValidateFunction, body: unknown): string[] {
  if (validate(body)) return []
  const errors = validate.errors ?? []
  return [...new Set(errors.filter(error => !isEcho(error, errors)).map(problemText))]
}

/** Of an alternative with null, only the errors inside it count. */
function isEcho({ keyword, message, instancePath }: ErrorObject, all: readonly ErrorObject[]): boolean {
  if (keyword !== 'anyOf' && message !== 'must be null') return false
  return all.some(other => other.instancePath.startsWith(`${instancePath}/`))
}

/** Removes positions in lists: `items/3/link` becomes `items[].link`. */
function problemText({ instancePath, message, params }: ErrorObject): string {
  const place = instancePath.replaceAll(/\/\d+(?=\/|$)/g, '[]').replaceAll('/', '.')
  const values = (params as { allowedValues?: unknown[] }).allowedValues
  return `response${place} ${message}${values ? ` (${values.join(', ')})` : ''}`
}

/** References as `ajv` resolves them: in the document that was added under this name. */
function absolute(schema: unknown): unknown {
  return mapped(schema, (key, value) =>
    key === '$ref' && typeof value === 'string' && value.startsWith('#') ? `published${value}` : value,
  )
}

/**
 * The file has `nullable: true` beside types, which its version of JSON Schema no longer has, and `oneOf` for two
 * shapes that both accept null.
 */
function readable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readable)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, part]) => [
    key === 'oneOf' && takesNull(part) ? 'anyOf' : key,
    readable(part),
  ])
  const { nullable, ...rest } = Object.fromEntries(entries) as Record<string, unknown>
  if (nullable !== true) return nullable === undefined ? rest : { ...rest, nullable }
  if (typeof rest['type'] === 'string' && !('enum' in rest)) return { ...rest, type: [rest['type'], 'null'] }
  return { anyOf: [rest, { type: 'null' }] }
}

function takesNull(alternatives: unknown): boolean {
  return Array.isArray(alternatives) && alternatives.some(part => (part as JsonSchema)['type'] === 'null')
}

function mapped(value: unknown, change: (key: string, value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(item => mapped(item, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, mapped(change(key, part), change)]))
}
