import type { RunScorecard } from '../../api/contract/journey-runs.ts'
import type { Finding } from './finding.ts'
import type { GoalScore } from './waves.ts'

/** Whether a session shows a finding, and how this is known. */
export type Shows = { shows: boolean; because: string }

/** Facts about a session of a journey run that are known before it is opened. */
export type SessionFacts = {
  /** All ids of the session. */
  ids: readonly string[]
  outcome: string | undefined
  goal: GoalScore | undefined
}

/**
 * Whether a session shows the finding, according to the evidence, the session's own goal and outcome, and the run's
 * scorecard; undefined if these do not say. Evidence is a sample, so other sessions may also show the finding.
 */
export function showsFinding(
  { subject, source }: Pick<Finding, 'subject' | 'source'>,
  { ids, outcome, goal }: SessionFacts,
  known: { evidence: ReadonlySet<string>; scorecard?: RunScorecard | undefined },
): Shows | undefined {
  if (ids.some(id => known.evidence.has(id))) return { shows: true, because: 'the evidence names it' }
  if (source === 'swarm' && subject.kind === 'journey') {
    if (goal?.isReached !== undefined)
      return { shows: !goal.isReached, because: goal.isReached ? 'it reached the goal' : 'it missed the goal' }
    return outcome === 'failed' ? { shows: true, because: 'it failed' } : undefined
  }
  if (source === 'swarm' && subject.kind === 'criterion') return ofCriterion(subject.id, known.scorecard)
  return undefined
}

/**
 * Whether a session failed a criterion. A scorecard only counts, so this is known only if all or no sessions failed.
 */
function ofCriterion(id: string | null | undefined, scorecard: RunScorecard | undefined): Shows | undefined {
  const criterion = scorecard?.criteria?.find(each => each.id === id?.split('/').at(-1))
  const graded = scorecard?.sessionsGraded
  if (criterion?.failCount == null || graded == null || graded !== scorecard?.sessionsTotal) return undefined
  const isOpen = (criterion.pendingCount ?? 0) + (criterion.failedGradingCount ?? 0) > 0
  if (isOpen) return undefined
  if (criterion.failCount === 0) return { shows: false, because: 'no session of this run fails it' }
  return criterion.failCount === graded ? { shows: true, because: 'every session of this run fails it' } : undefined
}
