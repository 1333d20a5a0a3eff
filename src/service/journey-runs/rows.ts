import { parseStored } from '../../lib/json-depth.ts'
import type { Criterion } from './rubric.ts'
import { insertInto, type Database } from '../core/database/database.ts'
import type { Placed } from '../store/latest-first.ts'

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

export type JourneyRunRows = {
  get(projectId: string, id: string): Placed<JourneyRunRow> | undefined
  /** Of whatever project; for work in the background. */
  find(id: string): Placed<JourneyRunRow> | undefined
  /** Latest first, from the one before `before` on. */
  pageByJourney(journeyId: string, before: number | undefined, limit: number): Placed<JourneyRunRow>[]
  /** Of every journey of a project, latest first. */
  recent(projectId: string, limit: number): Placed<JourneyRunRow>[]
  /** Latest first. */
  listByWave(projectId: string, waveId: string): Placed<JourneyRunRow>[]
  insert(row: JourneyRunRow, attempts: readonly AttemptRow[]): void
  /** Says that the runner lives; false when the run is not in flight any more. */
  beat(id: string, at: number): boolean
  /** Ends a run in flight; false when it had ended already. */
  end(id: string, end: JourneyRunEnd, at: number): boolean
  attempts: {
    /** In order of position. */
    list(runId: string): AttemptRow[]
    counts(runId: string): AttemptCount[]
    /** pending → running; false when it was no longer pending. */
    begin(runId: string, position: number, at: number): boolean
    /** running → its end, which is its session's last activity; false when somebody ended it before. */
    end(runId: string, position: number, end: AttemptEnd, at: number): boolean
    /** Ends every pending and running one; their number. One that never ran begins at the same moment. */
    endUnfinished(runId: string, end: AttemptEnd, at: number): number
  }
}

const UNFINISHED = `status IN ('pending', 'running')`

type StoredRun = Placed<Omit<JourneyRunRow, 'plan'> & { plan: string }>

export function createJourneyRunRows(database: Database): JourneyRunRows {
  const list = (condition: string, values: Record<string, string | number>) =>
    database.all<StoredRun>(`SELECT * FROM journeyRun WHERE ${condition}`, values).map(read)
  return {
    get: (projectId, id) => list('id = :id AND projectId = :projectId', { id, projectId })[0],
    find: id => list('id = :id', { id })[0],
    pageByJourney: (journeyId, before = Number.MAX_SAFE_INTEGER, limit) =>
      list('journeyId = :journeyId AND position < :before ORDER BY position DESC LIMIT :limit', {
        journeyId,
        before,
        limit,
      }),
    recent: (projectId, limit) =>
      list('projectId = :projectId ORDER BY position DESC LIMIT :limit', { projectId, limit }),
    listByWave: (projectId, waveId) =>
      list('projectId = :projectId AND waveId = :waveId ORDER BY position DESC', { projectId, waveId }),
    insert(row, attempts) {
      const values = { ...row, plan: JSON.stringify(row.plan) }
      database.run(insertInto('journeyRun', Object.keys(values)), values)
      for (const attempt of attempts)
        database.run(insertInto('journeyAttempt', Object.keys(attempt)), attempt)
    },
    beat: (id, at) =>
      database.run(`UPDATE journeyRun SET lastHeartbeatAt = :at WHERE id = :id AND status = 'running'`, {
        id,
        at,
      }) > 0,
    end: (id, { status, marker, error }, at) =>
      database.run(
        `UPDATE journeyRun SET status = :status, marker = :marker, error = :error, endedAt = :at
         WHERE id = :id AND status = 'running'`,
        { id, status, marker, error, at },
      ) > 0,
    attempts: attemptRows(database),
  }
}

function attemptRows(database: Database): JourneyRunRows['attempts'] {
  const ended = 'status = :status, errorCode = :errorCode, errorMessage = :errorMessage, endedAt = :at'
  const touch = (condition: string, values: Record<string, string | number>) =>
    database.run(
      `UPDATE journeySession SET lastActivityAt = :at WHERE runId = :runId AND ${condition}`,
      values,
    )
  return {
    list: runId =>
      database.all('SELECT * FROM journeyAttempt WHERE runId = :runId ORDER BY position', { runId }),
    counts: runId =>
      database.all(
        `SELECT targetPosition, status, count(*) AS count FROM journeyAttempt
         WHERE runId = :runId GROUP BY targetPosition, status`,
        { runId },
      ),
    begin: (runId, position, at) =>
      database.run(
        `UPDATE journeyAttempt SET status = 'running', startedAt = :at
         WHERE runId = :runId AND position = :position AND status = 'pending'`,
        { runId, position, at },
      ) > 0,
    end(runId, position, { status, errorCode, errorMessage }, at) {
      const changed = database.run(
        `UPDATE journeyAttempt SET ${ended}
         WHERE runId = :runId AND position = :position AND status = 'running'`,
        { runId, position, status, errorCode, errorMessage, at },
      )
      if (changed > 0) touch('attemptPosition = :position', { runId, position, at })
      return changed > 0
    },
    endUnfinished(runId, { status, errorCode, errorMessage }, at) {
      touch(
        `attemptPosition IN (SELECT position FROM journeyAttempt WHERE runId = :runId AND ${UNFINISHED})`,
        {
          runId,
          at,
        },
      )
      return database.run(
        `UPDATE journeyAttempt SET ${ended}, startedAt = coalesce(startedAt, :at)
         WHERE runId = :runId AND ${UNFINISHED}`,
        { runId, status, errorCode, errorMessage, at },
      )
    },
  }
}

function read({ plan, ...row }: StoredRun): Placed<JourneyRunRow> {
  return { ...row, plan: parseStored(plan) as JourneyRunPlan }
}
