import type { TokenUsage } from '../core/token-usage.ts'
import type { FeedFilter } from '../core/list-page.ts'
import { parseStored } from '../../lib/json.ts'
import { createMessageRows, NOTHING_SAID, type MessageRow, type MessageTotals } from '../conversations/message-rows.ts'
import type { Database } from '../../lib/sqlite.ts'
import { json, tableOf, type Placed } from '../core/database/table.ts'
import type { AttemptRow, JourneyRunPlan } from './rows.ts'

/** What the grading of one session found; every criterion of the rubric has its verdict. */
export type SessionGrades = {
  goal: { score: number; passed: boolean; reason: string }
  /** By id of the criterion. */
  criteria: Record<string, { passed: boolean; reason: string }>
}

export type JourneySessionRow = MessageTotals & {
  id: string
  /** The runtime's key, which is no address of the API. */
  chatSessionId: string
  projectId: string
  runId: string
  /** Place of its attempt in the run. */
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
    /** In the order in which they began. */
    listByRun: (runId: string) => sessions.all({ runId }, 'ORDER BY position'),
    /** Latest first, from the one before `before` on. */
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
