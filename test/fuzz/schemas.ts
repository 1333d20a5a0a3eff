import type { Random } from '../random-numbers.ts'
import { hostileText } from './values.ts'

type Schema = Record<string, unknown>

const POISON = [
  '(a+)+$',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(?:a|a)*b',
  '(.*a){25}',
  '^(?:(?:x+x+)+y)+$',
  '(?=(a+))a*b\\1',
  '[',
  '(?<n>a)(?<n>b)',
  'a{1000000}',
  '(?:(?:a{1,500}){1,500}){1,500}',
  '\\p{Evil}',
  '\u001B[2J',
] // prettier-ignore
/** The value that is costly to check with the schema. */
const BAIT = `${'a'.repeat(40)}!`

const range = <T>(length: number, make: (index: number) => T): T[] => Array.from({ length }, (_, index) => make(index))

/** Definitions that each contain the next one twice, so that the size doubles with every step. */
function doubling(steps: number, hold: (reference: Schema) => Schema): Schema {
  const $defs = Object.fromEntries(
    range(steps, index => [
      `d${index}`,
      index === steps - 1 ? { type: 'string' } : hold({ $ref: `#/$defs/d${index + 1}` }),
    ]),
  )
  return { type: 'object', $defs, properties: { a: { $ref: '#/$defs/d0' } }, required: ['a'] }
}

function nested(levels: number, hold: (inner: Schema) => Schema): Schema {
  let schema: Schema = { type: 'string' }
  for (let level = 0; level < levels; level += 1) schema = hold(schema)
  return { type: 'object', properties: { deep: schema }, required: ['deep'] }
}

const CONDITION = ['if', 'then', 'else']

function conditional(parts: Schema[]): Schema {
  return Object.fromEntries(parts.map((part, index) => [CONDITION[index]!, part]))
}

function properties(count: number, make: (index: number) => unknown, required = false): Schema {
  const all = Object.fromEntries(range(count, index => [`field${index}`, make(index)]))
  return { type: 'object', properties: all, ...(required && { required: Object.keys(all) }) }
}

const one = (schema: Schema): Schema => ({ type: 'object', properties: { value: schema }, required: ['value'] })

/**
 * Schemas that cost too much, refer to nothing, or are invalid. `address` is one that must never be asked for a schema.
 */
function kinds(random: Random, address: string): (() => unknown)[] {
  const text = () => hostileText(random)
  const pattern = () => random.pick(POISON)
  return [
    () => doubling(40, next => ({ type: 'object', properties: { a: next, b: next } })),
    () => doubling(40, next => ({ anyOf: [next, next] })),
    () => doubling(40, next => ({ allOf: [next, next] })),
    () => doubling(40, next => ({ type: 'array', items: next, contains: next, minItems: 2 })),
    () => properties(600, () => ({ type: 'string', pattern: pattern(), default: BAIT }), random.chance(0.5)),
    () => one({ type: 'string', pattern: pattern(), default: BAIT, enum: [BAIT, text()] }),
    () => ({ type: 'object', patternProperties: { [pattern()]: { type: 'string' } }, propertyNames: { pattern: pattern() }, default: { [BAIT]: 1 } }),
    () => one({ $ref: '#' }),
    () => ({ $ref: '#' }),
    () => ({ type: 'object', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, properties: { a: { $ref: '#/$defs/a' } } }),
    () => ({ type: 'object', $defs: { a: { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, required: ['a'] } }, properties: { a: { $ref: '#/$defs/a' } }, required: ['a'] }),
    () => ({ $dynamicAnchor: 'x', type: 'object', properties: { a: { $dynamicRef: '#x' } }, required: ['a'] }),
    () => one({ $ref: `${address}/schema.json` }),
    () => ({ $schema: `${address}/schema.json`, $id: `${address}/id`, type: 'object' }),
    () => properties(5000, () => ({ type: random.pick(['string', 'number', 'boolean', 'array', 'object']) }), random.chance(0.5)),
    () => properties(200, () => ({ type: 'string', description: text(), title: text(), default: text() })),
    () => ({ type: 'object', properties: { [text()]: { type: 'string' }, __proto__x: {}, constructor: { type: 'string' }, ['__proto__']: { type: 'string' } }, required: [text(), 'constructor', '__proto__'] }),
    () => one({ enum: range(30_000, index => `${index} ${random.chance(0.01) ? text() : ''}`) }),
    () => one({ oneOf: range(2000, index => ({ type: 'object', properties: { kind: { const: index } } })) }),
    () => one({ type: 'array', minItems: 1e9, items: { type: 'object', properties: { a: { type: 'string' } } } }),
    () => one({ type: 'array', uniqueItems: true, default: range(20_000, index => ({ index })) }),
    () => one({ type: 'string', minLength: 1e9, maxLength: -1, format: text() }),
    () => one({ type: 'number', multipleOf: random.pick([0, 1e-300, -1]), minimum: 1e308, maximum: -1e308 }),
    () => nested(random.pick([100, 600, 3000]), inner => ({ type: 'object', properties: { a: inner }, required: ['a'] })),
    () => nested(random.pick([100, 600, 3000]), inner => ({ type: 'array', items: inner })),
    () => nested(random.pick([20, 300]), inner => ({ anyOf: [inner, { type: 'null' }] })),
    () => nested(200, inner => conditional([inner, { not: {} }, { properties: { a: {} } }])),
    () => ({ type: 'object', properties: [], required: 'value' }),
    () => ({ type: 'object', properties: { a: 7, b: null, c: [], d: 'x', e: { type: 7 }, f: { enum: {} }, g: { $ref: 5 }, h: true, i: false } }),
    () => ({ type: ['object', 'null', 'x'], properties: { a: { type: [] } }, required: [1, null, {}] }),
    () => random.pick([null, true, false, [], 'x', 7, {}]),
  ] // prettier-ignore
}

/** An invalid or harmful input schema, chosen at random. */
export function hostileSchema(random: Random, address: string): unknown {
  return random.pick(kinds(random, address))()
}
