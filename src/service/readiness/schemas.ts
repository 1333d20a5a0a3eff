import { BOUNDS } from '../../lib/bounds.ts'
import { inThread } from '../../lib/untrusted/in-thread.ts'
import type { JsonObject } from '../connections/types.ts'

/** A schema beyond this is not looked at. */
const MOST_SCHEMA_CHARACTERS = BOUNDS.toolSchema.most
/** Longest time for the schemas of one tool, and for those of all, in milliseconds. */
const TOOL_LIMIT_MS = 2000
const LIMIT_MS = 10_000

type Schemas = { inputSchema?: JsonObject | undefined; outputSchema?: JsonObject | undefined }

/**
 * Whether the schema of one of these tools is JSON Schema for an object; one that cannot be compared within the bounds is
 * not known to be. The schema is only compared with its draft's own schema, in a thread; nothing of it is compiled or run.
 */
export async function schemaChecker(
  tools: readonly Schemas[],
): Promise<(schema: JsonObject | undefined) => boolean> {
  const right = new Set<JsonObject>()
  const end = performance.now() + LIMIT_MS
  for (const { inputSchema, outputSchema } of tools) {
    const schemas = [inputSchema, outputSchema].filter(schema => schema !== undefined).filter(isSmall)
    const limitMs = Math.min(TOOL_LIMIT_MS, end - performance.now())
    if (schemas.length === 0 || limitMs <= 0) continue
    const outcome = await inThread('objectSchemas', { schemas }, limitMs)
    if ('answer' in outcome)
      for (const [at, schema] of schemas.entries()) if (outcome.answer[at]) right.add(schema)
  }
  return schema => schema !== undefined && right.has(schema)
}

function isSmall(schema: JsonObject): boolean {
  return JSON.stringify(schema).length <= MOST_SCHEMA_CHARACTERS
}
