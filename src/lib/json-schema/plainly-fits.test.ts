import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../json.ts'
import { loadedArguments } from '../untrusted/schemas.ts'
import { plainlyFits } from './plainly-fits.ts'

const compiled = await loadedArguments()
const fitsCompiled = (schema: JsonObject, value: JsonObject): boolean => {
  const verdict = compiled({ schema, value })
  return 'faults' in verdict && verdict.faults.length === 0
}

const tool = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties,
  ...more,
})
const NAMES = ['a', 'b', 'toString', '__proto__'] as const
const scalar = fc.oneof(
  fc.constantFrom('', 'a', 'é', '👩🏽‍🚀', null, true),
  fc.integer({ min: -3, max: 3 }),
  fc.double({ noDefaultInfinity: true, noNaN: true }),
)
const named = <T>(inner: fc.Arbitrary<T>) => fc.dictionary(fc.constantFrom(...NAMES), inner, { maxKeys: 3 })
const valueOf = (inner: fc.Arbitrary<unknown>) => fc.oneof(scalar, fc.array(inner, { maxLength: 2 }), named(inner))
const value = valueOf(valueOf(scalar))

/** Generates values that mostly match their schema. */
const mostly = <T>(good: fc.Arbitrary<T>) => fc.oneof({ weight: 12, arbitrary: good }, scalar)
const schemaOf = (inner: fc.Arbitrary<JsonObject>) =>
  fc.record(
    {
      type: mostly(fc.constantFrom('object', 'array', 'string', 'number', 'integer', ['string', 'null'], [])),
      enum: mostly(fc.array(scalar, { maxLength: 3 })),
      minimum: mostly(fc.integer({ min: -2, max: 2 })),
      maximum: mostly(fc.integer({ min: -2, max: 2 })),
      minLength: mostly(fc.nat(2)),
      maxLength: mostly(fc.nat(2)),
      items: mostly(inner),
      properties: mostly(named(inner)),
      required: mostly(fc.array(fc.constantFrom(...NAMES), { maxLength: 2 })),
      additionalProperties: mostly(fc.boolean()),
      anyOf: mostly(fc.array(inner, { maxLength: 2 })),
      description: mostly(fc.string()),
      format: mostly(fc.constant('uri')),
      $schema: mostly(fc.constant('http://json-schema.org/draft-07/schema#')),
      not: inner,
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<JsonObject>
const anything = fc.constant<JsonObject>({})
const schema = fc.oneof(anything, schemaOf(fc.oneof(anything, schemaOf(anything))))
const given = fc.record({ properties: named(schema), more: fc.oneof(anything, schema) })
const values = named(value)

describe('arguments that obviously match a schema', () => {
  test('match it for the compiler too', () => {
    let plain = 0
    fc.assert(
      fc.property(given, values, ({ properties, more }, args) => {
        const whole = tool(properties, more)
        const fits = plainlyFits(whole, args)
        plain += Number(fits)
        expect(fits && !fitsCompiled(whole, args)).toBe(false)
      }),
      { numRuns: 2000 },
    )
    expect(plain).toBeGreaterThan(100)
  })

  test.each<[string, JsonObject, JsonObject]>([
    [
      'a text',
      tool({ message: { type: 'string', description: 'Message' } }, { required: ['message'] }),
      { message: '' },
    ],
    ['a choice', tool({ kind: { type: 'string', enum: ['x', 'y'], default: 'x' } }), { kind: 'y' }],
    ['one left out', tool({ count: { type: 'number', minimum: 1, maximum: 10 } }), {}],
    ['a list', tool({ names: { type: 'array', items: { type: 'string', minLength: 1 } } }), { names: ['a', 'b'] }],
    ['none or one', tool({ at: { anyOf: [{ type: 'integer' }, { type: 'null' }] } }), { at: null }],
    ['no arguments', tool({}, { additionalProperties: false }), {}],
  ])('need no compiler for %s', (_, whole, args) => {
    expect(plainlyFits(whole, args)).toBe(true)
    expect(fitsCompiled(whole, args)).toBe(true)
  })

  test.each<[string, JsonObject, JsonObject]>([
    ['of another type', tool({ a: { type: 'number' } }), { a: '1' }],
    ['left out', tool({ a: {} }, { required: ['a'] }), {}],
    ['not among them', tool({}, { additionalProperties: false }), { a: 1 }],
    ['behind a pattern', tool({ a: { pattern: 'x' } }), { a: 'x' }],
    ['of a schema that is none', tool({ a: { description: 1 } }), {}],
  ])('do not include one that is %s, which the compiler checks', (_, whole, args) => {
    expect(plainlyFits(whole, args)).toBe(false)
  })
})
