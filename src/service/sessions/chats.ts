import type { ChatMessageRow, ChatRow } from '../chats/rows.ts'
import { oneLine } from '../core/one-line.ts'
import { SESSION_IDLE_MS } from '../scenarios/access.ts'
import { answerSpans, sessionLink, type SessionRow, type SessionSource } from './session.ts'
import { chatSessionIdOf } from './visitor-sessions.ts'

/** Chats of members; nobody archives them, and one counts as over when it was silent as long as a visit may be. */
export const chats: SessionSource = {
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
