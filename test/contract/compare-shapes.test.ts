import { expect, test } from 'vitest'
import { compareInput, compareOutput } from './compare-shapes.ts'
import { type JsonSchema, shapeOf } from './json-shape.ts'

const read = (schema: JsonSchema) => shapeOf(schema, part => part)
const object = (properties: JsonSchema, required: string[] = [], more: JsonSchema = {}) => ({
  type: 'object',
  properties,
  required,
  ...more,
})
const text = { type: 'string' }
const strict = { additionalProperties: false }

const input = (documented: JsonSchema, declared: JsonSchema) => compareInput('body', read(documented), read(declared))
const output = (documented: JsonSchema, declared: JsonSchema) =>
  compareOutput('response', read(documented), read(declared))

test('equal shapes have no differences', () => {
  const schema = object({ name: { ...text, minLength: 1 }, kind: { enum: ['a', 'b'] } }, ['name'], strict)
  expect(input(schema, schema)).toEqual([])
})

test('shapes of a body differ in their fields, in what is required, and in strictness', () => {
  const documented = object({ name: text, note: text }, ['name'], strict)
  expect(input(documented, object({ name: text, extra: text }))).toEqual([
    'body: takes undeclared fields, documented as strict',
    'body.name: required only as documented',
    'body.note: only documented',
    'body.extra: only declared',
  ])
})

test.each([
  [{ type: 'integer' }, { type: 'number' }, 'body: number, documented as integer'],
  [text, { type: ['string', 'null'] }, 'body: null or string, documented as string'],
  [{ ...text, enum: ['a', 'b'] }, { ...text, enum: ['a'] }, 'body: values b only documented'],
  [{ ...text, maxLength: 5 }, text, 'body: maxLength unbounded, documented as 5'],
  [{ type: 'object' }, object({ a: text }), 'body: fields declared, documented as open'],
  [
    { type: 'array', items: { type: 'integer', minimum: 0 } },
    { type: 'array', items: { type: 'integer' } },
    'body[]: minimum unbounded, documented as 0',
  ],
])('shapes of a body differ in their rules: %j, %j', (documented, declared, expected) => {
  expect(input(documented, declared)).toEqual([expected])
})

test('all ways to write an optional null are equal', () => {
  const ways: JsonSchema[] = [
    { type: ['string', 'null'] },
    { type: 'string', nullable: true },
    { anyOf: [text, { type: 'null' }] },
    { allOf: [text], nullable: true },
  ]
  for (const way of ways) expect(input({ type: ['string', 'null'] }, way)).toEqual([])
})

test('a field of alternatives is required only if all of them require it', () => {
  const either = {
    anyOf: [object({ a: text, c: text }, ['a', 'c'], strict), object({ b: text, c: text }, ['b', 'c'], strict)],
  }
  expect(input(object({ a: text, b: text, c: text }, ['c'], strict), either)).toEqual([])
})

test('alternatives that only name required fields change nothing', () => {
  const one = object({ a: text, b: text })
  expect(input({ ...one, oneOf: [{ required: ['a'] }, { required: ['b'] }] }, one)).toEqual([])
})

test('our declaration of an answer may be looser than the document', () => {
  const documented = object({ id: text, at: { type: 'integer' }, kind: { ...text, enum: ['a'] } }, ['id', 'at', 'kind'])
  const declared = object({ id: text, at: { type: ['number', 'string', 'null'] }, kind: text }, ['id'])
  expect(output(documented, declared)).toEqual([])
})

test('our declaration of an answer must not refuse what the document allows', () => {
  const documented = object({ id: text, name: { type: ['string', 'null'] }, kind: { ...text, enum: ['a'] } }, ['id'])
  const declared = object(
    { id: text, name: text, kind: { ...text, enum: ['a'] }, other: text },
    ['id', 'name', 'other'],
    strict,
  )
  expect(output(documented, declared)).toEqual([
    'response: refuses undeclared fields',
    'response.name: required, documented as optional',
    'response.name: refuses null',
    'response.kind: refuses unknown values',
    'response.other: not documented, yet required',
  ])
})

test('known values of an answer are those of the document', () => {
  const known = { ...text, values: ['a', 'b'] }
  expect(output({ ...text, enum: ['a', 'b'] }, known)).toEqual([])
  expect(output({ ...text, enum: ['a'] }, known)).toEqual(['response: values b only declared'])
})
