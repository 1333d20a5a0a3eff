import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import type { Store } from '../src/service/core/database/store.ts'
import { record, sighting } from './service/graded-waves.ts'

/** Subjects of the journeys of the findings; each has one finding that was seen in every wave. */
const TASKS = ['refund', 'booking', 'invoice', 'handover', 'address change']

/**
 * Creates findings of three waves: every fifth of them was seen in each wave, the others in the last.
 * @returns the labels of their subjects, which end with a number of three digits
 */
export function recordFindings(store: Store, projectId: string, count: number): string[] {
  const labels = Array.from(
    { length: count },
    (_, index) => `${TASKS[Math.floor(index / 5) % 5]} ${String(index).padStart(3, '0')}`,
  )
  for (const wave of [1, 2, 3])
    record(
      store,
      { projectId, waveId: `w${wave}`, at: Date.now() - 60_000 + wave },
      labels.filter((_, index) => index % 5 === 0 || wave === 3).map(label => sighting(label)),
    )
  return labels
}

/** Removes a finding like another process, which the API cannot do. @throws if none has that label */
export function removeFinding(dataDir: string, label: string): void {
  const database = new DatabaseSync(join(dataDir, 'mcpdeck.sqlite'), { timeout: 5000 })
  try {
    const { changes } = database.prepare('DELETE FROM finding WHERE subjectLabel = ?').run(label)
    if (changes !== 1) throw new Error(`${changes} findings are about ${label}`)
  } finally {
    database.close()
  }
}
