import type { Assertion } from '../evals/types.ts'
import type { Database } from '../../lib/sqlite.ts'
import { json, tableOf, type Placed, type Table } from '../core/database/table.ts'
import type { TokenUsage } from '../core/token-usage.ts'
import type { FeedFilter } from '../core/list-page.ts'
import { parseStored } from '../../lib/json.ts'
import { createMessageRows, NOTHING_SAID, type MessageRow, type MessageTotals } from '../conversations/message-rows.ts'

/** A grading criterion. A `check` is an assertion over the transcript, a `judge` a yes-or-no question. */
export type Criterion = { id: string; label: string } & (
  | { kind: 'check'; assertion: Assertion }
  | { kind: 'judge'; question: string }
)

/** The criteria for every journey, because the contract has no field for them. Each run stores a copy. */
export const RUBRIC: readonly Criterion[] = [
  { id: 'no-tool-errors', label: 'No tool call failed', kind: 'check', assertion: { type: 'noToolErrors' } },
  {
    id: 'answered',
    label: 'The last answer says something',
    kind: 'check',
    assertion: { type: 'finalAssistantMessageNonEmpty' },
  },
  {
    id: 'grounded',
    label: 'Claims rest on tool results',
    kind: 'judge',
    question:
      'Is every fact that the assistant states supported by a tool result, by the persona, or by common knowledge?',
  },
  {
    id: 'fitting-tools',
    label: 'Tool calls serve the goal',
    kind: 'judge',
    question:
      'Did the assistant use a tool wherever one was needed, and did every tool call that it made serve the goal?',
  },
  {
    id: 'understandable',
    label: 'The persona can follow the answers',
    kind: 'judge',
    question: 'Could a person with this role and these notes understand and use the answers of the assistant?',
  },
]

/** Status of a run, in progress or ended (contract: "Journey run `status`"). */
export type JourneyRunStatus = 'running' | 'completed' | 'partial' | 'failed' | 'rate_limited'
export type AttemptStatus = 'pending' | 'running' | 'succeeded' | 'failed' | 'rate_limited'

/** A target of a run's sessions, as it was resolved at launch. */
export type JourneyTarget = {
  /** Id of the environment, or of the client if the journey names clients. */
  targetId: string
  hostId: string
  hostName: string
  modelId: string
  /** The environment and its revision when the run was launched. */
  environment?: { id: string; name: string | null; revision: number }
  systemPrompt?: string
  temperature?: number
  servers: { id: string; name: string }[]
}

/** Everything that was fixed at launch, so that later edits do not change the run. */
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
  /**
   * Set if someone cancelled the run or its process stopped responding; null while it is in progress and if it ended by
   * itself.
   */
  marker: 'canceled' | 'stale' | null
  /** Why the run ended, if its attempts do not show it. */
  error: string | null
  plan: JourneyRunPlan
  createdAt: number
  lastHeartbeatAt: number
  endedAt: number | null
}

export type AttemptRow = {
  runId: string
  position: number
  targetPosition: number
  /** Number of the session among those of its target, starting at 0. */
  sessionIndex: number
  status: AttemptStatus
  errorCode: string | null
  errorMessage: string | null
  startedAt: number | null
  endedAt: number | null
}

/** Number of a run's attempts by target and status. Combinations without attempts are left out. */
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
    /** Finds a run of any project, for background work. */
    find: (id: string) => runs.one({ id }),
    pageByJourney: (journeyId: string, before: number | undefined, limit: number) =>
      runs.latest({ journeyId }, before, limit),
    recent: (projectId: string, limit: number) => runs.latest({ projectId }, undefined, limit),
    listByWave: (projectId: string, waveId: string) => runs.all({ projectId, waveId }, 'ORDER BY position DESC'),
    insert(row: JourneyRunRow, planned: readonly AttemptRow[]) {
      runs.basics.insert(row)
      for (const attempt of planned) attempts.basics.insert(attempt)
    },
    /** Records that the process of the run is alive. Returns false if the run is not in progress any more. */
    beat: (id: string, lastHeartbeatAt: number) => runs.change({ id, status: 'running' }, { lastHeartbeatAt }) > 0,
    /** Ends a run in progress. Returns false if it had already ended. */
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
    /** Begins a pending attempt. Returns false if the attempt was not pending any more. */
    begin: (runId: string, position: number, startedAt: number) =>
      attempts.change({ runId, position, status: 'pending' }, { status: 'running', startedAt }) > 0,
    /**
     * Ends a running attempt; this is also the last activity of its session. Returns false if someone had already ended
     * it.
     */
    end(runId: string, position: number, { status, errorCode, errorMessage }: AttemptEnd, at: number) {
      const end = { status, errorCode, errorMessage, endedAt: at }
      const changed = attempts.change({ runId, position, status: 'running' }, end)
      if (changed > 0) touch('attemptPosition = :position', { runId, position, at })
      return changed > 0
    },
    /**
     * Ends all pending and running attempts and returns their number. The time at which a pending attempt ends is also
     * its beginning.
     */
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

