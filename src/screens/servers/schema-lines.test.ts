import { expect, test } from 'vitest'
import { plainText } from '../../components/viewer/source.ts'
import { plainSchemas } from '../../lib/json-schema/plain-schema.ts'
import { isPlainObject, type JsonObject } from '../../lib/json.ts'
import { schemaLines, schemaType } from './schema-lines.ts'

function drawn(schema: JsonObject | undefined): string[] {
  return schemaLines(schema).map(plainText)
}

function typeOf(schema: unknown): string {
  const read = plainSchemas(isPlainObject(schema) ? schema : {})
  return schemaType(read(schema), read)
}

test('types are given in words', () => {
  expect(typeOf({ type: 'array', items: { type: 'string' } })).toBe('string[]')
  expect(typeOf({ enum: ['a', 1] })).toBe('"a" | 1')
  expect(typeOf({ anyOf: [{ type: 'string' }, { type: 'null' }, { type: 'string' }] })).toBe('string | null')
  expect(typeOf({ type: ['string', 'null'] })).toBe('string | null')
  expect(typeOf({ $ref: '#/$defs/Color', $defs: { Color: { enum: ['red', 'green'] } } })).toBe('"red" | "green"')
  expect(typeOf({ oneOf: [{ const: 's', title: 'Small' }, { const: 'l' }] })).toBe('"s" (Small) | "l"')
  expect(typeOf({ type: 'array', prefixItems: [{ type: 'string' }, { type: ['null', 'number'] }] })).toBe(
    '[string, number | null]',
  )
  expect(typeOf(true)).toBe('any')
})

test('properties are shown with type, requirement, limits, description and nested properties', () => {
  const schema = {
    type: 'object',
    properties: {
      count: { type: 'number', minimum: 1, default: 3, description: 'How many\nlinks' },
      at: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
    required: ['count'],
  }
  expect(drawn(schema)).toEqual([
    '  count  number  required',
    '    at least 1, default 3',
    '    How many',
    '    links',
    '  at  object',
    '    city  string  required',
  ])
})

test('an empty, a missing and an endless schema are shown', () => {
  expect(drawn({ type: 'object', properties: {} })).toEqual(['  Takes no arguments.'])
  expect(drawn({ type: 'object', additionalProperties: false })).toEqual(['  Takes no arguments.'])
  expect(drawn({ type: 'object' })).toEqual(['  Names no arguments; any JSON object is accepted.'])
  expect(drawn(undefined)).toEqual(['  The server gave no input schema.'])
  const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`p${index}`, { type: 'string' }]))
  expect(drawn({ properties: many }).at(-1)).toMatch(/more lines in the raw JSON/)
  let deep: JsonObject = { type: 'string' }
  for (let depth = 0; depth < 5_000; depth += 1) deep = { type: 'object', properties: { x: deep } }
  expect(drawn(deep).length).toBeLessThan(10)
})
