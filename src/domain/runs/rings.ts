import { type ProfileKey, type Stored, storedInMemory } from '../../lib/files/profile-store.ts'
import { BOUNDS } from '../../lib/bounds.ts'

/** Whose end was announced, so that of all windows one rings, and each run once. */
export type Rings = {
  /** Takes the announcement of a run's end; false where it was taken before, by whatever process. */
  claim(runId: string): boolean
}

export const ringsKey: ProfileKey<readonly string[]> = {
  name: 'rung',
  version: 1,
  empty: [],
  read: ({ runs }) => (Array.isArray(runs) ? runs.filter(run => typeof run === 'string') : undefined),
  write: runs => ({ runs }),
}

/** Without `stored` they end with the program. */
export function createRings(stored: Stored<readonly string[]> = storedInMemory(ringsKey)): Rings {
  return {
    claim(runId) {
      let isFirst = false
      stored.change(before => {
        isFirst = !before.includes(runId)
        return isFirst ? [...before, runId].slice(-BOUNDS.rung.most) : before
      })
      return isFirst
    },
  }
}