/** The grades of one session. Every criterion of the rubric has a verdict. */
export type SessionGrades = {
  goal: { score: number; passed: boolean; reason: string }
  criteria: Record<string, { passed: boolean; reason: string }>
}

export type JourneySessionRow = MessageTotals & {
  id: string
  /** Key of the session where it was played; no path of the API contains it. */
  chatSessionId: string
  projectId: string
  runId: string
  attemptPosition: number
  /** Null if the session is not graded, since it has not ended normally; `failed` if the grader itself failed. */
  grading: 'pending' | 'graded' | 'failed' | null
  grades?: SessionGrades | undefined
  gradingError: string | null
  startedAt: number
  lastActivityAt: number
}

/** One message. The role of the persona is `user`. */
export type JourneyMessageRow = MessageRow<'user' | 'assistant'>

/** A session with its run and journey. */
export type JourneyFeedRow = JourneySessionRow & {
  journeyId: string
  waveId: string
  plan: JourneyRunPlan
  attempt: Pick<AttemptRow, 'targetPosition' | 'status' | 'errorMessage'>
}

type FeedColumns = Placed<JourneySessionRow> &
  Pick<JourneyFeedRow, 'journeyId' | 'waveId'> &
  JourneyFeedRow['attempt'] & { plan: string }

export function createJourneySessionRows(database: Database) {
  const sessions = tableOf<JourneySessionRow, Placed<JourneySessionRow>>(database, 'journeySession', {
    kinds: { grades: json() },
  })
  return {
    ...createMessageRows<JourneyMessageRow['role']>(database, {
      messageTable: 'journeyMessage',
      sessionTable: 'journeySession',
    }),
    get: sessions.basics.get,
    listByRun: (runId: string) => sessions.all({ runId }, 'ORDER BY position'),
    pageByRun: (runId: string, before: number | undefined, limit: number) => sessions.latest({ runId }, before, limit),
    insert: (
      row: Pick<JourneySessionRow, 'id' | 'chatSessionId' | 'projectId' | 'runId' | 'attemptPosition' | 'startedAt'>,
    ) =>
      sessions.basics.insert({
        ...row,
        ...NOTHING_SAID,
        grading: null,
        gradingError: null,
        lastActivityAt: row.startedAt,
      }),
    /**
     * Returns the sessions of a project, sorted by their last activity.
     * @param filter `endedOnly`: only sessions whose attempt has ended
     */
    feed(projectId: string, { order, after, endedOnly, limit }: FeedFilter & { endedOnly: boolean }) {
      const [direction, beyond] = order === 'newest' ? ['DESC', '<'] : ['ASC', '>']
      const sql = `
        SELECT s.*, r.journeyId, r.waveId, r.plan, a.targetPosition, a.status, a.errorMessage
        FROM journeySession s
        CROSS JOIN journeyRun r ON r.id = s.runId
        CROSS JOIN journeyAttempt a ON a.runId = s.runId AND a.position = s.attemptPosition
        WHERE s.projectId = :projectId
          ${after ? `AND (s.lastActivityAt, s.id) ${beyond} (:at, :id)` : ''}
          ${endedOnly ? 'AND a.endedAt IS NOT NULL' : ''}
        ORDER BY s.lastActivityAt ${direction}, s.id ${direction} LIMIT :limit`
      return database
        .all<object>(sql, { projectId, limit, ...after })
        .map(row => readFeedRow(sessions.read<FeedColumns>(row)))
    },
    /** Adds tokens that models used for no message. */
    spend: (id: string, { inputTokens, outputTokens }: TokenUsage) =>
      database.run(
        `UPDATE journeySession SET inputTokens = inputTokens + :inputTokens, outputTokens = outputTokens + :outputTokens
         WHERE id = :id`,
        { id, inputTokens, outputTokens },
      ),
    claimForGrading: (id: string) => sessions.change({ id, grading: null }, { grading: 'pending' }),
    /** Ends the grading of a session, with grades or a reason. Returns false if it was not pending. */
    endGrading: (id: string, end: { grades: SessionGrades } | { error: string }) =>
      sessions.change(
        { id, grading: 'pending' },
        'grades' in end
          ? { grading: 'graded', grades: end.grades, gradingError: null }
          : { grading: 'failed', grades: undefined, gradingError: end.error },
      ) > 0,
  }
}

function readFeedRow({ plan, targetPosition, status, errorMessage, ...row }: FeedColumns): JourneyFeedRow {
  return { ...row, plan: parseStored(plan) as JourneyRunPlan, attempt: { targetPosition, status, errorMessage } }
}
