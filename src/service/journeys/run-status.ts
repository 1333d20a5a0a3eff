import type { AttemptCount, AttemptStatus, JourneyRunStatus } from '../journey-runs/rows.ts'

/**
 * The state of a run by its attempts: in flight while one of them is; completed when every session came to its end, partial
 * when only some did. Without any it failed, or was rate limited when that alone kept it from working.
 */
export function statusOf(attempts: readonly AttemptStatus[]): JourneyRunStatus {
  const has = (status: AttemptStatus) => attempts.includes(status)
  if (has('pending') || has('running')) return 'running'
  if (has('succeeded')) return has('failed') || has('rate_limited') ? 'partial' : 'completed'
  return has('rate_limited') && !has('failed') ? 'rate_limited' : 'failed'
}

/** Sessions by how they ended; `total` counts those in flight as well. */
export type SessionCounts = { total: number; succeeded: number; failed: number; rateLimited: number }

export function countSessions(counts: readonly AttemptCount[]): SessionCounts {
  const of = (...statuses: AttemptStatus[]) =>
    counts.reduce((sum, { status, count }) => (statuses.includes(status) ? sum + count : sum), 0)
  return {
    total: of('pending', 'running', 'succeeded', 'failed', 'rate_limited'),
    succeeded: of('succeeded'),
    failed: of('failed'),
    rateLimited: of('rate_limited'),
  }
}
