import type { TranscriptMessage, UserTestingSession } from '../../api/contract/user-testing-sessions.ts'
import { ServiceError } from '../core/errors.ts'
import { oneLine } from '../core/one-line.ts'
import { requireScenario } from '../scenarios/records.ts'
import { chatSessionIdOf } from '../sessions/visitor-sessions.ts'
import type { VisitorMessageRow, VisitorSessionSummary } from '../scenarios/visitor-session-rows.ts'
import { pageSize } from '../core/list-page.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

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
        const size = pageSize(query, SESSIONS_A_PAGE)
        const found = store.visitorSessions.page(id, before, size + 1)
        const { shown, ...next } = pageOf(list, found, size, ({ number }) => number)
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
        const size = pageSize(query, MESSAGES_A_PAGE)
        const found = store.visitorSessions.messages.page(session.id, after, size + 1)
        const { shown, ...next } = pageOf(list, found, size, ({ position }) => position)
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
    ...(modelId !== null && { modelId }),
    toolCallCount,
    authInterrupted,
    visitor: known({ displayName, authType, recency, deviceKind, language }),
    feedback: { rating: row.rating, comment: row.comment, count: row.feedbackCount },
    startedAt,
    lastActivityAt,
  }
}

/** What is not known of a visitor is left out. */
function known<T extends object>(facts: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null)) as {
    [K in keyof T]?: NonNullable<T[K]>
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
