import * as z from 'zod'
import { type AnyEndpoint, pathParameters } from '../../src/api/contract/endpoint.ts'
import { compareInput, compareOutput } from './compare-shapes.ts'
import { type JsonSchema, type Shape, shapeOf } from './json-shape.ts'
import { dereference, type DocumentedOperation, type OpenApi } from './openapi.ts'

/** Header under which the document has the idempotency key, and its variant for case generation. */
const KEY_HEADERS = ['idempotency-key', 'x-mcpjam-idempotency-key']

/** Returns every difference between an operation of the document and our declaration of it, one sentence each. */
export function compareOperation(document: OpenApi, documented: DocumentedOperation, endpoint: AnyEndpoint): string[] {
  const read = (schema: JsonSchema) => shapeOf(schema, part => dereference(document, part))
  const status = endpoint.status ?? 200
  return [
    ...differ('method', endpoint.method, documented.method),
    ...differ('path', endpoint.path, documented.path),
    ...differ('status', status, documented.status),
    ...comparePath(documented, endpoint, read),
    ...compareInput('query', parametersAsFields(documented, 'query', read), queryShape(endpoint)),
    ...compareKeyHeaders(documented, endpoint),
    ...compareBody(documented, endpoint, read),
    ...compareOutput('response', read(documented.response), declaredShape(endpoint.response)),
  ]
}

function differ(what: string, here: string | number, there: string | number): string[] {
  return here === there ? [] : [`${what}: ${here}, documented as ${there}`]
}

function comparePath(
  documented: DocumentedOperation,
  endpoint: AnyEndpoint,
  read: (schema: JsonSchema) => Shape,
): string[] {
  const names = pathParameters(endpoint.path)
  const inPath = parametersAsFields(documented, 'path', read)
  const missing = names.filter(name => !inPath.fields.has(name)).map(name => `path ${name}: only declared`)
  const found = [...inPath.fields].flatMap(([name, { shape }]) => {
    if (!names.includes(name)) return [`path ${name}: only documented`]
    return shape.values ? [`path ${name}: any text, documented as ${[...shape.values].join(' or ')}`] : []
  })
  return [...missing, ...found]
}

/** Returns parameters of one place as the fields of an object, so that they are compared like a body. */
function parametersAsFields(
  { parameters }: DocumentedOperation,
  place: 'path' | 'query',
  read: (schema: JsonSchema) => Shape,
): Shape {
  const fields = parameters
    .filter(parameter => parameter.in === place)
    .map(({ name, required, schema }) => [name, { required: required === true, shape: read(schema) }] as const)
  return { types: new Set(['object']), bounds: new Map(), fields: new Map(fields), strict: true }
}

/** Query values arrive as text, so a text alternative beside another type makes no difference. */
function queryShape(endpoint: AnyEndpoint): Shape {
  const none: Shape = { types: new Set(['object']), bounds: new Map(), fields: new Map(), strict: true }
  if (!endpoint.query) return none
  const query = declaredShape(endpoint.query)
  const fields = [...query.fields].map(([name, field]) => {
    const types = new Set(field.shape.types)
    if (types.size > 1) types.delete('string')
    return [name, { ...field, shape: { ...field.shape, types } }] as const
  })
  return { ...query, fields: new Map(fields) }
}

function compareKeyHeaders({ parameters }: DocumentedOperation, endpoint: AnyEndpoint): string[] {
  const declared = endpoint.idempotency === 'header' ? (endpoint.idempotencyHeaders ?? KEY_HEADERS.slice(0, 1)) : []
  const documented = parameters.filter(({ in: place }) => place === 'header').map(({ name }) => name.toLowerCase())
  return [
    ...declared.filter(name => !documented.includes(name)).map(name => `header ${name}: only declared`),
    ...documented.filter(name => !declared.includes(name)).map(name => `header ${name}: only documented`),
  ]
}

function compareBody(
  documented: DocumentedOperation,
  endpoint: AnyEndpoint,
  read: (schema: JsonSchema) => Shape,
): string[] {
  if (!documented.body) return endpoint.body ? ['body: only declared'] : []
  if (!endpoint.body) return ['body: only documented']
  const required = !endpoint.body.safeParse(undefined).success
  const expected = documented.body.required ? 'required' : 'optional'
  return [
    ...differ('body', required ? 'required' : 'optional', expected),
    ...compareInput('body', read(documented.body.schema), declaredShape(endpoint.body)),
  ]
}

function declaredShape(schema: z.ZodType): Shape {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' })
  return shapeOf(json, part => part)
}
