import type { ErrorObject, ValidateFunction } from 'ajv'
import { BOUNDS } from '../bounds.ts'
import type { ArgumentFault, Unusable, Works } from './messages.ts'
import type { JsonObject } from '../json.ts'

/** Maximum number of returned faults. A schema may cause any number. */
const MOST_FAULTS = BOUNDS.argumentFaults.most
/** Number of compiled schemas that are cached by their text, because one is checked several times. */
const MOST_CACHED = 20

type Compiled = { validate: ValidateFunction } | Unusable
const cache = new Map<string, Compiled>()

/** Loads the compiler and returns a function that compiles a schema. */
export async function loadedCompile() {
  const compile = await loaded()
  return ({ schema }: Works['compile']['given']): Works['compile']['answer'] => {
    const compiled = compile(schema)
    return 'unusable' in compiled ? compiled : { usable: true }
  }
}

/** Loads the compiler and returns a function that checks arguments. */
export async function loadedArguments() {
  const compile = await loaded()
  return ({ schema, value }: Works['arguments']['given']): Works['arguments']['answer'] => {
    const compiled = compile(schema)
    return 'unusable' in compiled ? compiled : faultsOf(compiled.validate, value)
  }
}

/** Loads the schemas of schemas and returns a function that validates against them without compiling anything. */
export async function loadedObjectSchemas() {
  const { Ajv, Ajv2020 } = await classes()
  const options = { strict: false, logger: false, validateFormats: false } as const
  const checkers = { early: new Ajv(options), current: new Ajv2020(options) }
  return ({ schemas }: Works['objectSchemas']['given']): boolean[] =>
    schemas.map(schema => {
      if ((schema as JsonObject | null)?.['type'] !== 'object') return false
      const { $schema, ...rest } = schema as JsonObject
      return checkers[isEarly($schema) ? 'early' : 'current'].validateSchema(rest) === true
    })
}

async function classes() {
  const [{ Ajv }, { Ajv2020 }] = await Promise.all([import('ajv'), import('ajv/dist/2020.js')])
  return { Ajv, Ajv2020 }
}

/**
 * Whether `$schema` names an earlier draft. MCP means JSON Schema 2020-12 by default (MCP specification, "JSON Schema
 * Usage").
 */
function isEarly($schema: unknown): boolean {
  return typeof $schema === 'string' && /draft-0[467]/.test($schema)
}

async function loaded(): Promise<(schema: unknown) => Compiled> {
  const { Ajv, Ajv2020 } = await classes()
  const options = {
    strict: false,
    allErrors: true,
    logger: false,
    validateFormats: false,
    // Otherwise a referenced schema is compiled at each reference, which takes minutes for a few thousand characters.
    inlineRefs: false,
  } as const
  const compiled = (schema: unknown): Compiled => {
    if (schema === null || schema === undefined) return { unusable: 'the server gave none' }
    try {
      const { $schema, ...rest } = schema as JsonObject
      return { validate: (isEarly($schema) ? new Ajv(options) : new Ajv2020(options)).compile(rest) }
    } catch (error) {
      // A schema that is nested deeper than the stack allows is not invalid.
      const isLimit = error instanceof RangeError
      return { unusable: error instanceof Error ? error.message : String(error), ...(isLimit && { isLimit }) }
    }
  }
  return schema => {
    const text = JSON.stringify(schema)
    const known = cache.get(text) ?? compiled(schema)
    if (cache.size >= MOST_CACHED) cache.clear()
    cache.set(text, known)
    return known
  }
}

function faultsOf(validate: ValidateFunction, value: JsonObject): Works['arguments']['answer'] {
  try {
    if (validate(value)) return { faults: [] }
  } catch (error) {
    // The schema may refer to itself without end, for example.
    return { unusable: error instanceof Error ? error.message : String(error), isLimit: true }
  }
  return { faults: (validate.errors ?? []).slice(0, MOST_FAULTS).map(faultOf) }
}

function faultOf(error: ErrorObject): ArgumentFault {
  const [first, ...inner] = error.instancePath
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const params: JsonObject = error.params
  const named = [params['missingProperty'], params['additionalProperty']].find(each => typeof each === 'string')
  const name = first ?? named
  const place = inner.length > 0 ? `${inner.join('.')} ` : ''
  const says = messageOf(error, params, first === undefined)
  const path = first === undefined ? [] : [first, ...inner, ...(named === undefined ? [] : [named])]
  return {
    name,
    message: `${place}${says}`,
    ...(error.keyword === 'required' && { isMissing: true }),
    ...(path.length > 1 && { inner: { path, says: named === undefined ? says : messageOf(error, params, true) } }),
  }
}

function messageOf(error: ErrorObject, params: JsonObject, own: boolean): string {
  if (error.keyword === 'required' && own) return 'is required'
  if (error.keyword === 'additionalProperties' && own) return 'is not an argument of this tool'
  const allowed = params['allowedValues']
  if (Array.isArray(allowed)) return `must be one of ${allowed.map(value => JSON.stringify(value)).join(', ')}`
  return error.message ?? `does not satisfy ${error.keyword}`
}
