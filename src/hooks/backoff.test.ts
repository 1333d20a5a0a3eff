import { expect, test } from 'vitest'
import { backoff } from './backoff.ts'
import { LONG_REST, REST, restedPause } from './use-poll.ts'

/** A query whose answers say what is given, each after the pause that the one before asked for. */
function pauses(answers: readonly unknown[], interval = 1000): number[] {
  const query = { state: { data: undefined as unknown, dataUpdateCount: 0 } }
  return answers.map(data => {
    query.state = { data, dataUpdateCount: query.state.dataUpdateCount + 1 }
    return backoff(query, interval)
  })
}

test('what stays the same is asked for half as often, until it changes', () => {
  expect(pauses(['a', 'a', 'a', 'a', 'a', 'a', 'a', 'b', 'b'])).toEqual([
    1000, 1000, 1000, 1000, 1000, 2000, 2000, 1000, 1000,
  ])
})

test('what stays the same for long is asked for every four seconds at the most often', () => {
  const same = Array.from({ length: 12 }, () => 'a')
  expect(pauses(same).slice(-2)).toEqual([4000, 4000])
  expect(pauses(same, 1500).at(-1)).toBe(4000)
  expect(pauses(same, 3000).at(-1)).toBe(6000)
})

test('what changes with every answer is asked for as often as ever', () => {
  expect(new Set(pauses(Array.from({ length: 20 }, (_, index) => index)))).toEqual(new Set([1000]))
})

test('being asked twice about one answer counts nothing', () => {
  const query = { state: { data: 'a', dataUpdateCount: 1 } }
  expect(Array.from({ length: 9 }, () => backoff(query, 1000))).toEqual(Array.from({ length: 9 }, () => 1000))
})

test.each([1000, 2667])(
  'where nobody is, the end of a run is looked for every twenty seconds, whatever stays the same (%i)',
  interval => {
    const same = Array.from({ length: 12 }, () => 'a')
    expect(new Set(pauses(same, restedPause(interval, REST, false)))).toEqual(new Set([20_000]))
    expect(restedPause(22_000, REST, false)).toBe(22_000)
    expect(restedPause(interval, LONG_REST, true)).toBe(interval * LONG_REST)
  },
)
