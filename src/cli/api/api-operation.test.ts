import { expect, test } from 'vitest'
import { findOperation, putAll, type JsonSchema } from './api-operation.ts'

const text = { type: 'string' }
const number = { type: 'number' }

const put = (path: string[], value: string, schema: JsonSchema) => putAll({}, [[path, value]], schema)
const list = (items: JsonSchema) => ({ properties: { a: { type: 'array', items } } })

test.each<[string, JsonSchema, unknown]>([
  ['a text', { properties: { a: text } }, '1'],
  ['a number', { properties: { a: number } }, 1],
  ['nothing', {}, 1],
  ['a text in a branch of oneOf', { oneOf: [{ properties: { a: text } }, { properties: { b: text } }] }, '1'],
  ['a text in a branch of anyOf', { properties: {}, anyOf: [{ properties: { a: text } }] }, '1'],
  ['a text in a part of allOf', { allOf: [{ properties: { b: number } }, { properties: { a: text } }] }, '1'],
  ['a number in a branch', { oneOf: [{ properties: { a: number } }] }, 1],
  ['a text elsewhere', { properties: { a: { $ref: '#/$defs/a~1b' } }, $defs: { 'a/b': text } } as JsonSchema, '1'],
  ['texts without a type', { properties: { a: { enum: ['1', '2'] } } }, '1'],
  ['one text', { properties: { a: { const: '1' } } }, '1'],
  [
    'a branch of a branch',
    { anyOf: [{ $ref: '#/$defs/x' }], $defs: { x: { properties: { a: text } } } } as object,
    '1',
  ],
  ['a reference to itself', { $ref: '#', properties: { a: { $ref: '#/properties/a' } } }, 1],
])('a=1 becomes a value of the declared type if the schema declares %s', (_, schema, value) => {
  expect(put(['a'], '1', schema)).toEqual({ a: value })
  expect(put(['in', 'a'], '1', { ...schema, properties: { in: schema } })).toEqual({ in: { a: value } })
})

test('an inherited property of JavaScript objects is not part of a schema', () => {
  expect(put(['constructor'], '1', { properties: {} })).toEqual({ constructor: 1 })
})

test('null is null if the schema allows it, and text if it allows only text', () => {
  const nullable = { properties: { a: { anyOf: [text, { type: 'null' }] } } }
  expect(put(['a'], 'null', nullable)).toEqual({ a: null })
  expect(put(['a'], 'nul', nullable)).toEqual({ a: 'nul' })
  expect(put(['a'], 'null', { properties: { a: text } })).toEqual({ a: 'null' })
})

test('a repeated field is a list, and is refused if the schema has none', () => {
  const twice = (schema: JsonSchema) =>
    putAll(
      {},
      [
        [['in', 'a'], '1'],
        [['in', 'a'], '2'],
      ],
      { properties: { in: schema } },
    )
  expect(twice(list(number))).toEqual({ in: { a: [1, 2] } })
  expect(twice(list(text))).toEqual({ in: { a: ['1', '2'] } })
  expect(() => twice({ properties: { a: number } })).toThrow('"a" is given twice, and is no list.')
})

test('a single text is the only item of a list, or the whole list as JSON', () => {
  expect(put(['a'], 'x', list(text))).toEqual({ a: ['x'] })
  expect(put(['a'], '7', list(number))).toEqual({ a: [7] })
  expect(put(['a'], '[7,8]', list(number))).toEqual({ a: [7, 8] })
})

test('a field that is given whole accepts no separate parts', () => {
  const fields = [
    [['a'], '{"b":1}'],
    [['a', 'b'], '2'],
  ] as const
  expect(() => putAll({}, fields, {})).toThrow('"a" is given whole, and "a.b" within it.')
})

test('a path that is not percent-encoded is refused with a sentence', () => {
  expect(() => findOperation(['GET', '/projects/%zz/servers'])).toThrow(
    '"%zz" in the path is not percent-encoded; write a percent sign as %25.',
  )
  expect(findOperation(['GET', '/projects/50%25/servers']).fields).toEqual({ projectId: '50%' })
})
