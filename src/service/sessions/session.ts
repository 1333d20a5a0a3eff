import type { MessageRow } from '../conversations/message-rows.ts'
import type { FeedFilter } from '../core/list-page.ts'
import type { SESSION_SOURCES } from '../../api/contract/choices.ts'
import type { SessionSummary } from '../../api/contract/sessions.ts'
import type { Store } from '../core/database/store.ts'

/** Surfaces that produce sessions, in the contract's words. */
export type SourceType = (typeof SESSION_SOURCES)[number]

/** A session's place among others: when something happened in it last, and its id where two are equal. */
export type SessionPlace = { at: number; id: string }

/** A piece of work inside a session, for trace exports. */
export type SessionSpan = {
  key: string
  /** Key of the span that it is part of; absent = of the session itself. */
  parent?: string
  name: string
  kind: 'step' | 'toolCall'
  /** Epoch milliseconds. */
  startedAt: number
  durationMs: number
  status: 'ok' | 'error' | 'unset'
  attributes: Record<string, string>
  /** What went in and came out, which may be sensitive. */
  content?: { input?: unknown; output?: unknown }
}

/** A session of whatever surface; `id`, `lastActivityAt` and `startedAt` are always known. */
export type SessionRow = {
  summary: SessionSummary & {
    id: string
    chatSessionId: string
    projectId: string
    title: string
    startedAt: number
    lastActivityAt: number
  }
  messages: readonly { role: string; content: unknown }[]
  /** The assistant's last words. */
  finalText: string
  /** Made when asked for: only exports need them. */
  spans(): SessionSpan[]
  status: 'ok' | 'error' | 'unset'
  /** Why it did not go well, which may quote what was said. */
  error?: string
  /** Facts for trace exports that are not content. */
  attributes: Record<string, string>
}

/** What of a project's sessions is wanted. */
export type SessionFilter = FeedFilter & {
  status: 'active' | 'archived'
  /** Only sessions in which nothing will happen any more. */
  endedOnly: boolean
}

/** One surface's sessions, in the order of the filter and at most as many as its limit. */
export type SessionSource = {
  sourceType: SourceType
  rows(store: Store, projectId: string, filter: SessionFilter): SessionRow[]
}

/** The order of a feed: by last activity, then by id. */
export function comparePlaces(order: SessionFilter['order']) {
  const sign = order === 'newest' ? -1 : 1
  return (a: SessionRow, b: SessionRow) =>
    sign * (a.summary.lastActivityAt - b.summary.lastActivityAt || (a.summary.id < b.summary.id ? -1 : 1))
}

/**
 * The place of a session in the dashboard, as `mcpdeck open` takes it.
 * @param place below the profile, such as `projects/P/runs/R`
 */
export function sessionLink(place: string): NonNullable<SessionSummary['link']> {
  return { path: place, url: `mcpdeck://local/${place}` }
}

/** An answer with the calls that led to it; what was asked needs no span, and a failure is one. */
export function answerSpans({ position, role, toolCalls, durationMs, createdAt }: MessageRow): SessionSpan[] {
  if (role === 'user') return []
  const key = `answer-${position}`
  const common = { startedAt: createdAt - Math.round(durationMs), durationMs, attributes: {} }
  return [
    { key, name: 'answer', kind: 'step', status: role === 'assistant' ? 'ok' : 'error', ...common },
    ...toolCalls.map((call, index): SessionSpan => ({
      key: `${key}-call-${index}`,
      parent: key,
      name: call.toolName,
      kind: 'toolCall',
      startedAt: call.startedAt,
      durationMs: call.durationMs,
      status: call.isError ? 'error' : 'ok',
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': call.toolName,
        ...(call.serverName && { 'mcpdeck.server.name': call.serverName }),
      },
      content: { input: call.arguments, output: call.resultText },
    })),
  ]
}
