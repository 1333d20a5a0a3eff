// The entry of the thread that compiles schemas: `checkSchemas` starts it, and nothing imports it.
import { parentPort, workerData } from 'node:worker_threads'
import { compileCheck } from '../arguments-check.ts'
import type { FromSchemaThread, SchemaVerdict } from './schema-check.ts'

type JsonObject = Record<string, unknown>

async function verdictOn(schema: unknown): Promise<SchemaVerdict> {
  if (schema === null || schema === undefined) return { kind: 'wrong', why: 'the server gave none' }
  const check = await compileCheck(schema as JsonObject)
  if (!('unusable' in check)) return { kind: 'fine' }
  return { kind: check.isLimit === true ? 'unchecked' : 'wrong', why: check.unusable }
}

const schemas = JSON.parse(workerData as string) as unknown[]
for (const [at, schema] of schemas.entries()) {
  const message: FromSchemaThread = { at, verdict: await verdictOn(schema) }
  parentPort?.postMessage(message, [])
}
