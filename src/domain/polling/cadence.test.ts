import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  AWAY_FACTOR,
  cadence,
  type Conditions,
  type LastAnswers,
  livePause,
  LONG_IDLE_FACTOR,
  type RepeatedRead,
} from './cadence.ts'

const REMOTE: Conditions = { unlimited: false, refillPerSecond: 1, pollers: 1 }
const LOCAL: Conditions = { ...REMOTE, unlimited: true }
const RUN: RepeatedRead = { kind: 'live', requests: 2 }
const SHOWN: RepeatedRead = { kind: 'shown' }
const OWN: RepeatedRead = { kind: 'own', everyMs: 5_000 }
const AWAY = { slowFactor: AWAY_FACTOR }
const LONG_IDLE = { slowFactor: LONG_IDLE_FACTOR, isLongIdle: true }

test.each<[RepeatedRead, Conditions, LastAnswers, number | false, string]>([
  [{ kind: 'live', requests: 1 }, REMOTE, {}, 2_000, 'live'],
  [RUN, REMOTE, {}, 2_667, 'rate of the key'],
  [RUN, { ...REMOTE, pollers: 3 }, {}, 8_000, 'rate of the key'],
  [{ ...RUN, times: 2 }, REMOTE, {}, 5_334, 'several reads in turn'],
  [RUN, { ...LOCAL, pollers: 3 }, {}, 1_000, 'live'],
  [{ ...RUN, rows: 10_000 }, LOCAL, {}, 2_500, 'live'],
  [RUN, { ...LOCAL, shareFactor: 3 }, {}, 3_000, 'live'],
  [RUN, { ...LOCAL, slowFactor: 4 }, {}, 4_000, 'nobody there'],
  [RUN, { ...LOCAL, ...AWAY }, {}, 20_000, 'nobody there'],
  [RUN, { ...REMOTE, pollers: 9, ...AWAY }, {}, 24_000, 'rate of the key'],
  [RUN, { ...LOCAL, ...LONG_IDLE }, {}, 32_000, 'nobody there'],
  [RUN, LOCAL, { unchanged: 4 }, 1_000, 'live'],
  [RUN, LOCAL, { unchanged: 5 }, 2_000, 'nothing changes'],
  [RUN, LOCAL, { unchanged: 10 }, 4_000, 'nothing changes'],
  [{ ...RUN, steady: true }, LOCAL, { unchanged: 10 }, 1_000, 'live'],
  [RUN, { ...LOCAL, ...AWAY }, { unchanged: 10 }, 20_000, 'nobody there'],
  [RUN, REMOTE, { fault: 'silent' }, 50_000, 'no answer'],
  [SHOWN, LOCAL, {}, 20_000, 'shown'],
  [SHOWN, REMOTE, { unchanged: 99 }, 50_000, 'shown'],
  [SHOWN, { ...REMOTE, ...AWAY }, {}, 60_000, 'shown'],
  [SHOWN, { ...REMOTE, ...LONG_IDLE }, {}, 60_000 * LONG_IDLE_FACTOR, 'nobody there'],
  [{ ...SHOWN, pages: 40 }, REMOTE, {}, 200_000, 'long list'],
  [OWN, REMOTE, {}, 5_000, 'own'],
  [OWN, { ...REMOTE, ...AWAY }, {}, 20_000, 'nobody there'],
  [OWN, REMOTE, { fault: 'unavailable' }, 50_000, 'no answer'],
  [OWN, REMOTE, { fault: 'key-refused' }, false, 'key refused'],
])('the read %j at %j after %j is repeated after %s ms: %s', (read, at, last, ms, reason) => {
  expect(cadence(read, at, last)).toEqual({ ms, reason })
})

const reads = fc.oneof(
  fc.record({ kind: fc.constant('live' as const), requests: fc.integer({ min: 1, max: 5 }), times: fc.nat(9) }),
  fc.record({ kind: fc.constant('shown' as const), pages: fc.nat(500) }),
  fc.record({ kind: fc.constant('own' as const), everyMs: fc.integer({ min: 1_000, max: 300_000 }) }),
)
const conditions = fc.record({
  unlimited: fc.boolean(),
  refillPerSecond: fc.double({ min: 0.01, max: 50, noNaN: true }),
  pollers: fc.integer({ min: 1, max: 50 }),
  shareFactor: fc.constantFrom(0.5, 1, 3),
  slowFactor: fc.constantFrom(1, 2, 4, 16, 20, 80),
  isLongIdle: fc.boolean(),
})
const lastAnswers = fc.record({
  unchanged: fc.nat(100),
  fault: fc.constantFrom(undefined, 'silent' as const, 'unavailable' as const),
})

test('polls of one key never use more than three quarters of its rate', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 5 }), (pollers, requests) => {
      const pause = livePause({ ...REMOTE, pollers }, requests)
      expect((pollers * requests * 60_000) / pause).toBeLessThanOrEqual(45)
      expect(pause).toBeGreaterThanOrEqual(2_000)
    }),
  )
})

test('a screen set to a third sends a third of the live requests', () => {
  expect(livePause({ ...REMOTE, shareFactor: 3 }, 2)).toBe(3 * livePause(REMOTE, 2) - 1)
})

test('pauses never get shorter on a slow connection, for an absent person, without changes or without answers', () => {
  fc.assert(
    fc.property(reads, conditions, lastAnswers, (read, at, last) => {
      const present = { ...at, slowFactor: 1, isLongIdle: false }
      const usual = cadence(read, present).ms as number
      expect(usual).toBeGreaterThan(0)
      expect(cadence(read, at).ms).toBeGreaterThanOrEqual(usual)
      expect(cadence(read, present, last).ms).toBeGreaterThanOrEqual(usual)
      expect(cadence(read, at, { ...last, fault: 'key-refused' }).ms).toBe(false)
    }),
  )
})
