import fc from 'fast-check'
import { expect, test } from 'vitest'
import { greatest, least } from './extremes.ts'

test('the extremes of numbers are those of a call with all of them', () => {
  fc.assert(
    fc.property(fc.array(fc.double()), numbers => {
      expect(least(numbers)).toBe(Math.min(...numbers))
      expect(greatest(numbers)).toBe(Math.max(...numbers))
    }),
  )
})

test('there may be more numbers than a call takes arguments', () => {
  const many = Array.from({ length: 1_000_000 }, (_, at) => at)
  expect(() => Math.max(...many)).toThrow(RangeError)
  expect([least(many), greatest(many)]).toEqual([0, 999_999])
})
