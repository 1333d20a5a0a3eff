import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatAge, formatCount, UNKNOWN } from './format.ts'

test('counts have English separators, and whole ones need no language data', () => {
  const counts = [0, 7, -7, 999, 1000, -1000, 12_345, 100_000, 1_234_567, Number.MAX_SAFE_INTEGER, 1e21, 1234.5]
  const english = new Intl.NumberFormat('en-US')
  expect(counts.map(formatCount)).toEqual(counts.map(count => english.format(count)))
  expect([formatCount(undefined), formatCount(null)]).toEqual([UNKNOWN, UNKNOWN])
})

test('an age has the coarsest unit that fits, up to years', () => {
  const [minute, hour, day, year] = [60_000, 3_600_000, 86_400_000, 365 * 86_400_000]
  const ages = [0, minute - 1, minute, 90 * minute, 26 * hour, 364 * day, 3 * year, 56 * year]
  expect(ages.map(age => formatAge(0, age))).toEqual(['now', 'now', '1m', '1h', '1d', '364d', '3y', '56y'])
  expect([formatAge(undefined, 0), formatAge(Number.NaN, 0)]).toEqual([UNKNOWN, UNKNOWN])
})

test('no valid age is wider than a column of four', () => {
  const now = Date.UTC(2026, 0, 1)
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date(Date.UTC(9999, 0, 1)), noInvalidDate: true }), then => {
      expect(formatAge(then.getTime(), now).length).toBeLessThanOrEqual(4)
    }),
  )
})
