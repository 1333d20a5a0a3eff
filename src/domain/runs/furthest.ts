import { onceFor } from '../../lib/once-for.ts'
import type { Client } from '../../api/client/client.ts'
import type { TrialCounts } from './trials.ts'

/** Maximum progress while a trial has not ended. */
const ALMOST = 0.99

/**
 * Returns the share of a run that has ended. It never decreases for the same client, because answers may arrive out of
 * order, and trials may be added. It is less than 1 until the last trial has ended.
 */
export const runProgress = onceFor((_client: Client) => {
  const furthest = new Map<string, number>()
  return (runId: string, { ended, total }: Pick<TrialCounts, 'ended' | 'total'>): number => {
    const share = total > 0 ? Math.min(1, ended / total) : 0
    const shown = share === 1 ? 1 : Math.min(ALMOST, Math.max(share, furthest.get(runId) ?? 0))
    furthest.set(runId, shown)
    return shown
  }
})
