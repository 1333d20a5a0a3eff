import '../../../test/property-seed.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HOURS, hoursOf } from './hours.ts'

const HOUR = 3_600_000
const NOW = 1000 * HOUR + 5

test('sessions count in the hour in which they began, and not at all if that is unknown', () => {
  const times = [NOW, NOW - 5, NOW - 6, NOW - 3 * HOUR]
  const { counts, at } = hoursOf(times, NOW, true)
  expect(counts.slice(-4)).toEqual([1, 0, 1, 2])
  expect(counts.slice(0, -4).every(count => count === 0)).toBe(true)
  expect(at(NOW)).toBe(HOURS - 1)
  expect(hoursOf(times, NOW, false).counts.slice(-5)).toEqual([undefined, undefined, 0, 1, 2])
  expect(hoursOf([], NOW, false).counts.every(count => count === undefined)).toBe(true)
})

test('any time is counted at most once, and every time within the hours is counted', () =>
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.integer({ min: 0, max: 2000 * HOUR }), fc.double())), times => {
      const { counts } = hoursOf(times, NOW, true)
      expect(counts).toHaveLength(HOURS)
      const within = times.filter(time => time >= (1001 - HOURS) * HOUR && time < 1001 * HOUR)
      expect(counts.reduce<number>((sum, count) => sum + (count ?? 0), 0)).toBe(within.length)
    }),
  ))
