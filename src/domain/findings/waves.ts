import type { JourneyRun, RunScorecard, SwarmOverview } from '../../api/contract/journey-runs.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { textAt, type Finding } from './finding.ts'
import { isPlainObject } from '../../lib/json.ts'

/**
 * The outcome of a journey run. `canceled` means that someone stopped it, and `stale` that its runner stopped
 * responding; both have `status: failed` (contract: "Journey run"). `failed_or_canceled` means that status without
 * further markers. `missed` finished, but graded sessions missed their goal or criteria. `ungraded` finished, but the
 * grading of some or all sessions failed or is missing. `unjudged` finished without any grade: nothing says whether no
 * grader is set up or grading is still to come.
 */
export type JourneyRunState =
  | JourneyRun['status']
  | 'canceled'
  | 'stale'
  | 'failed_or_canceled'
  | 'missed'
  | 'ungraded'
  | 'unjudged'

type Marked = { status?: unknown; canceled?: unknown; stale?: unknown }

export function journeyRunState({ status, canceled, stale }: Marked): JourneyRunState | undefined {
  if (canceled === true) return 'canceled'
  if (stale === true) return 'stale'
  if (status === 'failed' && canceled == null) return 'failed_or_canceled'
  return typeof status === 'string' ? status : undefined
}

/** A journey run in which a finding may have been seen. */
export type WaveRun = {
  id: string
  waveId: string | undefined
  journeyId: string | undefined
  journeyName: string | undefined
  state: JourneyRunState | undefined
  total: number | undefined
  failed: number | undefined
  /** Number of graded sessions that missed their goal or criteria; absent if nothing was graded. */
  missed?: number | undefined
  /** Number of finished sessions without a grade; absent if no grading has ended. */
  ungraded?: number | undefined
  /** Whether sessions finished, and no grading has ended. */
  isUnjudged?: boolean
  at: number | undefined
}

type OverviewRun = NonNullable<SwarmOverview['runs']>[number]

export function overviewRun(run: OverviewRun): WaveRun {
  const { runId: id, journeyName, goalCompletion, ...rest } = run
  const { gradedCount, passedCount, pendingCount, failedCount } = goalCompletion ?? {}
  const failCount = gradedCount == null || passedCount == null ? undefined : gradedCount - passedCount
  // Grades that are still to come are missing all the same.
  const failedGradingCount = (pendingCount ?? 0) + (failedCount ?? 0)
  const counts = { failCount, sessionsGraded: gradedCount, failedGradingCount }
  return { ...waveRun({ ...rest, ...counts, id }), journeyName: journeyName ?? undefined }
}

/** Returns the displayed state of a run. One whose sessions are not counted counts as completed. */
export function shownState({
  state,
  missed = 0,
  ungraded,
  isUnjudged = false,
}: Pick<WaveRun, 'state' | 'missed' | 'ungraded' | 'isUnjudged'>): JourneyRunState | undefined {
  if (state !== 'completed') return state
  if (missed > 0) return 'missed'
  if (ungraded === undefined) return isUnjudged ? 'unjudged' : state
  return ungraded > 0 ? 'ungraded' : state
}

/** Returns the number of finished sessions without a grade; undefined if no grading has ended. */
export function ungradedOf({ summary, sessionsGraded, failedGradingCount }: Graded): number | undefined {
  if (!sessionsGraded && !failedGradingCount) return undefined
  return Math.max(failedGradingCount ?? 0, (summary?.succeeded ?? 0) - (sessionsGraded ?? 0))
}

type Graded = Pick<JourneyRun, 'summary' | 'sessionsGraded' | 'failedGradingCount'>

export function waveRun(
  run: Pick<JourneyRun, 'id' | 'waveId' | 'journeyId' | 'createdAt' | 'failCount'> & Graded & Marked,
): WaveRun {
  const ungraded = ungradedOf(run)
  return {
    id: run.id,
    waveId: run.waveId ?? undefined,
    journeyId: run.journeyId ?? undefined,
    journeyName: undefined,
    state: journeyRunState(run),
    total: run.summary?.total ?? undefined,
    failed: run.summary?.failed ?? undefined,
    ...(run.failCount != null && { missed: run.failCount }),
    ...(ungraded === undefined ? run.summary?.succeeded && { isUnjudged: true } : { ungraded }),
    at: toEpochMs(run.createdAt),
  }
}

/** Returns the journey of a swarm finding, whose id is a prefix of the subject. */
export function journeyOf({ source, subject }: Finding): string | undefined {
  return source === 'swarm' ? subject.id?.split('/')[0] || undefined : undefined
}

/**
 * Returns what a scorecard says about the criterion of a finding; undefined if the finding has none, or the scorecard
 * does not contain it.
 */
export function scorecardLabel({ source, subject }: Finding, scorecard: RunScorecard | undefined): string | undefined {
  if (source !== 'swarm' || subject.kind !== 'criterion') return undefined
  const id = subject.id?.split('/').at(-1)
  const criterion = scorecard?.criteria?.find(each => each.id === id)
  if (criterion?.failCount == null) return undefined
  const { failCount, pendingCount, failedGradingCount } = criterion
  const graded = scorecard?.sessionsGraded
  const more = [
    pendingCount ? `${pendingCount} not graded yet` : '',
    failedGradingCount ? `${failedGradingCount} where the grader failed` : '',
  ].filter(Boolean)
  return (
    `Fails in ${failCount}${graded == null ? '' : ` of ${graded}`} graded sessions of this ` +
    `run${more.length > 0 ? `; ${more.join(', ')}` : ''}.`
  )
}

/** The grader's score of a session's goal. The contract does not define this document. */
export type GoalScore = { score: number; isReached: boolean | undefined; reason: string | undefined }

export function goalScoreOf(document: unknown): GoalScore | undefined {
  if (!isPlainObject(document) || typeof document['score'] !== 'number') return undefined
  const { score, passed, threshold } = document
  const isReached =
    typeof passed === 'boolean' ? passed : typeof threshold === 'number' ? score >= threshold : undefined
  return { score, isReached, reason: textAt(document, 'reason') }
}

/**
 * Returns the runs in which a finding may have been seen. Runs of the last wave that saw it come first, then other runs
 * of its journey.
 */
export function runsBehind(finding: Finding, runs: readonly WaveRun[]): WaveRun[] {
  const journeyId = journeyOf(finding)
  const isLast = (run: WaveRun): boolean => run.waveId !== undefined && run.waveId === finding.lastSeenIn
  const isOfJourney = (run: WaveRun): boolean => journeyId !== undefined && run.journeyId === journeyId
  // A wave runs several journeys. If the finding's own journey is known, the others say nothing about it.
  const knowsJourney = runs.some(run => isLast(run) && isOfJourney(run))
  return runs
    .filter(run => isOfJourney(run) || (!knowsJourney && isLast(run)))
    .toSorted((a, b) => Number(isLast(b)) - Number(isLast(a)) || (b.at ?? 0) - (a.at ?? 0))
}
