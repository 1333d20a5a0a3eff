import { expect, test } from 'vitest'
import { BOUNDS } from '../../lib/bounds.ts'
import { createWaveMemory } from './wave-memory.ts'
import { wavesOf, worthKnowing } from './waves.ts'

const NOW = 1_700_000_000_000
const DAY_MS = 24 * 60 * 60_000
const clock = { now: () => NOW, after: () => () => undefined }

/** Records answers until nothing is new, as screens do, and returns the number of records made. */
function noteAll(memory: ReturnType<typeof createWaveMemory>, answers: Record<string, readonly object[]>): number {
  let changes = 0
  memory.subscribe(() => (changes += 1))
  for (let round = 0, before = -1; before !== changes && round < 20; round += 1) {
    before = changes
    for (const [projectId, runs] of Object.entries(answers)) {
      const known = memory.all().get(projectId) ?? {}
      const fresh = worthKnowing(wavesOf(runs as never, known), known)
      if (fresh.length > 0) memory.see(projectId, fresh)
    }
  }
  return changes
}

const running = (project: string, count: number, at = NOW) =>
  Array.from({ length: count }, (_, index) => ({ runId: `${project}${index}`, status: 'running', createdAt: at }))

test('runs in flight beyond the limit, in any project, cause no further writes and displace no earlier run', () => {
  const memory = createWaveMemory({ clock })
  const { most } = BOUNDS.waveRuns
  memory.know('p', [{ id: 'launched', name: 'Sums', state: 'running', at: NOW } as never])
  expect(noteAll(memory, { p: running('p', 3 * most), q: running('q', 3 * most) })).toBeLessThanOrEqual(2)
  const known = [...memory.all().values()].flatMap(runs => Object.keys(runs))
  expect(known).toHaveLength(most)
  expect(known).toContain('launched')
})

test('an old run in flight beyond the limit is not recorded again and again', () => {
  const memory = createWaveMemory({ clock })
  memory.know('p', [{ id: 'launched', name: 'Sums', state: 'running', at: NOW } as never])
  expect(noteAll(memory, { p: running('p', 1, NOW - 2 * DAY_MS) })).toBe(0)
})

test('the end of a run is recorded even if the memory is full', () => {
  const memory = createWaveMemory({ clock })
  noteAll(memory, { p: running('p', BOUNDS.waveRuns.most) })
  const [first, ...others] = running('p', BOUNDS.waveRuns.most)
  noteAll(memory, { p: [{ ...first, status: 'completed' }, ...others] })
  expect(memory.all().get('p')!['p0']).toMatchObject({ state: 'completed' })
})
