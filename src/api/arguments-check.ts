import { createContext, Script, type Context } from 'node:vm'
import type { ErrorObject, ValidateFunction } from 'ajv'

type JsonObject = Record<string, unknown>

/** What is wrong with the arguments, and with which of them; without a name with all together. */
export type ArgumentFault = {
  name: string | undefined
  message: string
  /** The argument was not given at all. */
  isMissing?: boolean
}

/**
 * Checks arguments against a tool's input schema, or says why that schema cannot be used: it is wrong, or beyond what is
 * looked at (`isLimit`).
 */
export type ArgumentCheck =
  | { faults: (value: JsonObject) => ArgumentFault[] }
  | { unusable: string; isLimit?: boolean }

/** A schema beyond this is not compiled: compiling runs in the dashboard's own process. */
const MOST_SCHEMA_CHARACTERS = 300_000
const PATTERN_LIMIT_MS = 100

/**
 * Compiles a tool's input schema. MCP means JSON Schema 2020-12 unless `$schema` names another draft
 * (MCP specification, "JSON Schema Usage"); the schema itself is whatever the server sent.
 */
export async function compileCheck(schema: JsonObject | null | undefined): Promise<ArgumentCheck> {
  if (!schema) return { unusable: 'the server gave none' }
  try {
    if (JSON.stringify(schema).length > MOST_SCHEMA_CHARACTERS)
      return { unusable: 'it is too large', isLimit: true }
    const { $schema, ...rest } = schema
    const validate = (await newAjv($schema)).compile(rest)
    return { faults: value => faultsOf(validate, value) }
  } catch (error) {
    // One that is nested deeper than the stack is no wrong one.
    const isLimit = error instanceof RangeError
    return { unusable: error instanceof Error ? error.message : String(error), ...(isLimit && { isLimit }) }
  }
}

async function newAjv($schema: unknown) {
  const options = {
    strict: false,
    allErrors: true,
    logger: false,
    validateFormats: false,
    // Otherwise what is referred to is compiled again at each reference: minutes for a few thousand characters.
    inlineRefs: false,
    code: { regExp: Object.assign(boundedPattern, { code: 'boundedPattern' }) },
  } as const
  const early = typeof $schema === 'string' && /draft-0[467]/.test($schema)
  if (early) return new (await import('ajv')).Ajv(options)
  return new (await import('ajv/dist/2020.js')).Ajv2020(options)
}

const script = new Script('new RegExp(pattern, flags).test(text)')
let patternContext: Context | undefined

/**
 * A pattern of somebody else's server: one that backtracks without end is taken as matching and left
 * to that server. Only a `node:vm` script can be told a time limit. The compiler keeps patterns by `toString`.
 */
function boundedPattern(pattern: string, flags: string) {
  const written = String(new RegExp(pattern, flags))
  return {
    toString: () => written,
    test(text: string): boolean {
      patternContext ??= createContext({})
      Object.assign(patternContext, { pattern, flags, text })
      try {
        return script.runInContext(patternContext, { timeout: PATTERN_LIMIT_MS }) === true
      } catch {
        return true
      }
    },
  }
}

function faultsOf(validate: ValidateFunction, value: JsonObject): ArgumentFault[] {
  try {
    if (validate(value)) return []
  } catch (error) {
    // Such as a schema that refers to itself without end.
    return [{ name: undefined, message: `cannot be checked: ${error instanceof Error ? error.message : ''}` }]
  }
  return (validate.errors ?? []).map(faultOf)
}

function faultOf(error: ErrorObject): ArgumentFault {
  const [first, ...inner] = error.instancePath
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const params: JsonObject = error.params
  const named = params['missingProperty'] ?? params['additionalProperty']
  const name = first ?? (typeof named === 'string' ? named : undefined)
  const place = inner.length > 0 ? `${inner.join('.')} ` : ''
  const message = `${place}${messageOf(error, params, first === undefined)}`
  return error.keyword === 'required' ? { name, message, isMissing: true } : { name, message }
}

function messageOf(error: ErrorObject, params: JsonObject, own: boolean): string {
  if (error.keyword === 'required' && own) return 'is required'
  if (error.keyword === 'additionalProperties' && own) return 'is not an argument of this tool'
  const allowed = params['allowedValues']
  if (Array.isArray(allowed))
    return `must be one of ${allowed.map(value => JSON.stringify(value)).join(', ')}`
  return error.message ?? `does not satisfy ${error.keyword}`
}
