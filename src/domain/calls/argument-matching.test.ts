import fc from 'fast-check'
import { expect, test } from 'vitest'
import { argumentsMatch, differingArguments } from './argument-changes.ts'

const WORDS = ['any', 'string', 'number', 'boolean', 'object', 'array', 'null']

test.each([
  ['any', null, true],
  ['any', 'x', true],
  ['string', 'x', true],
  ['string', 1, false],
  ['number', 1, true],
  ['number', '1', false],
  ['number', 'number', false],
  ['boolean', false, true],
  ['object', {}, true],
  ['object', [], false],
  ['object', null, false],
  ['array', [], true],
  ['array', {}, false],
  ['null', null, true],
  ['null', 'null', false],
  ['String', 'x', false],
  ['toString', 'toString', true],
])('with partial matching, the placeholder %s accepts %j: %s', (word, actual, matches) => {
  expect(argumentsMatch({ a: word }, { a: actual }, 'partial')).toBe(matches)
})

test.each(WORDS)('an argument that is missing matches no placeholder: %s', word => {
  expect(argumentsMatch({ a: word }, {}, 'partial')).toBe(false)
})

test('exact matching has no placeholders, and compares nested values in any order of keys', () => {
  expect(argumentsMatch({ a: 'any' }, { a: 1 }, 'exact')).toBe(false)
  expect(argumentsMatch({ a: { x: 1, y: [2] } }, { a: { y: [2], x: 1 } }, 'exact')).toBe(true)
  expect(argumentsMatch({ a: [1, 2] }, { a: [2, 1] }, 'exact')).toBe(false)
  expect(argumentsMatch({}, { a: null }, 'exact')).toBe(false)
  expect(argumentsMatch(JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":2}'), 'exact')).toBe(false)
})

test('partial matching compares a nested value as a whole', () => {
  expect(argumentsMatch({ a: { x: 1 } }, { a: { x: 1, y: 2 } }, 'partial')).toBe(false)
})

test('a mismatch names the arguments that differ', () => {
  expect(differingArguments({ b: 1, a: 'x', c: 2 }, { c: 2, b: 2, d: 0 }, 'partial')).toEqual(['a', 'b'])
  expect(differingArguments({ b: 1, a: 'x', c: 2 }, { c: 2, b: 2, d: 0 }, 'exact')).toEqual(['a', 'b', 'd'])
  expect(differingArguments({ b: 1 }, {}, 'ignore')).toEqual([])
})

const args = fc.dictionary(
  fc.string(),
  fc.jsonValue().filter(value => typeof value !== 'string' || !WORDS.includes(value)),
)

test('arguments that match exactly also match partially, except for placeholders', () => {
  fc.assert(
    fc.property(args, args, (expected, actual) => {
      if (argumentsMatch(expected, actual, 'exact')) expect(argumentsMatch(expected, actual, 'partial')).toBe(true)
      expect(argumentsMatch(expected, structuredClone(expected), 'exact')).toBe(true)
      expect(argumentsMatch(expected, { ...actual, ...expected }, 'partial')).toBe(true)
    }),
  )
})
