import { parseStored } from '../../lib/json-depth.ts'
import type { ConversationToolCall, ConversationUsage } from '../conversations/conversation.ts'
import { fromJson, insertInto, type Database } from '../core/database/database.ts'
import type { AttemptRow, JourneyRunPlan } from './rows.ts'
import type { Placed } from '../store/latest-first.ts'

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
  /** Of assistant and persona, as far as the endpoint told. */
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

export type JourneyFeedFilter = {
  order: 'newest' | 'oldest'
  /** Only what comes behind it in that order. */
  after: { at: number; id: string } | undefined
  /** Only sessions whose attempt has ended. */
  endedOnly: boolean
  limit: number
}

export type JourneySessionRows = {
  get(projectId: string, id: string): Placed<JourneySessionRow> | undefined
  /** In the order in which they began. */
  listByRun(runId: string): Placed<JourneySessionRow>[]
  /** Latest first, from the one before `before` on. */
  pageByRun(runId: string, before: number | undefined, limit: number): Placed<JourneySessionRow>[]
  insert(
    row: Pick<
      JourneySessionRow,
      'id' | 'chatSessionId' | 'projectId' | 'runId' | 'attemptPosition' | 'startedAt'
    >,
  ): void
  /** Of a whole project, in the order of their last activity. */
  feed(projectId: string, filter: JourneyFeedFilter): JourneyFeedRow[]
  /** Adds a message behind the others, and what it adds up to. */
  append(message: Omit<JourneyMessageRow, 'position'>): void
  /** Oldest first. */
  messages(sessionId: string): JourneyMessageRow[]
  /** Null → pending. */
  claimForGrading(id: string): void
  /** pending → graded, or failed with the reason; false when it was not pending. */
  endGrading(id: string, end: { grades: SessionGrades } | { error: string }): boolean
}

type StoredSession = Placed<Omit<JourneySessionRow, 'grades'> & { grades: string | null }>
type StoredFeedRow = StoredSession &
  Pick<JourneyFeedRow, 'journeyId' | 'waveId'> &
  JourneyFeedRow['attempt'] & { plan: string }
type StoredMessage = Omit<JourneyMessageRow, 'toolCalls' | 'usage'> &
  ConversationUsage & { toolCalls: string }

export function createJourneySessionRows(database: Database): JourneySessionRows {
  const list = (condition: string, values: Record<string, string | number>) =>
    database.all<StoredSession>(`SELECT * FROM journeySession WHERE ${condition}`, values).map(readSession)
  return {
    get: (projectId, id) => list('id = :id AND projectId = :projectId', { id, projectId })[0],
    listByRun: runId => list('runId = :runId ORDER BY position', { runId }),
    pageByRun: (runId, before = Number.MAX_SAFE_INTEGER, limit) =>
      list('runId = :runId AND position < :before ORDER BY position DESC LIMIT :limit', {
        runId,
        before,
        limit,
      }),
    insert(row) {
      const nothingYet = {
        messageCount: 0,
        userMessageCount: 0,
        toolCallCount: 0,
        inputTokens: 0,
        outputTokens: 0,
      }
      const values = { ...row, ...nothingYet, lastActivityAt: row.startedAt }
      database.run(insertInto('journeySession', Object.keys(values)), values)
    },
    feed(projectId, { order, after, endedOnly, limit }) {
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
      return database.all<StoredFeedRow>(sql, { projectId, limit, ...after }).map(readFeedRow)
    },
    append({ toolCalls, usage, ...message }) {
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
    messages: sessionId =>
      database
        .all<StoredMessage>('SELECT * FROM journeyMessage WHERE sessionId = :sessionId ORDER BY position', {
          sessionId,
        })
        .map(readMessage),
    claimForGrading: id =>
      void database.run(`UPDATE journeySession SET grading = 'pending' WHERE id = :id AND grading IS NULL`, {
        id,
      }),
    endGrading(id, end) {
      const [grading, grades, error] =
        'grades' in end ? ['graded', JSON.stringify(end.grades), null] : ['failed', null, end.error]
      return (
        database.run(
          `UPDATE journeySession SET grading = :grading, grades = :grades, gradingError = :error
           WHERE id = :id AND grading = 'pending'`,
          { id, grading, grades, error },
        ) > 0
      )
    },
  }
}

function readSession({ grades, ...row }: StoredSession): Placed<JourneySessionRow> {
  return { ...row, grades: fromJson<SessionGrades>(grades) }
}

function readFeedRow(stored: StoredFeedRow): JourneyFeedRow {
  const { plan, targetPosition, status, errorMessage, ...row } = stored
  return {
    ...readSession(row),
    journeyId: row.journeyId,
    waveId: row.waveId,
    plan: parseStored(plan) as JourneyRunPlan,
    attempt: { targetPosition, status, errorMessage },
  }
}

function readMessage(stored: StoredMessage): JourneyMessageRow {
  const { toolCalls, inputTokens, outputTokens, totalTokens, ...row } = stored
  return {
    ...row,
    toolCalls: parseStored(toolCalls) as ConversationToolCall[],
    usage: { inputTokens, outputTokens, totalTokens },
  }
}
