import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPace, FULL_PACE, nextPace, type PaceState } from './pace.ts'

const after = (times: readonly number[], from: PaceState = FULL_PACE): PaceState => times.reduce(nextPace, from)
const anyTimes = fc.array(fc.double({ min: 0, max: 2_000, noNaN: true }))

test('a fast connection is never throttled, even after a single slow write', () => {
  const quick = fc.double({ min: 0, max: 20, maxExcluded: true, noNaN: true })
  fc.assert(
    fc.property(fc.array(quick), fc.array(quick, { minLength: 1 }), fc.nat(2_000), (before, then, once) => {
      expect(after([...before, once, ...then]).level).toBe(0)
    }),
  )
})

test('a connection that stays slow is soon throttled, and one that stays fast soon is not', () => {
  fc.assert(
    fc.property(anyTimes, before => {
      expect(after([...before, 70, 70]).level).toBeGreaterThanOrEqual(1)
      expect(after([...before, 300, 300]).level).toBe(2)
      expect(after([...before, ...Array.from({ length: 40 }, () => 1)]).level).toBe(0)
    }),
  )
})

test('the level rises with a slow write, and falls one step after twenty fast ones', () => {
  fc.assert(
    fc.property(anyTimes, times => {
      let state = FULL_PACE
      for (const [index, time] of times.entries()) {
        const next = nextPace(state, time)
        if (next.level > state.level) expect(time).toBeGreaterThanOrEqual(60)
        if (next.level < state.level) {
          expect(state.level - next.level).toBe(1)
          expect(times.slice(index - 19, index + 1).every(each => each < 20)).toBe(true)
        }
        state = next
      }
    }),
  )
})

test('listeners are notified of changes only', () => {
  const pace = createPace()
  const heard: number[] = []
  const stop = pace.subscribe(() => heard.push(pace.level()))
  for (const time of [1, 100, 100, 100, 400, 400, ...Array.from({ length: 60 }, () => 1)]) pace.written(9, time)
  expect(heard).toEqual([1, 2, 1, 0])
  stop()
  pace.written(9, 400)
  pace.written(9, 400)
  expect(heard).toHaveLength(4)
})
