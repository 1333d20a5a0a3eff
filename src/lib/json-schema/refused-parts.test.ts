import fc from 'fast-check'
import { expect, test } from 'vitest'
import { refusedParts } from './refused-parts.ts'

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const text = { type: 'string' }

test.each<[string, object, string, string]>([
  ['a choice at the root', object({}, { anyOf: [{ required: ['a'] }] }), 'root-choice', ''],
  ['conditions at the root', object({}, { allOf: [{ required: ['a'] }] }), 'root-choice', ''],
  ['an exclusion at the root', object({}, { not: { required: ['a'] } }), 'root-exclusion', ''],
  ['an object without properties at the root', { type: 'object' }, 'no-properties', ''],
  ['an argument with a sign in its name', object({ $top: text }), 'argument-name', '/properties/$top'],
  ['a long name of an argument', object({ ['n'.repeat(65)]: text }), 'argument-name', `/properties/${'n'.repeat(65)}`],
  ['a list without items', object({ a: { type: 'array' } }), 'no-items', '/properties/a'],
  [
    'a list without items in a definition',
    object({ a: { $ref: '#/$defs/b' } }, { $defs: { b: { type: ['array'] } } }),
    'no-items',
    '/$defs/b',
  ],
  ['items in their order', object({ a: { type: 'array', items: [text] } }), 'item-list', '/properties/a'],
  ['a property that may be anything', object({ a: true }), 'boolean-property', '/properties/a'],
  [
    'a property deep within that may not be',
    object({ a: { anyOf: [object({ 'b/c': false })] } }),
    'boolean-property',
    '/properties/a/anyOf/0/properties/b~1c',
  ],
  ['choices that are numbers', object({ a: { type: 'integer', enum: [1, 2] } }), 'enum-value', '/properties/a'],
  ['two types', object({ a: { type: ['string', 'null'] } }), 'several-types', '/properties/a'],
])('a part that some clients refuse is found: %s', (_, schema, refused, pointer) => {
  expect(refusedParts(schema)).toEqual([{ refused, pointer }])
})

test('each kind is reported once, at its first position', () => {
  const schema = object({ a: { type: 'array' }, b: { type: 'array' }, c: { enum: [1] }, d: { enum: [2] } })
  expect(refusedParts(schema)).toEqual([
    { refused: 'no-items', pointer: '/properties/a' },
    { refused: 'enum-value', pointer: '/properties/c' },
  ])
})

test.each<[string, object]>([
  ['a choice within an argument', object({ a: { anyOf: [text, { type: 'null' }] } })],
  ['an object within that has no properties', object({ a: { type: 'object', additionalProperties: true } })],
  ['a list of anything', object({ a: { type: 'array', items: {} } })],
  ['a sign in a name within an argument', object({ a: object({ $top: text }) })],
  ['choices that are text or null', object({ a: { type: 'string', enum: ['x', null] } })],
  ['one type in a list of types', object({ a: { type: ['string'] } })],
  ['a definition that nothing refers to', object({ a: text }, { $defs: { b: { type: 'array' } } })],
  ['a schema that holds itself', object({ a: { $ref: '#' }, b: { $ref: '#/properties/a' } })],
  ['an argument that is called as a keyword', object({ items: text, anyOf: text, enum: text, type: text })],
])('a part that clients accept is not refused: %s', (_, schema) => {
  expect(refusedParts(schema)).toEqual([])
})

/** Generates schemas that every client accepts. */
const { schema: portable } = fc.letrec<{ schema: object }>(tie => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom({ type: 'string' }, { type: 'number', minimum: 0 }, { type: 'string', enum: ['a', 'b'] }, {}),
    fc.record({ type: fc.constant('array'), items: tie('schema') }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }), description: fc.string() }),
    fc
      .dictionary(fc.stringMatching(/^[\w.-]{1,64}$/), tie('schema'), { maxKeys: 4 })
      .map(properties => ({ type: 'object', properties, additionalProperties: false })),
  ),
}))

test('a schema of parts that every client accepts is not refused', () => {
  const root = fc.dictionary(fc.stringMatching(/^[\w.-]{1,64}$/), portable, { maxKeys: 5 })
  fc.assert(
    fc.property(root, properties => {
      expect(refusedParts(object(properties))).toEqual([])
    }),
  )
})

test('one refused part among others is found wherever it is', () => {
  const refused = fc.constantFrom(
    ['no-items', { type: 'array' }] as const,
    ['enum-value', { enum: [true] }] as const,
    ['several-types', { type: ['string', 'number'] }] as const,
    ['item-list', { type: 'array', items: [] }] as const,
  )
  const around = fc.constantFrom<(part: object) => object>(
    part => object({ inner: part }),
    part => ({ type: 'array', items: part }),
    part => ({ anyOf: [text, part] }),
    part => ({ type: 'object', additionalProperties: part }),
  )
  fc.assert(
    fc.property(refused, fc.array(around, { maxLength: 6 }), portable, ([kind, part], wraps, beside) => {
      const wrapped = wraps.reduce<object>((inner, wrap) => wrap(inner), part)
      expect(refusedParts(object({ beside, wrapped })).map(each => each.refused)).toEqual([kind])
    }),
  )
})

test('any value can be searched for refused parts', () => {
  fc.assert(fc.property(fc.anything({ withNullPrototype: false }), schema => void refusedParts(schema)))
})
