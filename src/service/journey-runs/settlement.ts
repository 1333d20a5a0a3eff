import type { AttemptEnd } from './rows.ts'
import type { Store } from '../core/database/store.ts'
import { statusOf } from './tallies.ts'
import { recordFindings } from './sightings.ts'

/** How a run comes to its end: its sessions did, somebody stopped it, its process went, or it broke. */
export type JourneyRunEnding = 'ended' | 'canceled' | { stale: string } | { broken: string }

/**
 * Ends a run in flight with its unfinished attempts, and updates the findings when it ran to its end; a run that has
 * ended stays as it is. Runs inside the caller's transaction.
 * @returns the number of attempts that it ended
 */
export function endJourneyRun(store: Store, runId: string, ending: JourneyRunEnding, now: number = Date.now()): number {
  const run = store.journeyRuns.find(runId)
  if (run?.status !== 'running') return 0
  const { marker, error, errorCode } = describe(ending)
  const unfinished: AttemptEnd = { status: 'failed', errorCode, errorMessage: error }
  const { attempts } = store.journeyRuns
  const finalized = attempts.endUnfinished(run.id, unfinished, now)
  const status = marker === 'canceled' ? 'failed' : statusOf(attempts.list(run.id).map(attempt => attempt.status))
  store.journeyRuns.end(run.id, { status, marker, error }, now)
  if (ending === 'ended') recordFindings(store, run, now)
  return finalized
}

function describe(ending: JourneyRunEnding) {
  if (ending === 'ended') return { marker: null, error: null, errorCode: null }
  if (ending === 'canceled')
    return { marker: 'canceled', error: 'The run was canceled.', errorCode: 'CANCELED' } as const
  if ('stale' in ending) return { marker: 'stale', error: ending.stale, errorCode: 'STALE' } as const
  return { marker: null, error: ending.broken, errorCode: 'INTERNAL_ERROR' } as const
}
