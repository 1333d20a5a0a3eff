import { onceFor } from '../../lib/once-for.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import { WORK_LIMITS } from '../../lib/work-limits.ts'
import { inThread } from '../../lib/untrusted/in-thread.ts'
import { plainlyFits } from '../../lib/json-schema/plainly-fits.ts'
import type { ArgumentFault, Unusable } from '../../lib/untrusted/messages.ts'
import type { JsonObject } from '../../lib/json.ts'

export type { ArgumentFault } from '../../lib/untrusted/messages.ts'

/** The faults of arguments, or the reason why they are unknown. */
export type ArgumentVerdict = { faults: ArgumentFault[] } | Unusable

/** Maximum size of a schema that is checked, in characters. */
const MOST_SCHEMA_CHARACTERS = BOUNDS.toolSchema.most
/** Maximum size of schema and arguments together, in characters, that is checked in this thread. */
const MOST_PLAIN_CHARACTERS = 8192
/** Milliseconds to compile one schema and check against it. */
export const SCHEMA_LIMIT_MS: number = WORK_LIMITS.schema.most

/** Returns schemas as JSON, cached since one schema is used for many checks. */
const storedText = onceFor(written)

/** Checks whether a tool's input schema can be used. It is compiled outside the screen's thread, within limits. */
export async function checkSchema(
  schema: JsonObject | null | undefined,
  limitMs = SCHEMA_LIMIT_MS,
): Promise<{ usable: true } | Unusable> {
  const text = textOf(schema)
  if (typeof text !== 'string') return text
  const outcome = await inThread('compile', { text: `{"schema":${text}}` }, limitMs)
  return 'answer' in outcome ? outcome.answer : unusable(outcome)
}

/**
 * Checks arguments against a tool's input schema, within limits. Simple ones are checked here, since the thread with
 * the compiler takes as long to start as a server.
 */
export async function checkArguments(
  schema: JsonObject | null | undefined,
  value: JsonObject,
  limitMs = SCHEMA_LIMIT_MS,
): Promise<ArgumentVerdict> {
  const text = textOf(schema)
  if (typeof text !== 'string') return text
  const valueText = JSON.stringify(value)
  // The texts are parsed again, since neither validator accepts the bigints of long numbers.
  if (
    text.length + valueText.length <= MOST_PLAIN_CHARACTERS &&
    plainlyFits(JSON.parse(text) as JsonObject, JSON.parse(valueText) as JsonObject)
  )
    return { faults: [] }
  const given = { text: `{"schema":${text},"value":${valueText}}` }
  const outcome = await inThread('arguments', given, limitMs)
  return 'answer' in outcome ? outcome.answer : unusable(outcome)
}

function unusable({ why, isLimit }: { why: string; isLimit: boolean }): Unusable {
  return { unusable: why, ...(isLimit && { isLimit }) }
}

function textOf(schema: JsonObject | null | undefined): string | Unusable {
  if (!schema) return { unusable: 'the server gave none' }
  return typeof schema === 'object' ? storedText(schema) : written(schema)
}

function written(schema: unknown): string | Unusable {
  try {
    const text = JSON.stringify(schema)
    return text.length > MOST_SCHEMA_CHARACTERS ? { unusable: 'it is too large', isLimit: true } : text
  } catch (error) {
    // For example, a schema nested deeper than the stack allows.
    return { unusable: error instanceof Error ? error.message : String(error), isLimit: true }
  }
}
