import type { JourneyRunPlan, AttemptCount, AttemptStatus, JourneyRunStatus, JourneySessionRow } from './rows.ts'
export type CriterionTally = {
  id: string
  label: string
  kind: string
  passCount: number
  failCount: number
  /** Sessions whose grading has begun and not ended, even if the grader's process is gone. */
  pendingCount: number
  /** Sessions whose grader failed, which says nothing about the session. */
  failedGradingCount: number
}

/** The grades of a run's sessions, summed up. Every rate is relative to `sessionsGraded`. */
export type RunTally = {
  sessionsGraded: number
  pendingCount: number
  failedGradingCount: number
  /** Number of graded sessions that missed the goal or a criterion. */
  failCount: number
  goal: { passedCount: number; /** Null if no session was graded. */ avgScore: number | null }
  /** All criteria in the order of the rubric, even if none was graded. */
  criteria: CriterionTally[]
}

type Graded = Pick<JourneySessionRow, 'grading' | 'grades'>

/** Sums up grades. A session has all grades or none, so passes and failures add up to `sessionsGraded`. */
export function tallySessions(rubric: JourneyRunPlan['rubric'], sessions: readonly Graded[]): RunTally {
  const grades = sessions.flatMap(session => session.grades ?? [])
  const pendingCount = sessions.filter(({ grading }) => grading === 'pending').length
  const failedGradingCount = sessions.filter(({ grading }) => grading === 'failed').length
  const scores = grades.map(({ goal }) => goal.score)
  return {
    sessionsGraded: grades.length,
    pendingCount,
    failedGradingCount,
    failCount: grades.filter(
      ({ goal, criteria }) => !goal.passed || Object.values(criteria).some(({ passed }) => !passed),
    ).length,
    goal: {
      passedCount: grades.filter(({ goal }) => goal.passed).length,
      avgScore: scores.length > 0 ? scores.reduce((sum, score) => sum + score, 0) / scores.length : null,
    },
    criteria: rubric.map(({ id, label, kind }) => {
      const verdicts = grades.flatMap(({ criteria }) => criteria[id] ?? [])
      const passCount = verdicts.filter(({ passed }) => passed).length
      const failCount = verdicts.length - passCount
      return { id, label, kind, passCount, failCount, pendingCount, failedGradingCount }
    }),
  }
}

/**
 * Returns the status of a run from its attempts: running while an attempt is, else completed, partial, failed or rate
 * limited.
 */
export function statusOf(attempts: readonly AttemptStatus[]): JourneyRunStatus {
  const has = (status: AttemptStatus) => attempts.includes(status)
  if (has('pending') || has('running')) return 'running'
  if (has('succeeded')) return has('failed') || has('rate_limited') ? 'partial' : 'completed'
  return has('rate_limited') && !has('failed') ? 'rate_limited' : 'failed'
}

/** Number of sessions by how they ended. `total` includes sessions in progress. */
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
