import { checkSchema, SCHEMA_LIMIT_MS } from '../../domain/servers/arguments-check.ts'

/** What came of compiling a schema. */
export type SchemaVerdict = { kind: 'fine' } | { kind: 'wrong' | 'unchecked'; why: string }

/** Longest time for all schemas of a server, in milliseconds. */
const LIMIT_MS = 10_000

/**
 * Compiles schemas of somebody else's server apart from the screen's thread: each for as long as one may take, and all of
 * them within `limitMs`.
 */
export async function checkSchemas(
  schemas: readonly unknown[],
  limitMs: number = LIMIT_MS,
): Promise<SchemaVerdict[]> {
  const end = performance.now() + limitMs
  const verdicts: SchemaVerdict[] = []
  for (const schema of schemas) {
    const left = end - performance.now()
    verdicts.push(left > 0 ? await verdictOn(schema, Math.min(left, SCHEMA_LIMIT_MS)) : outOfTime(limitMs))
  }
  return verdicts
}

function outOfTime(limitMs: number): SchemaVerdict {
  return { kind: 'unchecked', why: `checking all of them took longer than ${limitMs / 1000} s` }
}

async function verdictOn(schema: unknown, limitMs: number): Promise<SchemaVerdict> {
  const checked = await checkSchema(schema as Record<string, unknown> | null, limitMs)
  if (!('unusable' in checked)) return { kind: 'fine' }
  return { kind: checked.isLimit === true ? 'unchecked' : 'wrong', why: checked.unusable }
}
