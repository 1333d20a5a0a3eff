import { expect, test } from 'vitest'
import { runsOfFeed, wavesOf, type RunInWave, type Wave } from '../swarms/waves.ts'
import { waveLines } from './wave-lines.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const MINUTE = 60_000
const project = { id: 'p', name: 'Sandbox' }

function wave(state: string, minutesAgo: number, more: Partial<RunInWave> = {}): Wave {
  const at = NOW - minutesAgo * MINUTE
  const counts = { total: 4, failed: 1, ended: 3 }
  const run = {
    id: `r${minutesAgo}`,
    waveId: `w${minutesAgo}`,
    journeyId: 'j',
    journeyName: 'Sums',
    name: 'Sums',
    state,
  }
  return { id: run.waveId, waveId: run.waveId, name: 'Sums', at, runs: [{ ...run, ...counts, at, ...more }] }
}

const linesOf = (...waves: Wave[]) => waveLines(project, { value: waves, at: NOW }, NOW)

test.each([
  ['failed', 'high', 'Sums failed: 1 of 4 sessions failed'],
  ['stale', 'high', 'Sums is stale: its runner stopped responding: 1 of 4 sessions failed'],
  ['partial', 'medium', 'Sums ended in part: 1 of 4 sessions failed'],
  ['running', 'low', 'Sums: 3 of 4 sessions ended'],
])('a wave that is %s is reported', (word, urgency, sentence) => {
  expect(linesOf(wave(word, 5))).toMatchObject([{ word, urgency, sentence, kind: 'wave' }])
})

test.each(['canceled', 'completed'])('a wave that is %s is not reported', state => {
  expect(linesOf(wave(state, 5))).toEqual([])
})

test('a failure is reported for a day or until its journey succeeds, even while another run is in flight', () => {
  expect(linesOf(wave('completed', 1), wave('failed', 5))).toEqual([])
  expect(linesOf(wave('failed', 25 * 60))).toEqual([])
  expect(linesOf(wave('canceled', 1), wave('failed', 5))).toMatchObject([{ word: 'failed' }])
  expect(linesOf(wave('running', 1), wave('failed', 5)).map(({ word }) => word)).toEqual(['running', 'failed'])
})

test('a failed run makes the line of its wave urgent while other runs are in flight', () => {
  const [running, failed] = [wave('running', 5), wave('failed', 5, { id: 'r2', journeyId: 'k', name: 'Greetings' })]
  const both = { ...running, runs: [...running.runs, ...failed.runs] }
  const sentence = 'Sums: 6 of 8 sessions ended; Greetings failed: 1 of 4 sessions failed'
  expect(linesOf(both)).toMatchObject([{ word: 'running', urgency: 'high', isFault: true, sentence }])
})

test('a run is derived from its sessions only while they were recently active, and never twice', () => {
  const session = (id: string, minutesAgo: number) => ({
    id,
    sourceType: 'swarm' as const,
    lastActivityAt: NOW - minutesAgo * MINUTE,
    parentRef: { kind: 'journeyRun' as const, label: 'Sums', journeyRunId: `run of ${minutesAgo}`, journeyRefId: 'j' },
  })
  const runs = runsOfFeed([session('a', 5), session('b', 5), session('c', 120)], NOW)
  expect(runs.map(({ id }) => id)).toEqual(['run of 5'])
  expect(wavesOf([], { 'run of 5': { ...runs[0]!, state: 'canceled' } }, runs)[0]!.runs[0]).toMatchObject({
    state: 'canceled',
  })
})

test('a run older than all answers no longer counts as in flight', () => {
  const [{ runs }] = [wave('running', 60)]
  const known = { [runs[0]!.id]: runs[0]! }
  expect(wavesOf([], known)).toHaveLength(1)
  expect(wavesOf([{ runId: 'other', status: 'completed', createdAt: NOW }], known).map(({ id }) => id)).toEqual([
    'other',
  ])
})

test.each(['failed', 'running'])('waves that are %s are read equally often, however many there are', state => {
  const looksOf = (count: number): number => {
    let looks = 0
    const waves = Array.from({ length: count }, (_, index) =>
      wave(state, 5, { id: `r${index}`, journeyId: `j${index % 7}x${index}` }),
    )
    for (const { runs } of waves)
      for (const run of runs) Object.defineProperty(run, 'state', { get: () => ((looks += 1), state) })
    expect(linesOf(...waves.map((each, index) => ({ ...each, id: `w${index}` })))).toHaveLength(count)
    return looks
  }
  expect(looksOf(400)).toBeLessThanOrEqual(2 * 10 * looksOf(40))
})

test("the week of a wave counts all its journeys' ended runs, and a failure after a success is news", () => {
  const day = 24 * 60
  const other = { journeyId: 'k', name: 'Greetings' }
  const both = wave('failed', 5)
  const second = wave('completed', 5, { ...other, id: 'r2' }).runs
  const waves = [
    { ...both, runs: [...both.runs, ...second] },
    wave('completed', day, { id: 'a' }),
    wave('failed', day, { ...other, id: 'b' }),
    wave('completed', 2 * day, { ...other, id: 'c' }),
    wave('failed', 3 * day, { journeyId: 'elsewhere', id: 'd' }),
  ]
  const [line] = linesOf(...waves)
  expect(line?.week?.slice(-3)).toEqual([
    { ended: 1, failed: 0 },
    { ended: 2, failed: 1 },
    { ended: 2, failed: 1 },
  ])
  expect(line?.week?.slice(0, 4)).toEqual([undefined, undefined, undefined, undefined])
  // One of its two journeys had already failed.
  expect(line?.news).toBe(linesOf(wave('failed', 5), wave('failed', 10, { id: 'z' }))[0]?.news)
  expect(linesOf(wave('failed', 5), wave('completed', 10, { id: 'z' }))[0]?.news).not.toBe(line?.news)
})
