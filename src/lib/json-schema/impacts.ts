import { BOTH, type Impacts, NARROWS, NONE, UNKNOWN, WIDENS } from './impact.ts'
import type { JsonObject } from '../json.ts'

type Limit = (before: unknown, after: unknown) => Impacts

/** Keywords that imply a type, so that `type` may be missing next to them. */
const SAY_TYPES = ['enum', 'const', '$ref', 'anyOf', 'oneOf', 'allOf']

/** Returns the impact of a changed `type`. */
export function typeImpact(before: JsonObject, after: JsonObject): Impacts {
  const [widens, narrows] = [covers(after['type'], before['type']), covers(before['type'], after['type'])]
  const saysTypes = (schema: JsonObject) => SAY_TYPES.some(keyword => keyword in schema)
  if (widens && narrows) return NONE
  if (widens) return after['type'] === undefined && saysTypes(after) ? { input: 'safe', output: 'unknown' } : WIDENS
  if (!narrows) return BOTH
  return before['type'] === undefined && saysTypes(before) ? { input: 'unknown', output: 'safe' } : NARROWS
}

/** Whether the other types allow every one of these types. */
function covers(allowed: unknown, types: unknown): boolean {
  if (allowed === undefined) return true
  const known = new Set<unknown>([allowed].flat())
  if (known.has('number')) known.add('integer')
  return types !== undefined && [types].flat().every(type => known.has(type))
}

type IsSame = (one: unknown, other: unknown) => boolean

/** Returns the impact of changed alternatives: adding one widens. */
export function anyOfImpact(before: unknown, after: unknown, isSame: IsSame): Impacts {
  return isList(before) && isList(after) ? allOfImpact(after, before, isSame) : allOfImpact(before, after, isSame)
}

/**
 * Returns the impact of changed conditions, all of which must hold: adding one to others narrows. Whether the first
 * conditions narrow is unknown.
 */
export function allOfImpact(before: unknown, after: unknown, isSame: IsSame): Impacts {
  if (before === undefined) return { input: 'unknown', output: 'safe' }
  if (after === undefined) return { input: 'safe', output: 'unknown' }
  if (!isList(before) || !isList(after)) return UNKNOWN
  const within = (some: unknown[], others: unknown[]) => some.every(one => others.some(other => isSame(one, other)))
  const [grew, shrank] = [within(before, after), within(after, before)]
  if (grew && shrank) return NONE
  return grew ? NARROWS : shrank ? WIDENS : UNKNOWN
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length <= MOST_PARTS
}

/** Maximum number of compared parts, because each is compared with every other. */
const MOST_PARTS = 50

function ordered(isWider: (before: number, after: number) => boolean, otherwise: number): Limit {
  return (before = otherwise, after = otherwise) => {
    if (typeof before !== 'number' || typeof after !== 'number') return UNKNOWN
    if (before === after) return NONE
    return isWider(before, after) ? WIDENS : NARROWS
  }
}

const atLeast = (otherwise: number) => ordered((before, after) => after < before, otherwise)
const atMost = ordered((before, after) => after > before, Infinity)

/** Returns the impact of changing a text, which is unknown unless the text was added or removed. */
function text(added: Impacts, removed: Impacts): Limit {
  return (before, after) => (before === undefined ? added : after === undefined ? removed : UNKNOWN)
}

const LIMIT_IMPACTS: Readonly<Record<string, Limit>> = {
  minimum: atLeast(-Infinity),
  exclusiveMinimum: atLeast(-Infinity),
  minLength: atLeast(0),
  minItems: atLeast(0),
  minProperties: atLeast(0),
  maximum: atMost,
  exclusiveMaximum: atMost,
  maxLength: atMost,
  maxItems: atMost,
  maxProperties: atMost,
  multipleOf(before, after) {
    if (before === undefined) return NARROWS
    if (after === undefined) return WIDENS
    if (!Number.isSafeInteger(before) || !Number.isSafeInteger(after)) return UNKNOWN
    const [was, is] = [before as number, after as number]
    return was % is === 0 ? WIDENS : is % was === 0 ? NARROWS : BOTH
  },
  uniqueItems(before = false, after = false) {
    if (typeof before !== 'boolean' || typeof after !== 'boolean') return UNKNOWN
    return before === after ? NONE : after ? NARROWS : WIDENS
  },
  pattern: text(NARROWS, WIDENS),
  // Most programs read `format` without validating it.
  format: text({ input: 'unknown', output: 'safe' }, { input: 'safe', output: 'unknown' }),
}

export const LIMITS: readonly string[] = Object.keys(LIMIT_IMPACTS)

/** Returns the impact of a changed limit. */
export function limitImpact(keyword: string, before: unknown, after: unknown): Impacts {
  return LIMIT_IMPACTS[keyword]?.(before, after) ?? UNKNOWN
}
