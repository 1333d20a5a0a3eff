import fc from 'fast-check'
import { expect, test } from 'vitest'
import { caseDurations, shardsOf } from './shards.ts'

const caseOf = fc.record({ id: fc.uuid(), title: fc.constantFrom('a', 'b', 'c', 'd') })
const cases = fc.uniqueArray(caseOf, { maxLength: 30, selector: ({ id }) => id })
const timed = cases.chain(all =>
  fc.record({
    all: fc.constant(all),
    mixed: fc.shuffledSubarray(all, { minLength: all.length }),
    times: fc.array(fc.option(fc.nat(100_000), { nil: undefined }), { minLength: all.length, maxLength: all.length }),
  }),
)

test('each case is in one shard, the same on every machine, and no shard is much longer than the mean', () => {
  fc.assert(
    fc.property(timed, fc.integer({ min: 1, max: 12 }), ({ all, mixed, times }, count) => {
      const durations = new Map(
        all.flatMap(({ id }, at) => (times[at] === undefined ? [] : [[id, times[at]] as const])),
      )
      const shards = shardsOf(all, durations, count)
      expect(shards).toHaveLength(count)
      expect(
        shards
          .flat()
          .map(({ id }) => id)
          .sort(),
      ).toEqual(all.map(({ id }) => id).sort())
      expect(shardsOf(mixed, durations, count)).toEqual(shards)
      const known = [...durations.values()].sort((a, b) => a - b)
      const median = known[Math.floor(known.length / 2)] ?? 0
      const timeOf = (some: typeof all) => some.reduce((sum, { id }) => sum + (durations.get(id) ?? median), 0)
      const longest = Math.max(0, ...all.map(each => timeOf([each])))
      for (const shard of shards) expect(timeOf(shard)).toBeLessThanOrEqual(timeOf(all) / count + longest)
    }),
  )
})

test('cases without known durations are spread by their number', () => {
  const all = ['a', 'b', 'c', 'd', 'e'].map(title => ({ id: title, title }))
  expect(shardsOf(all, new Map(), 3).map(shard => shard.map(({ id }) => id))).toEqual([['a', 'd'], ['b', 'e'], ['c']])
})

test('a long case has a shard to itself, and an unknown one counts as the median', () => {
  const all = ['long', 'short', 'mid', 'new'].map(title => ({ id: title, title }))
  const durations = caseDurations([
    { testCaseId: 'long', durationMs: 30 },
    { testCaseId: 'long', durationMs: 30 },
    { testCaseId: 'short', durationMs: 5 },
    { testCaseId: 'mid', durationMs: 20 },
    { testCaseId: 'mid', durationMs: null },
    { testCaseId: null, durationMs: 1000 },
  ])
  expect(shardsOf(all, durations, 2).map(shard => shard.map(({ id }) => id))).toEqual([
    ['long'],
    ['mid', 'new', 'short'],
  ])
})
