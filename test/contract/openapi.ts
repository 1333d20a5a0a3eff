import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import type { JsonSchema } from './json-shape.ts'

/** The contract as published by the service. */
const OPENAPI_FILE = join(import.meta.dirname, 'openapi.json')

const JsonObject = z.looseObject({})
const Content = z.looseObject({ content: z.record(z.string(), z.looseObject({ schema: JsonObject })).optional() })
const Parameter = z.looseObject({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean().optional(),
  schema: JsonObject,
})
const Operation = z.looseObject({
  operationId: z.string(),
  parameters: z.array(JsonObject).default([]),
  requestBody: JsonObject.optional(),
  responses: z.record(z.string(), JsonObject),
})
const Document = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })

export type OpenApi = z.infer<typeof Document>
export type DocumentedParameter = z.infer<typeof Parameter>

/** One operation of the document, with its top-level references resolved. */
export type DocumentedOperation = {
  operation: string
  method: string
  path: string
  parameters: DocumentedParameter[]
  body: { required: boolean; schema: JsonSchema } | undefined
  status: number
  response: JsonSchema
}

/** Reads the published contract. */
export function readOpenApi(): OpenApi {
  return Document.parse(JSON.parse(readFileSync(OPENAPI_FILE, 'utf8')))
}

/** Returns the target of a `#/…` reference, or the value itself. */
export function dereference(document: OpenApi, value: JsonSchema): JsonSchema {
  if (typeof value['$ref'] !== 'string') return value
  let target: unknown = document
  for (const segment of value['$ref'].slice(2).split('/')) target = JsonObject.parse(target)[segment]
  return dereference(document, JsonObject.parse(target))
}

/** Every operation, in the order of the document. */
export function documentedOperations(document: OpenApi): DocumentedOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) => {
    const { parameters: shared = [], ...methods } = item
    return Object.entries(methods).map(([method, value]) =>
      documentedOperation(document, { path, method, shared: z.array(JsonObject).parse(shared), value }),
    )
  })
}

type Place = { path: string; method: string; shared: JsonSchema[]; value: unknown }

function documentedOperation(document: OpenApi, { path, method, shared, value }: Place): DocumentedOperation {
  const operation = Operation.parse(value)
  const parameters = [...shared, ...operation.parameters].map(entry => Parameter.parse(dereference(document, entry)))
  const success = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'))
  if (success.length !== 1) throw new Error(`${operation.operationId} has ${success.length} success answers`)
  const [status, response] = success[0]!
  const requestBody = operation.requestBody && dereference(document, operation.requestBody)
  return {
    operation: operation.operationId,
    method: method.toUpperCase(),
    path,
    parameters,
    body: requestBody && { required: requestBody['required'] === true, schema: schemaOf(requestBody) },
    status: Number(status),
    response: schemaOf(dereference(document, response)),
  }
}

function schemaOf(holder: JsonSchema): JsonSchema {
  return Content.parse(holder).content?.['application/json']?.schema ?? {}
}
