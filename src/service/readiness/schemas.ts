import type { JsonObject } from '../connections/types.ts'

/** A schema beyond this is not looked at: checking runs in the service's own process. */
const MOST_SCHEMA_CHARACTERS = 300_000

/**
 * Whether a tool's schema is JSON Schema for an object. MCP means 2020-12 unless `$schema` names another draft.
 * The schema is only compared with its draft's own schema; nothing of it is compiled or run.
 */
export async function schemaChecker(): Promise<(schema: JsonObject | undefined) => boolean> {
  const [{ Ajv }, { Ajv2020 }] = await Promise.all([import('ajv'), import('ajv/dist/2020.js')])
  const options = { strict: false, logger: false, validateFormats: false } as const
  const checkers = { early: new Ajv(options), current: new Ajv2020(options) }
  return schema => {
    if (schema?.['type'] !== 'object' || JSON.stringify(schema).length > MOST_SCHEMA_CHARACTERS) return false
    const { $schema, ...rest } = schema
    const early = typeof $schema === 'string' && /draft-0[467]/.test($schema)
    return checkers[early ? 'early' : 'current'].validateSchema(rest) === true
  }
}
