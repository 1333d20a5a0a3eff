import type { Criterion } from './rubric.ts'
import type { Database } from '../../lib/sqlite.ts'
import { json, tableOf, type Placed, type Table } from '../core/database/table.ts'

/** A run while it is in flight, and its ends (contract: "Journey run `status`"). */
export type JourneyRunStatus = 'running' | 'completed' | 'partial' | 'failed' | 'rate_limited'
export type AttemptStatus = 'pending' | 'running' | 'succeeded' | 'failed' | 'rate_limited'

/** Where sessions of a run take place, as it was resolved at launch. */
export type JourneyTarget = {
  /** Id of the environment, or of the client that the journey is pinned to. */
  targetId: string
  hostId: string
  hostName: string
  modelId: string
  /** The environment at the revision that was resolved for the run. */
  environment?: { id: string; name: string | null; revision: number }
  systemPrompt?: string
  temperature?: number
  servers: { id: string; name: string }[]
}

/** Everything that was fixed at launch, so that later edits change nothing. */
export type JourneyRunPlan = {
  journey: { name: string; goal: string; sessionsPerTarget: number; maxTurns: number }
  persona: { id: string; name: string; role: string; notes: string | null }
  targets: JourneyTarget[]
  rubric: Criterion[]
}

export type JourneyRunRow = {
  id: string
  projectId: string
  journeyId: string
  waveId: string
  status: JourneyRunStatus
  /** Somebody stopped it, or its process went silent; null = it ended by itself or is in flight. */
  marker: 'canceled' | 'stale' | null
  /** Why it ended as it did, where its attempts do not say so. */
  error: string | null
  plan: JourneyRunPlan
  createdAt: number
  lastHeartbeatAt: number
  /** Null = in flight. */
  endedAt: number | null
}

/** One session of a run as the runner sees it. */
export type AttemptRow = {
  runId: string
  /** Place in the run, from 0. */
  position: number
  /** Place of its target in the plan, from 0. */
  targetPosition: number
  /** From 0, counted for each target. */
  sessionIndex: number
  status: AttemptStatus
  errorCode: string | null
  errorMessage: string | null
  startedAt: number | null
  endedAt: number | null
}

/** Attempts of a run by target and status; those that do not occur are left out. */
export type AttemptCount = { targetPosition: number; status: AttemptStatus; count: number }

export type AttemptEnd = Pick<AttemptRow, 'errorCode' | 'errorMessage'> & {
  status: Exclude<AttemptStatus, 'pending' | 'running'>
}

type JourneyRunEnd = Pick<JourneyRunRow, 'status' | 'marker' | 'error'>

const UNFINISHED = `status IN ('pending', 'running')`

export function createJourneyRunRows(database: Database) {
  const runs = tableOf<JourneyRunRow, Placed<JourneyRunRow>>(database, 'journeyRun', { kinds: { plan: json() } })
  const attempts = tableOf<AttemptRow>(database, 'journeyAttempt', { key: 'runId' })
  return {
    get: runs.basics.get,
    require: runs.basics.require,
    /** Of whatever project; for work in the background. */
    find: (id: string) => runs.one({ id }),
    /** Latest first, from the one before `before` on. */
    pageByJourney: (journeyId: string, before: number | undefined, limit: number) =>
      runs.latest({ journeyId }, before, limit),
    /** Of every journey of a project, latest first. */
    recent: (projectId: string, limit: number) => runs.latest({ projectId }, undefined, limit),
    /** Latest first. */
    listByWave: (projectId: string, waveId: string) => runs.all({ projectId, waveId }, 'ORDER BY position DESC'),
    insert(row: JourneyRunRow, planned: readonly AttemptRow[]) {
      runs.basics.insert(row)
      for (const attempt of planned) attempts.basics.insert(attempt)
    },
    /** Says that the runner lives; false when the run is not in flight any more. */
    beat: (id: string, lastHeartbeatAt: number) => runs.change({ id, status: 'running' }, { lastHeartbeatAt }) > 0,
    /** Ends a run in flight; false when it had already ended. */
    end: (id: string, { status, marker, error }: JourneyRunEnd, endedAt: number) =>
      runs.change({ id, status: 'running' }, { status, marker, error, endedAt }) > 0,
    attempts: attemptRows(database, attempts),
  }
}

function attemptRows(database: Database, attempts: Table<AttemptRow>) {
  const touch = (condition: string, values: Record<string, string | number>) =>
    database.run(`UPDATE journeySession SET lastActivityAt = :at WHERE runId = :runId AND ${condition}`, values)
  return {
    list: (runId: string) => attempts.all({ runId }, 'ORDER BY position'),
    counts: (runId: string): AttemptCount[] =>
      database.all(
        `SELECT targetPosition, status, count(*) AS count FROM journeyAttempt
         WHERE runId = :runId GROUP BY targetPosition, status`,
        { runId },
      ),
    /** pending → running; false when it was no longer pending. */
    begin: (runId: string, position: number, startedAt: number) =>
      attempts.change({ runId, position, status: 'pending' }, { status: 'running', startedAt }) > 0,
    /** running → its end, which is its session's last activity; false when somebody ended it before. */
    end(runId: string, position: number, { status, errorCode, errorMessage }: AttemptEnd, at: number) {
      const end = { status, errorCode, errorMessage, endedAt: at }
      const changed = attempts.change({ runId, position, status: 'running' }, end)
      if (changed > 0) touch('attemptPosition = :position', { runId, position, at })
      return changed > 0
    },
    /** Ends every pending and running one; their number. One that never ran begins at the same moment. */
    endUnfinished(runId: string, { status, errorCode, errorMessage }: AttemptEnd, at: number) {
      touch(`attemptPosition IN (SELECT position FROM journeyAttempt WHERE runId = :runId AND ${UNFINISHED})`, {
        runId,
        at,
      })
      return database.run(
        `UPDATE journeyAttempt SET status = :status, errorCode = :errorCode, errorMessage = :errorMessage,
                endedAt = :at, startedAt = coalesce(startedAt, :at)
         WHERE runId = :runId AND ${UNFINISHED}`,
        { runId, status, errorCode, errorMessage, at },
      )
    },
  }
}
