import { ServiceError } from '../core/errors.ts'
import { defineJourneyRuns } from './engine.ts'
import { launchJourneyRun } from './launch.ts'
import { toJourneyRun, toJourneyRunDetail, toJourneyRunSession, toScorecard, tallyOf } from './records.ts'
import { endJourneyRun } from './sightings.ts'
import { latestPage } from '../core/list-page.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import type { SwarmOverview } from '../../api/contract/journey-runs.ts'
import type { Store } from '../core/database/store.ts'
import type { JourneyRunStatus, JourneyRunRow } from './rows.ts'
import { type SessionCounts, countSessions, type RunTally } from './tallies.ts'

export function journeyRunHandlers(context: ServiceContext): Handlers['journeyRuns'] {
  const { store, jobs } = context
  defineJourneyRuns(context)
  return {
    list: ({ project, params, query }) =>
      jobs.read(() => {
        const { id } = store.journeys.require(project.id, params.journeyId)
        return latestPage(
          store,
          { name: 'journeyRuns', ownerId: id, query, page: store.journeyRuns.pageByJourney },
          run => toJourneyRun(store, run),
        )
      }),
    launch: ({ project, caller, params, body, idempotencyKey }) =>
      launchJourneyRun(context, { project, caller, journeyId: params.journeyId, body: body ?? {}, idempotencyKey }),
    get: ({ project, params }) =>
      jobs.read(() => toJourneyRunDetail(store, store.journeyRuns.require(project.id, params.runId))),
    sessions: ({ project, params, query }) =>
      jobs.read(() => {
        const run = store.journeyRuns.require(project.id, params.runId)
        const attempts = store.journeyRuns.attempts.list(run.id)
        return latestPage(
          store,
          { name: 'journeyRunSessions', ownerId: run.id, query, page: store.journeySessions.pageByRun },
          session => toJourneyRunSession(run, attempts, session),
        )
      }),
    cancel({ project, params }) {
      jobs.settleAbandoned()
      const { canceled, reply } = store.write(() => {
        const { id, status, marker } = store.journeyRuns.require(project.id, params.runId)
        const alreadyCanceled = marker === 'canceled'
        if (status !== 'running' && !alreadyCanceled)
          throw new ServiceError('CONFLICT', `The run has ended already (${status}).`, { details: { status } })
        const finalized = endJourneyRun(store, id, 'canceled')
        return { canceled: id, reply: { id, status: 'failed', canceled: true, alreadyCanceled, finalized } }
      })
      jobs.stop('journey-run', canceled)
      return reply
    },
    scorecard: ({ project, params }) =>
      jobs.read(() => toScorecard(store, store.journeyRuns.require(project.id, params.runId))),
    overview: ({ project }) => jobs.read(() => readOverview(store, project.id)),
  }
}

export type ConsideredRun = {
  runId: string
  journeyId: string
  journeyName: string
  journeyArchived: boolean
  personaName: string
  status: JourneyRunStatus
  canceled: boolean
  stale: boolean
  waveId: string
  summary: SessionCounts
  tally: RunTally
  targets: { hostName: string; modelId: string; environmentName?: string }[]
  createdAt: number
}

type OverviewRun = NonNullable<SwarmOverview['runs']>[number]
type Goal = NonNullable<SwarmOverview['goalCompletion']>

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Sums up recent runs. Rates divide by graded sessions (limits-and-errors, section 11).
 * @param runs latest first; streaks are counted within them
 */
export function overviewOf(runs: readonly ConsideredRun[]): SwarmOverview {
  return {
    runs: runs.map((run, index) => toOverviewRun(run, runs.slice(index))),
    runsConsidered: runs.length,
    goalCompletion: { ...goalsOf(runs), runsWithGrades: runs.filter(isGraded).length, trend: trendOf(runs) },
  }
}

/** @param since the run itself and all earlier runs of the overview, latest first */
function toOverviewRun(run: ConsideredRun, since: readonly ConsideredRun[]): OverviewRun {
  const { tally, ...plain } = run
  const { sessionsGraded, pendingCount, failedGradingCount, goal } = tally
  return {
    ...plain,
    goalCompletion: isGraded(run)
      ? {
          gradedCount: sessionsGraded,
          passedCount: goal.passedCount,
          avgScore: goal.avgScore,
          pendingCount,
          failedCount: failedGradingCount,
        }
      : null,
    findings: tally.criteria
      .filter(({ failCount }) => failCount > 0)
      .map(({ id, label, kind, ...counts }) => ({
        criterionId: id,
        label,
        kind,
        failCount: counts.failCount,
        pendingCount: counts.pendingCount,
        failedGradingCount: counts.failedGradingCount,
        sessionsGraded,
        runStreak: streakOf(id, run.journeyId, since),
      })),
  }
}

/** Returns how many graded runs of the journey in a row failed the criterion, up to the first of `runs`. */
function streakOf(criterionId: string, journeyId: string, runs: readonly ConsideredRun[]): number {
  const graded = runs.filter(run => run.journeyId === journeyId && isGraded(run))
  const end = graded.findIndex(
    ({ tally }) => !tally.criteria.some(({ id, failCount }) => id === criterionId && failCount > 0),
  )
  return end === -1 ? graded.length : end
}

/**
 * Returns the results by UTC day, oldest first. A run counts for the day on which it began. Days without grades are
 * left out.
 */
function trendOf(runs: readonly ConsideredRun[]): Goal['trend'] {
  const days = Map.groupBy(runs.filter(isGraded), ({ createdAt }) => createdAt - (createdAt % DAY_MS))
  return [...days].toSorted(([a], [b]) => a - b).map(([dayStartMs, ofDay]) => ({ dayStartMs, ...goalsOf(ofDay) }))
}

/**
 * Returns how many sessions were graded and how many reached their goal. `passRate` is a fraction, null if none was
 * graded.
 */
function goalsOf(runs: readonly ConsideredRun[]) {
  const gradedCount = runs.reduce((sum, { tally }) => sum + tally.sessionsGraded, 0)
  const passedCount = runs.reduce((sum, { tally }) => sum + tally.goal.passedCount, 0)
  return { gradedCount, passedCount, passRate: gradedCount > 0 ? passedCount / gradedCount : null }
}

function isGraded({ tally }: ConsideredRun): boolean {
  return tally.sessionsGraded > 0
}

/** Number of latest runs of a project that the overview covers. */
export const OVERVIEW_RUNS = 50

/** Reads the overview of a project inside the caller's transaction. */
function readOverview(store: Store, projectId: string): SwarmOverview {
  return overviewOf(store.journeyRuns.recent(projectId, OVERVIEW_RUNS).map(run => consider(store, run)))
}

/** Reads what the overview needs of a run. Names are those at launch; whether the journey is archived is read now. */
function consider(store: Store, run: JourneyRunRow): ConsideredRun {
  const { id, projectId, journeyId, plan, status, marker, waveId, createdAt } = run
  const journey = store.journeys.get(projectId, journeyId)
  return {
    runId: id,
    journeyId,
    journeyName: plan.journey.name,
    journeyArchived: journey?.archivedAt != null,
    personaName: plan.persona.name,
    status,
    canceled: marker === 'canceled',
    stale: marker === 'stale',
    waveId,
    summary: countSessions(store.journeyRuns.attempts.counts(id)),
    tally: tallyOf(store, run),
    targets: plan.targets.map(({ hostName, modelId, environment }) => ({
      hostName,
      modelId,
      ...(environment?.name != null && { environmentName: environment.name }),
    })),
    createdAt,
  }
}
