import * as z from 'zod'
import { BOUNDS } from '../../lib/bounds.ts'
import type { Clock } from '../../lib/clock.ts'
import { type ProfileKey, type Stored, storedInMemory } from '../../lib/files/profile-store.ts'
import { shape } from '../../api/contract/shapes.ts'
import { type KnownRuns, type RunInWave } from './waves.ts'

/**
 * Remembers journey runs that were launched, seen in flight or stopped here, while the service returns nothing about
 * them.
 */
export type WaveMemory = {
  /** Returns runs by project, the same object until something changes. */
  all(): ReadonlyMap<string, KnownRuns>
  /** Records what was done here. If the memory is full, the oldest runs are removed. */
  know(projectId: string, runs: readonly RunInWave[]): void
  /**
   * Records what an answer shows: the state of known runs, and as many others as fit. If others displaced known runs,
   * an answer with more runs than fit would seem new on every look.
   */
  see(projectId: string, runs: readonly RunInWave[]): void
  subscribe(listener: () => void): () => void
}

export type StoredRun = { projectId: string; run: RunInWave }

const MOST = BOUNDS.waveRuns.most
/** Milliseconds after its start at which a run is removed, even if its end was not returned. No wave lasts so long. */
const KEPT_MS = 24 * 60 * 60_000

const Entry = shape(() => {
  const text = z.string().max(BOUNDS.nowText.most)
  const count = z.number().optional()
  const run = z.object({
    id: text,
    waveId: text.optional(),
    journeyId: text.optional(),
    journeyName: text.optional(),
    name: text,
    state: text.optional(),
    total: count,
    failed: count,
    ended: count,
    at: count,
  })
  return z.object({ projectId: text, run })
})

export const wavesKey: ProfileKey<readonly StoredRun[]> = {
  name: 'waves',
  version: 1,
  empty: [],
  read({ runs }) {
    if (!Array.isArray(runs)) return undefined
    return runs.flatMap(each => (Entry().safeParse(each).data as StoredRun | undefined) ?? []).slice(-MOST)
  },
  write: runs => ({ runs }),
}

/** Creates the memory. Without `stored` the runs are lost when the program ends. */
export function createWaveMemory(options: { stored?: Stored<readonly StoredRun[]>; clock: Clock }): WaveMemory {
  const { stored = storedInMemory(wavesKey), clock } = options
  let last: { from: readonly StoredRun[]; all: ReadonlyMap<string, KnownRuns> } | undefined
  const isFresh = ({ run: { at = 0 } }: StoredRun): boolean => at > clock.now() - KEPT_MS
  const know: WaveMemory['know'] = (projectId, runs) => {
    const ids = new Set(runs.map(({ id }) => id))
    const added = runs.map(run => ({ projectId, run: cut(run) }))
    stored.change(before => [...before.filter(each => !ids.has(each.run.id) && isFresh(each)), ...added].slice(-MOST))
  }
  return {
    all() {
      const from = stored.get()
      if (last?.from === from) return last.all
      const groups = Map.groupBy(from.filter(isFresh), ({ projectId }) => projectId)
      const entries = [...groups].map(
        ([projectId, runs]) => [projectId, Object.fromEntries(runs.map(({ run }) => [run.id, run]))] as const,
      )
      last = { from, all: new Map(entries) }
      return last.all
    },
    know,
    see(projectId, runs) {
      const kept = stored.get().filter(isFresh)
      const known = new Set(kept.map(({ run }) => run.id))
      const [changed, others] = [runs.filter(({ id }) => known.has(id)), runs.filter(({ id }) => !known.has(id))]
      const fresh = others.filter(run => isFresh({ projectId, run })).slice(0, MOST - kept.length)
      if (changed.length + fresh.length > 0) know(projectId, [...changed, ...fresh])
    },
    subscribe: stored.subscribe,
  }
}

function cut(run: RunInWave): RunInWave {
  const short = (text: string | undefined) => text?.slice(0, BOUNDS.nowText.most)
  return { ...run, name: short(run.name) ?? '', journeyName: short(run.journeyName) }
}
