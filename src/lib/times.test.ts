import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as times from './times.ts'

const AT = Date.parse('2026-11-21T17:42:10.123Z')
const { IMPOSSIBLE_TIME } = times
/** All functions that format a time, and the format of each. */
const FORMATS: readonly (readonly [(at: number) => string, RegExp])[] = [
  [times.isoTime, /^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/],
  [times.isoSeconds, /^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/],
  [times.utcTime, /^[+-]?\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/],
  [at => times.utcTime(at, 'minutes'), /^[+-]?\d{4,6}-\d\d-\d\d \d\d:\d\d UTC$/],
  [times.utcDay, /^[+-]?\d{4,6}-\d\d-\d\d$/],
  [times.utcClock, /^\d\d:\d\d:\d\d$/],
  [times.localClock, /^\d\d:\d\d$/],
  [at => times.localClock(at, 'seconds'), /^\d\d:\d\d:\d\d$/],
  [times.localDay, /^-?\d{1,6}-\d\d-\d\d$/],
  [times.localTime, /^-?\d{1,6}-\d\d-\d\d \d\d:\d\d$/],
  [at => times.localMoment(at, AT), /^(?:-?\d{1,6}-\d\d-\d\d )?\d\d:\d\d$/],
]
const time = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(8.64e15, -8.64e15, 8.64e15 + 1, -8.64e15 - 1, 1.7e18, NaN, Infinity, -Infinity, -0, 8.64e15 + 0.5),
  fc.double({ min: -8.64e15, max: 8.64e15 }),
)

test('any number is formatted as a valid time or as impossible; nothing throws', () => {
  fc.assert(
    fc.property(time, at => {
      const isPossible = !Number.isNaN(new Date(at).getTime())
      for (const [format, shape] of FORMATS)
        if (isPossible) expect(format(at)).toMatch(shape)
        else expect(format(at)).toBe(IMPOSSIBLE_TIME)
    }),
    { numRuns: 500 },
  )
})

test('a time in UTC is the same for every reader', () => {
  expect(times.isoTime(AT)).toBe('2026-11-21T17:42:10.123Z')
  expect(times.isoSeconds(AT)).toBe('2026-11-21T17:42:10Z')
  expect(times.utcTime(AT)).toBe('2026-11-21 17:42:10 UTC')
  expect(times.utcTime(AT, 'minutes')).toBe('2026-11-21 17:42 UTC')
  expect(times.utcDay(AT)).toBe('2026-11-21')
  expect(times.utcClock(AT)).toBe('17:42:10')
})

test('a moment of another day names that day', () => {
  const clock = times.localClock(AT)
  expect(times.localMoment(AT, AT + 1)).toBe(clock)
  expect(times.localMoment(AT, AT + 30 * 86_400_000)).toBe(`${times.localDay(AT)} ${clock}`)
})
