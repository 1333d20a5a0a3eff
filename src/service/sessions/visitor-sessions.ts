import { oneLine } from '../core/one-line.ts'
import { SESSION_IDLE_MS } from '../scenarios/access.ts'
import type { VisitorFeedRow, VisitorMessageRow } from '../scenarios/visitor-session-rows.ts'
import { sessionLink, type SessionRow, type SessionSource, type SessionSpan } from './session.ts'

/** Sessions of visitors; nobody archives them. */
export const visitorSessions: SessionSource = {
  sourceType: 'scenario',
  rows: (store, projectId, { status, order, after, endedOnly, limit }) => {
    if (status === 'archived') return []
    const overSince = endedOnly ? Date.now() - SESSION_IDLE_MS : undefined
    return store.visitorSessions
      .feed(projectId, { order, after, overSince, limit })
      .map(row => toSession(projectId, row, store.visitorSessions.messages.all(row.id)))
  },
}

/** The runtime's key of a visitor's session, which the contract keeps apart from the row's. */
export function chatSessionIdOf(id: string): string {
  return id.replace(/^ses_/, 'chat_')
}

function toSession(projectId: string, row: VisitorFeedRow, messages: VisitorMessageRow[]): SessionRow {
  const { id, scenarioId, scenarioName, preview, startedAt, lastActivityAt, modelId, messageCount } = row
  const chatSessionId = chatSessionIdOf(id)
  const failure = messages.findLast(({ role }) => role === 'system')
  const answer = messages.findLast(({ role }) => role === 'assistant')
  const isFailed = failure !== undefined && failure.position > (answer?.position ?? -1)
  return {
    summary: {
      id,
      chatSessionId,
      projectId,
      sourceType: 'scenario',
      origin: 'link',
      status: 'active',
      synthetic: false,
      lockReason: null,
      title: `${scenarioName}: ${row.displayName ?? 'a guest'}`,
      firstMessagePreview: oneLine(preview ?? ''),
      visibility: 'project',
      ownedByViewer: false,
      startedAt,
      lastActivityAt,
      modelId,
      messageCount,
      cumulativeUserMessageCount: messages.filter(({ role }) => role === 'user').length,
      cumulativeToolCallCount: row.toolCallCount,
      parentRef: { kind: 'scenario', label: scenarioName, scenarioId },
      link: sessionLink(`projects/${projectId}/scenarios/${scenarioId}?tab=sessions&sessionId=${id}`),
    },
    messages: messages
      .filter(({ role }) => role === 'user' || role === 'assistant')
      .map(({ role, text }) => ({ role, content: text })),
    finalText: answer?.text ?? '',
    spans: () => messages.filter(({ role }) => role === 'tool').map(toSpan),
    status: isFailed ? 'error' : answer ? 'ok' : 'unset',
    ...(isFailed && { error: failure.text }),
    attributes: {
      'mcpdeck.scenario.id': scenarioId,
      'mcpdeck.scenario.session.id': id,
      'mcpdeck.visitor.auth': row.authType,
    },
  }
}

/** Arguments and results of visitors' calls are not kept. */
function toSpan(call: VisitorMessageRow): SessionSpan {
  const { position, toolName, serverName, isError, durationMs, createdAt } = call
  return {
    key: `call-${position}`,
    name: toolName ?? '',
    kind: 'toolCall',
    startedAt: createdAt - Math.round(durationMs ?? 0),
    durationMs: durationMs ?? 0,
    status: isError ? 'error' : 'ok',
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': toolName ?? '',
      'mcpdeck.server.name': serverName ?? '',
    },
  }
}
