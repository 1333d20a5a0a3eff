import type { FeedFilter } from '../core/list-page.ts'
import { parseStored } from '../../lib/json-depth.ts'
import type { ConversationToolCall, ConversationUsage } from '../conversations/conversation.ts'
import type { Database } from '../core/database/database.ts'
import { json, tableOf, type Placed } from '../core/database/table.ts'
import type { AttemptRow, JourneyRunPlan } from './rows.ts'

/** What the grading of one session found; every criterion of the rubric has its verdict. */
export type SessionGrades = {
  goal: { score: number; passed: boolean; reason: string }
  /** By id of the criterion. */
  criteria: Record<string, { passed: boolean; reason: string }>
}

export type JourneySessionRow = {
  id: string
  /** The runtime's key, which is no address of the API. */
  chatSessionId: string
  projectId: string
  runId: string
  /** Place of its attempt in the run. */
  attemptPosition: number
  /** What the persona said first; null until then. */
  preview: string | null
  messageCount: number
  userMessageCount: number
  toolCallCount: number
  /** Of assistant and persona, as far as the endpoint reported. */
  inputTokens: number
  outputTokens: number
  /** Null = not graded, since it has not come to its end; `failed` = the grader broke. */
  grading: 'pending' | 'graded' | 'failed' | null
  grades?: SessionGrades | undefined
  gradingError: string | null
  startedAt: number
  lastActivityAt: number
}

/** One message with what it took; `user` is the persona. */
export type JourneyMessageRow = {
  sessionId: string
  /** From 0. */
  position: number
  role: 'user' | 'assistant'
  text: string
  /** Of an assistant's message: the calls that led to it. Long results are clipped. */
  toolCalls: ConversationToolCall[]
  usage: ConversationUsage
  durationMs: number
  createdAt: number
}

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
type StoredMessage = Omit<JourneyMessageRow, 'usage'> & ConversationUsage

export function createJourneySessionRows(database: Database) {
  const sessions = tableOf<JourneySessionRow, Placed<JourneySessionRow>>(database, 'journeySession', {
    kinds: { grades: json() },
  })
  const messages = tableOf<StoredMessage>(database, 'journeyMessage', {
    key: 'sessionId',
    kinds: { toolCalls: json() },
  })
  return {
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
        preview: null,
        messageCount: 0,
        userMessageCount: 0,
        toolCallCount: 0,
        inputTokens: 0,
        outputTokens: 0,
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
    /** Adds a message behind the others, and what it adds up to. */
    append({ toolCalls, usage, ...message }: Omit<JourneyMessageRow, 'position'>) {
      const { sessionId, role, text, createdAt } = message
      const { inputTokens, outputTokens } = usage
      const values = { ...message, ...usage, toolCalls: JSON.stringify(toolCalls) }
      const columns = Object.keys(values)
      database.run(
        `INSERT INTO journeyMessage (position, ${columns.join(', ')})
         SELECT messageCount, ${columns.map(name => `:${name}`).join(', ')} FROM journeySession WHERE id = :sessionId`,
        values,
      )
      const isUser = role === 'user'
      database.run(
        `UPDATE journeySession SET messageCount = messageCount + 1, lastActivityAt = :createdAt,
                userMessageCount = userMessageCount + :isUser, toolCallCount = toolCallCount + :calls,
                inputTokens = inputTokens + :inputTokens, outputTokens = outputTokens + :outputTokens,
                preview = coalesce(preview, iif(:isUser, :text, NULL))
         WHERE id = :sessionId`,
        { sessionId, createdAt, isUser, text, calls: toolCalls.length, inputTokens, outputTokens },
      )
    },
    /** Oldest first. */
    messages: (sessionId: string) => messages.all({ sessionId }, 'ORDER BY position').map(readMessage),
    /** Null → pending. */
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

function readMessage({ inputTokens, outputTokens, totalTokens, ...row }: StoredMessage): JourneyMessageRow {
  return { ...row, usage: { inputTokens, outputTokens, totalTokens } }
}
