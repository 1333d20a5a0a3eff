import { SESSION_SOURCES } from '../../api/contract/choices.ts'
import type { Store } from '../core/database/store.ts'
import { invalidField } from '../core/validation.ts'
import { evalSessions, journeySessions, visitorSessions, chatSessionIdOf } from './eval-sessions.ts'
import {
  comparePlaces,
  type SessionFilter,
  type SessionPlace,
  type SessionRow,
  type SourceType,
  type SessionSource,
  answerSpans,
  sessionLink,
} from './session.ts'
import type { ChatMessageRow, ChatRow } from '../chats/chats.ts'
import { oneLine } from '../core/one-line.ts'
import { SESSION_IDLE_MS } from '../scenarios/access.ts'
/** The projects and the surfaces (evals, visits, journeys, chats) whose sessions a feed shows. */
export type FeedScope = {
  projectIds: readonly string[]
  /** Absent means every surface. */
  sourceTypes?: readonly SourceType[] | undefined
}

type FeedPage = { rows: SessionRow[]; nextCursor?: string }

/** Reads the sessions of several projects and surfaces as one list. @returns at most `filter.limit` rows */
export function readSessions(store: Store, scope: FeedScope, filter: SessionFilter): SessionRow[] {
  const wanted = sessionSources.filter(({ sourceType }) => scope.sourceTypes?.includes(sourceType) ?? true)
  return scope.projectIds
    .flatMap(projectId => wanted.flatMap(source => source.rows(store, projectId, filter)))
    .toSorted(comparePlaces(filter.order))
    .slice(0, filter.limit)
}

/**
 * Reads one page of a feed. A cursor contains the place of the last row.
 * @param list names the feed with its options
 * @throws ServiceError `VALIDATION_ERROR`
 */
export function readFeedPage(
  store: Store,
  list: string,
  scope: FeedScope,
  { cursor, ...filter }: Omit<SessionFilter, 'after'> & { cursor: string | undefined },
): FeedPage {
  const after = cursor === undefined ? undefined : toPlace(store.cursors.readText(list, cursor))
  // One row more than requested shows whether there is a next page.
  const found = readSessions(store, scope, { ...filter, after, limit: filter.limit + 1 })
  const rows = found.slice(0, filter.limit)
  const last = rows.at(-1)?.summary
  return found.length > filter.limit && last
    ? { rows, nextCursor: store.cursors.write(list, `${last.lastActivityAt}:${last.id}`) }
    : { rows }
}

/**
 * @throws ServiceError `VALIDATION_ERROR` for an unknown surface, which must not be ignored as that would widen the
 * filter
 */
export function readSourceTypes(text: string | undefined, field: string): SourceType[] | undefined {
  if (text === undefined) return undefined
  return text.split(',').map(entry => {
    const known = SESSION_SOURCES.find(source => source === entry.trim())
    if (known) return known
    throw invalidField(field, `expected a comma list of ${SESSION_SOURCES.join(', ')}`)
  })
}

function toPlace(text: string): SessionPlace {
  const separator = text.indexOf(':')
  return { at: Number(text.slice(0, separator)), id: text.slice(separator + 1) }
}

/** Chats of members. They cannot be archived. They count as ended after the same inactivity as a visitor's session. */
const chats: SessionSource = {
  sourceType: 'direct',
  rows(store, projectId, { status, endedOnly, ...filter }) {
    if (status === 'archived') return []
    const overSince = endedOnly ? Date.now() - SESSION_IDLE_MS : undefined
    const rows = store.chats.feed(projectId, { ...filter, overSince })
    return rows.map(row => toSession(row, store.chats.messages(row.id)))
  },
}

function toSession(row: ChatRow, messages: readonly ChatMessageRow[]): SessionRow {
  const { id, projectId, environmentId, clientId } = row
  const last = messages.at(-1)
  const hasFailed = last?.role === 'system'
  return {
    summary: {
      id,
      chatSessionId: chatSessionIdOf(id),
      projectId,
      sourceType: 'direct',
      origin: 'api',
      status: 'active',
      synthetic: false,
      lockReason: null,
      title: row.title,
      firstMessagePreview: oneLine(row.preview ?? ''),
      visibility: 'project',
      ownedByViewer: false,
      startedAt: row.startedAt,
      lastActivityAt: row.lastActivityAt,
      modelId: row.modelId,
      messageCount: row.messageCount,
      cumulativeUserMessageCount: row.userMessageCount,
      cumulativeToolCallCount: row.toolCallCount,
      cumulativeInputTokens: row.inputTokens,
      cumulativeOutputTokens: row.outputTokens,
      parentRef: null,
      link: sessionLink(`projects/${projectId}/sessions/${id}`),
    },
    messages: messages.map(({ role, text }) => ({ role, content: text })),
    finalText: messages.findLast(({ role }) => role === 'assistant')?.text ?? '',
    spans: () => messages.flatMap(answerSpans),
    status: hasFailed ? 'error' : last?.role === 'assistant' ? 'ok' : 'unset',
    ...(hasFailed && { error: last.text }),
    attributes: {
      ...(environmentId !== null && { 'mcpdeck.environment.id': environmentId }),
      ...(clientId !== null && { 'mcpdeck.client.id': clientId }),
    },
  }
}

/** Every surface that has sessions in this workspace, for feeds, searches and exports. */
const sessionSources: readonly SessionSource[] = [evalSessions, visitorSessions, journeySessions, chats]
