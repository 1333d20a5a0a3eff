import type { Assertion } from '../evals/types.ts'
import type { Database } from '../../lib/sqlite.ts'
import { json, tableOf, type Placed, type Table } from '../core/database/table.ts'
import type { TokenUsage } from '../core/token-usage.ts'
import type { FeedFilter } from '../core/list-page.ts'
import { parseStored } from '../../lib/json.ts'
import { createMessageRows, NOTHING_SAID, type MessageRow, type MessageTotals } from '../conversations/message-rows.ts'

/** A grading criterion: a `check` is an assertion over the transcript, a `judge` a yes-or-no question. */
export type Criterion = { id: string; label: string } & (
  | { kind: 'check'; assertion: Assertion }
  | { kind: 'judge'; question: string }
)

/** The rubric of every journey, because the contract has no field for one; a run keeps its copy. */
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
  endedAt: number | null
}

export type AttemptRow = {
  runId: string
  position: number
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
    pageByJourney: (journeyId: string, before: number | undefined, limit: number) =>
      runs.latest({ journeyId }, before, limit),
    recent: (projectId: string, limit: number) => runs.latest({ projectId }, undefined, limit),
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

/** What the grading of one session found; every criterion of the rubric has its verdict. */
export type SessionGrades = {
  goal: { score: number; passed: boolean; reason: string }
  criteria: Record<string, { passed: boolean; reason: string }>
}

export type JourneySessionRow = MessageTotals & {
  id: string
  /** The runtime's key, which is not an address of the API. */
  chatSessionId: string
  projectId: string
  runId: string
  attemptPosition: number
  /** Null = not graded, since it has not come to its end; `failed` = the grader broke. */
  grading: 'pending' | 'graded' | 'failed' | null
  grades?: SessionGrades | undefined
  gradingError: string | null
  startedAt: number
  lastActivityAt: number
}

/** One message; `user` is the persona. */
export type JourneyMessageRow = MessageRow<'user' | 'assistant'>

/** A session with what it belongs to. */
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
    /** Of a whole project, in the order of their last activity. */
    /** @param filter `endedOnly`: only sessions whose attempt has ended */
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
    /** Adds what models took without a message to show for it. */
    spend: (id: string, { inputTokens, outputTokens }: TokenUsage) =>
      database.run(
        `UPDATE journeySession SET inputTokens = inputTokens + :inputTokens, outputTokens = outputTokens + :outputTokens
         WHERE id = :id`,
        { id, inputTokens, outputTokens },
      ),
    claimForGrading: (id: string) => sessions.change({ id, grading: null }, { grading: 'pending' }),
    /** pending → graded, or failed with the reason; false when it was not pending. */
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
