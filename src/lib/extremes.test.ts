import fc from 'fast-check'
import { expect, test } from 'vitest'
import { greatest, least } from './extremes.ts'

test('the extremes of a list equal those of a single Math.min or Math.max call', () => {
  fc.assert(
    fc.property(fc.array(fc.double()), numbers => {
      expect(least(numbers)).toBe(Math.min(...numbers))
      expect(greatest(numbers)).toBe(Math.max(...numbers))
    }),
  )
})

test('extremes can be found of more numbers than a call can have arguments', () => {
  const many = Array.from({ length: 1_000_000 }, (_, at) => at)
  expect(() => Math.max(...many)).toThrow(RangeError)
  expect([least(many), greatest(many)]).toEqual([0, 999_999])
})
