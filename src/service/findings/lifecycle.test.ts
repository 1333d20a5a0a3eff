import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openWorkspace } from '../workspace/store.ts'
import type { FindingRow } from './rows.ts'
import type { Store } from '../core/database/store.ts'
import {
  afterWave,
  compareWaves,
  mergeRecordings,
  type FindingState,
  type FindingStatus,
  type WaveRecording,
} from './lifecycle.ts'
import { recordGradedWave, scopeOf, type WaveSource } from './records.ts'

const wave = (at: number, seen: boolean, waveId = `w${at}`): WaveRecording => ({ waveId, seen, at, firstAt: at })

const state = (status: FindingStatus): FindingState => ({
  status,
  occurrenceCount: 3,
  firstSeenAt: 1,
  lastSeenAt: 5,
  lastSeenWaveId: 'w5',
  resolvedAt: status === 'resolved' ? 7 : null,
})

describe('a finding after one wave', () => {
  test.each<[FindingStatus | undefined, boolean, FindingStatus | undefined]>([
    [undefined, true, 'new'],
    [undefined, false, undefined],
    ['new', true, 'recurring'],
    ['new', false, 'resolved'],
    ['recurring', true, 'recurring'],
    ['recurring', false, 'resolved'],
    ['resolved', true, 'regressed'],
    ['resolved', false, 'resolved'],
    ['regressed', true, 'recurring'],
    ['regressed', false, 'resolved'],
  ])('that was %s, and that the wave saw (%s), is %s', (before, seen, after) => {
    expect(afterWave(before && state(before), wave(9, seen))?.status).toBe(after)
  })

  test('that the wave saw has a new last sighting and count, and is not resolved', () => {
    expect(afterWave(state('resolved'), wave(9, true))).toEqual({
      status: 'regressed',
      occurrenceCount: 4,
      firstSeenAt: 1,
      lastSeenAt: 9,
      lastSeenWaveId: 'w9',
      resolvedAt: null,
    })
  })

  test('that the wave missed is resolved at the time of the first wave that missed it', () => {
    const resolved = afterWave(state('recurring'), wave(9, false))
    expect(resolved).toEqual({ ...state('recurring'), status: 'resolved', resolvedAt: 9 })
    expect(afterWave(resolved, wave(12, false))).toEqual(resolved)
  })
})

/**
 * Returns the state that the definition gives for a history. It is computed from the end, without intermediate states.
 */
function definition(history: readonly WaveRecording[]): Partial<FindingState> | undefined {
  const ordered = history.toSorted(compareWaves)
  const sightings = ordered.filter(({ seen }) => seen)
  const last = sightings.at(-1)
  if (!last) return undefined
  const missedBetween = (from: number, to: number) => ordered.slice(from + 1, to).find(({ seen }) => !seen)
  const missed = missedBetween(ordered.indexOf(last), ordered.length)
  const previous = sightings.at(-2)
  const whileSeen = () => {
    if (!previous) return 'new'
    return missedBetween(ordered.indexOf(previous), ordered.indexOf(last)) ? 'regressed' : 'recurring'
  }
  return {
    status: missed ? 'resolved' : whileSeen(),
    occurrenceCount: new Set(sightings.map(({ waveId }) => waveId)).size,
    firstSeenAt: Math.min(...sightings.map(({ firstAt }) => firstAt)),
    lastSeenAt: last.at,
    lastSeenWaveId: last.waveId,
    resolvedAt: missed?.at ?? null,
  }
}

const recordings = fc.array(
  fc.record({
    waveId: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    seen: fc.boolean(),
    at: fc.integer({ min: 0, max: 30 }),
  }),
  { minLength: 1, maxLength: 25 },
)
type Place = { projectId: string; source: WaveSource }
type Recording = { waveId: string; seen: boolean; at: number }

/** Returns one recording for each wave. A sighting outweighs a check without one; of several the last time counts. */
function merged(list: readonly Recording[]): WaveRecording[] {
  return [...Map.groupBy(list, ({ waveId }) => waveId)].map(([waveId, all]) => {
    const seen = all.some(one => one.seen)
    const times = all.filter(one => one.seen === seen).map(({ at }) => at)
    return { waveId, seen, at: Math.max(...times), firstAt: Math.min(...times) }
  })
}

describe('any history of waves', () => {
  test('gives the states of the definition', () => {
    fc.assert(
      fc.property(recordings, list => {
        const history = merged(list)
        let after: FindingState | undefined
        for (const one of history.toSorted(compareWaves)) after = afterWave(after, one)
        expect(after).toEqual(definition(history))
      }),
    )
  })

  test('gives the same result in any order of recording', () => {
    const times = fc.array(fc.record({ seen: fc.boolean(), at: fc.nat(9) }), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(times, fc.infiniteStream(fc.nat()), (list, order) => {
        const all = list.map(({ seen, at }) => wave(at, seen, 'w'))
        const shuffled = all
          .map(one => ({ one, key: order.next().value ?? 0 }))
          .toSorted((a, b) => a.key - b.key)
          .map(({ one }) => one)
        expect(shuffled.reduce(mergeRecordings)).toEqual(all.reduce(mergeRecordings))
        expect(merged(list.map(one => ({ ...one, waveId: 'w' })))).toEqual([all.reduce(mergeRecordings)])
      }),
    )
  })
})

const PLACE = { dimension: 'criterion', subject: { kind: 'criterion', id: 'c1', label: 'Answers' } }

function recordIn(store: Store, place: Place, { waveId, seen, at }: Recording): void {
  const sighting = { ...PLACE, fingerprint: 'f', title: 'It fails', evidence: [] }
  store.write(() =>
    recordGradedWave(store, {
      ...place,
      waveId,
      at,
      covers: ({ dimension, subjectId }) => dimension === 'criterion' && subjectId === 'c1',
      sightings: seen ? [sighting] : [],
    }),
  )
}

describe('a recorded finding', () => {
  test('matches the definition in whatever order waves arrive, and is dismissed independently', () => {
    const { store } = openWorkspace({ memory: true })
    onTestFinished(() => store.close())
    const organizationId = store.keys.list()[0]?.organizationId ?? ''
    const projectId = store.projects.list(organizationId)[0]?.id ?? ''
    let scenarios = 0
    const withDismissals = fc.array(fc.option(fc.boolean(), { nil: undefined }), { maxLength: 25 })
    fc.assert(
      fc.property(recordings, withDismissals, (list, dismissals) => {
        const source = { kind: 'user-testing', scenarioId: `s${++scenarios}` } as const
        const scope = scopeOf(projectId, source)
        const only = (): FindingRow | undefined => store.findings.list(scope)[0]
        let dismissedAt: number | null = null
        for (const [index, recording] of list.entries()) {
          recordIn(store, { projectId, source }, recording)
          const before = only()
          const dismissal = dismissals[index]
          if (before && dismissal !== undefined) {
            dismissedAt = dismissal ? index : null
            store.findings.setDismissed(before.id, dismissedAt, index)
            expect(only()?.status).toBe(before.status)
          }
          expect(only()?.dismissedAt ?? null).toBe(dismissedAt)
        }
        // Only a known finding can be missed, so the history begins with the first recorded sighting.
        const known = list.slice(list.findIndex(({ seen }) => seen))
        const expected = list.some(({ seen }) => seen) ? definition(merged(known)) : undefined
        if (expected) expect(only()).toMatchObject(expected)
        else expect(only()).toBeUndefined()
      }),
      { numRuns: 60 },
    )
  })
})
