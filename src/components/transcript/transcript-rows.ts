import type { Tone, Symbols } from '../../tui/theme/theme.ts'

/**
 * A row of a conversation from any source: an adapter turns the service's answer into these rows, and no other code
 * depends on the source. Times are epoch milliseconds, durations milliseconds; unknown values are left out, never 0.
 */
export type TranscriptRow = {
  /** Unique in the conversation, and the same whenever it is read again. */
  id: string
  /** The speaker according to the source: `user`, `assistant`, `system`, `tool`, or any other word. */
  role: string
  at?: number
  durationMs?: number
  tokens?: number
  /** The model or tool that answered. */
  by?: string
  isError?: boolean
  parts: readonly TranscriptPart[]
  /** The message as received, for viewing as JSON. */
  raw?: unknown
}

export type TranscriptPart =
  | { kind: 'text'; text: string; format: 'markdown' | 'plain' }
  | ({ kind: 'call' } & ToolCall)
  /** A tool's result, if it is separate from its call. */
  | { kind: 'result'; toolName?: string; value: unknown; isError?: boolean }
  /** Any other content, such as an image: a description, and the value folded. */
  | { kind: 'value'; title: string; value: unknown }

/** A tool call; `mark` and `note` are for comparison with what was expected. */
export type ToolCall = {
  toolName: string
  serverName?: string
  arguments?: unknown
  /** The MCP result, or whatever else came back. */
  result?: unknown
  /** Why no result came back. */
  error?: string
  isError?: boolean
  startedAt?: number
  durationMs?: number
  mark?: Mark
  note?: string
  raw?: unknown
}

/** A sign before a line, with its tone. */
export type Mark = {
  symbol: keyof Pick<Symbols, 'ok' | 'error' | 'warn' | 'live' | 'pending' | 'cancelled'>
  tone: Tone
}
