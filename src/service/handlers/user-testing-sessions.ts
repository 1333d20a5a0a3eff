import type { TranscriptMessage, UserTestingSession } from '../../api/contract/user-testing-sessions.ts'
import { ServiceError } from '../errors.ts'
import { oneLine } from '../evals/one-line.ts'
import { requireScenario } from '../scenarios/records.ts'
import { chatSessionIdOf } from '../sessions/visitor-sessions.ts'
import type { VisitorMessageRow, VisitorSessionSummary } from '../store/visitor-sessions.ts'
import type { Handlers, ServiceContext } from './handler.ts'

const SESSIONS_A_PAGE = 50
const MESSAGES_A_PAGE = 100

export function userTestingSessionHandlers({ store }: ServiceContext): Handlers['userTestingSessions'] {
  /** One row more than the page holds tells whether there is a next one. */
  const pageOf = <T>(list: string, found: T[], size: number, position: (row: T) => number) => {
    const shown = found.slice(0, size)
    const last = shown.at(-1)
    const more = found.length > size && last !== undefined
    return { shown, ...(more && { nextCursor: store.cursors.write(list, position(last)) }) }
  }
  return {
    list: ({ project, params, query }) =>
      store.read(() => {
        const { id } = requireScenario(store, project.id, params.scenarioId)
        const list = `visitor-sessions/${id}`
        const before = query.cursor === undefined ? undefined : store.cursors.read(list, query.cursor)
        const found = store.visitorSessions.page(id, before, SESSIONS_A_PAGE + 1)
        const { shown, ...next } = pageOf(list, found, SESSIONS_A_PAGE, ({ number }) => number)
        return { items: shown.map(toUserTestingSession), ...next }
      }),
    get: ({ project, params, query }) =>
      store.read(() => {
        const scenario = requireScenario(store, project.id, params.scenarioId)
        const session = store.visitorSessions.summary(scenario.id, params.sessionId)
        if (!session)
          throw new ServiceError('NOT_FOUND', `There is no session ${params.sessionId} in this scenario.`)
        const list = `visitor-messages/${session.id}`
        const after = query.cursor === undefined ? -1 : store.cursors.read(list, query.cursor)
        const found = store.visitorSessions.messages.page(session.id, after, MESSAGES_A_PAGE + 1)
        const { shown, ...next } = pageOf(list, found, MESSAGES_A_PAGE, ({ position }) => position)
        const { id, scenarioId, modelId, startedAt, lastActivityAt, messageCount } = session
        return {
          id,
          scenarioId,
          chatSessionId: chatSessionIdOf(id),
          modelId,
          startedAt,
          lastActivityAt,
          messageCount,
          messages: shown.map(toTranscriptMessage),
          ...next,
        }
      }),
  }
}

function toUserTestingSession(row: VisitorSessionSummary): UserTestingSession {
  const { id, messageCount, preview, modelId, toolCallCount, authInterrupted, startedAt, lastActivityAt } =
    row
  const { displayName, authType, recency, deviceKind, language } = row
  return {
    id,
    chatSessionId: chatSessionIdOf(id),
    messageCount,
    preview: oneLine(preview ?? ''),
    modelId,
    toolCallCount,
    authInterrupted,
    visitor: { displayName, authType, recency, deviceKind, language },
    feedback: { rating: row.rating, comment: row.comment, count: row.feedbackCount },
    startedAt,
    lastActivityAt,
  }
}

/** Payloads stay out: of a call only that it was made and whether it worked. */
function toTranscriptMessage({
  role,
  text,
  toolName,
  isError,
  createdAt,
}: VisitorMessageRow): TranscriptMessage {
  if (role !== 'tool') return { role, text, createdAt }
  return {
    role,
    text: isError ? 'The tool answered with an error.' : 'The tool answered.',
    toolName,
    createdAt,
  }
}
