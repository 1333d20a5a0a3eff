import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  canonicalJson,
  excessOf,
  hasMoreLevels,
  MAX_STORED_LEVELS,
  parseExact,
  parseStored,
  parseWritten,
  textHasMoreLevels,
  TOO_DEEP,
} from './json.ts'

/** Returns nested lists of this depth. */
const lists = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const objects = (levels: number) => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels)

test('the number of levels counted in a text is that of the parsed JSON', () => {
  const levels = fc.integer({ min: 0, max: 8 })
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), levels, fc.boolean(), (value, most, indented) => {
      const text = JSON.stringify(value, null, indented ? 2 : 0)
      expect(textHasMoreLevels(text, most)).toBe(hasMoreLevels(JSON.parse(text), most))
    }),
  )
})

test('the number of values counted in a text is that of the parsed JSON', () => {
  const countOf = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? Object.values(value).reduce<number>((sum, inner) => sum + countOf(inner), 1)
      : 1
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(40), fc.boolean(), (value, values, indented) => {
      const text = JSON.stringify(value, null, indented ? 2 : 0)
      const isMore = countOf(JSON.parse(text)) > values
      expect(excessOf(text, { levels: 100, values })).toBe(isMore ? 'values' : undefined)
    }),
  )
})

test('brackets in strings are not counted as levels, whatever is escaped', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('[', '{', '"', '\\', ']', 'a') }), text => {
      expect(textHasMoreLevels(JSON.stringify([text]), 1)).toBe(false)
      expect(textHasMoreLevels(JSON.stringify({ [text]: [text] }), 1)).toBe(true)
    }),
  )
})

test.each([lists, objects])('a million levels are counted without a deep stack', make => {
  expect(textHasMoreLevels(make(1_000_000), 1000)).toBe(true)
  expect(textHasMoreLevels(make(1000), 1000)).toBe(false)
})

test.each([lists, objects])('stored documents keep all levels up to the limit, and say where they were cut', make => {
  const whole = make(MAX_STORED_LEVELS)
  expect(JSON.stringify(parseStored(whole))).toBe(whole)
  const kept = JSON.stringify(parseStored(make(MAX_STORED_LEVELS + 1)))
  expect(kept).toContain(TOO_DEEP)
  expect(textHasMoreLevels(kept, MAX_STORED_LEVELS)).toBe(false)
  expect(JSON.stringify(parseStored(make(100_000)))).toBe(kept)
})

test('numbers too large for a double are written back as the same numbers, never as null', () => {
  const digits = fc.integer({ min: 1, max: 9_999 })
  fc.assert(
    fc.property(
      fc.boolean(),
      digits,
      fc.nat(999),
      fc.integer({ min: 310, max: 900 }),
      (isMinus, whole, part, power) => {
        const text = `${isMinus ? '-' : ''}${whole}.${String(part).padStart(3, '0')}e${power}`
        const written = JSON.stringify(parseExact(`{"n":[1,${text}]}`))
        const number = BigInt(text.replace(/\.|e.*/g, '')) * 10n ** BigInt(power - 3)
        expect(written).toBe(`{"n":[1,${number}]}`)
      },
    ),
  )
})

test('integers of any length are written back unchanged', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), number => {
      const value = Number.isSafeInteger(Number(number)) ? Number(number) : number
      const text = `{"a":[${number}],"b":"${number}"}`
      for (const parse of [parseExact, parseWritten, parseStored]) {
        expect(parse(text)).toEqual({ a: [value], b: String(number) })
        expect(JSON.stringify(parse(text))).toBe(text)
        expect(canonicalJson(parse(text))).toContain(`[${number}]`)
      }
    }),
  )
  fc.assert(
    fc.property(fc.json(), text => {
      expect(JSON.stringify(parseWritten(text))).toBe(JSON.stringify(JSON.parse(text)))
    }),
  )
})

test.each([
  ['1000000000000000000000000', 10n ** 24n],
  ['3.14159265358979323846', Math.PI],
  ['"9007199254740993"', '9007199254740993'],
  ['1234567890123456789012345', 1234567890123456789012345n],
  ['-1e400', 'none that JSON can hold'],
  ['{"a": [1e400]}', 'none that JSON can hold'],
])('the number in %s is kept exactly or refused', (text, expected) => {
  if (typeof expected !== 'string' || text.startsWith('"')) expect(parseWritten(text)).toBe(expected)
  else expect(() => parseWritten(text)).toThrow(expected)
})
