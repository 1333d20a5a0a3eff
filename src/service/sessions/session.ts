import type { MessageRow } from '../conversations/message-rows.ts'
import type { FeedFilter } from '../core/list-page.ts'
import type { SESSION_SOURCES } from '../../api/contract/choices.ts'
import type { SessionSummary } from '../../api/contract/sessions.ts'
import type { Store } from '../core/database/store.ts'

/** Surfaces that have sessions (evals, visits, journeys, chats), by their names in the contract. */
export type SourceType = (typeof SESSION_SOURCES)[number]

/** The position of a session in a list: the time of its last activity, then its id. */
export type SessionPlace = { at: number; id: string }

/** A part of the work in a session, for trace exports. */
export type SessionSpan = {
  key: string
  /** Key of the enclosing span; absent if the session itself encloses it. */
  parent?: string
  name: string
  kind: 'step' | 'toolCall'
  /** Epoch milliseconds. */
  startedAt: number
  durationMs: number
  status: 'ok' | 'error' | 'unset'
  attributes: Record<string, string>
  /** Input and output, which may be sensitive. */
  content?: { input?: unknown; output?: unknown }
}

/** A session of any surface. Only `id`, `lastActivityAt` and `startedAt` are known for all surfaces. */
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
  /** The last text of the assistant. */
  finalText: string
  /** Returns the spans, built on demand, since only exports need them. */
  spans(): SessionSpan[]
  status: 'ok' | 'error' | 'unset'
  /** What went wrong in the session. It may quote messages. */
  error?: string
  /** Facts for trace exports that are not content. */
  attributes: Record<string, string>
}

/** Selects sessions of a project. */
export type SessionFilter = FeedFilter & {
  status: 'active' | 'archived'
  /** Whether to select only sessions in which nothing more will happen. */
  endedOnly: boolean
}

/** Reads the sessions of one surface, sorted and limited as the filter says. */
export type SessionSource = {
  sourceType: SourceType
  rows(store: Store, projectId: string, filter: SessionFilter): SessionRow[]
}

/** Returns a function that sorts the sessions of a feed: by last activity, then by id. */
export function comparePlaces(order: SessionFilter['order']) {
  const sign = order === 'newest' ? -1 : 1
  return (a: SessionRow, b: SessionRow) =>
    sign * (a.summary.lastActivityAt - b.summary.lastActivityAt || (a.summary.id < b.summary.id ? -1 : 1))
}

/**
 * Returns the place of a session in the dashboard, in the format of `mcpdeck open`.
 * @param place path below the profile, such as `projects/P/runs/R`
 */
export function sessionLink(place: string): NonNullable<SessionSummary['link']> {
  return { path: place, url: `mcpdeck://local/${place}` }
}

/** Returns the spans of an answer with its calls. A question has no span, a failed answer has one. */
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
