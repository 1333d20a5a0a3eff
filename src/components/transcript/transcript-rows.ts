import type { Tone, Symbols } from '../../tui/theme/theme.ts'

/**
 * A conversation as every source of one is shown: an adapter turns what the service answered into these rows, and
 * nothing else has to know where they came from. Times are epoch milliseconds, durations milliseconds; what is not
 * known is left out, never 0.
 */
export type TranscriptRow = {
  /** Unique in the conversation and the same whenever it is read again. */
  id: string
  /** Who speaks, as the source says: `user`, `assistant`, `system`, `tool`, or any other word. */
  role: string
  at?: number
  durationMs?: number
  tokens?: number
  /** The model that answered, or the tool that did. */
  by?: string
  isError?: boolean
  parts: readonly TranscriptPart[]
  /** The message as it was received, for looking at it as JSON. */
  raw?: unknown
}

export type TranscriptPart =
  | { kind: 'text'; text: string; format: 'markdown' | 'plain' }
  | ({ kind: 'call' } & ToolCall)
  /** What a tool answered, where it stands apart from its call. */
  | { kind: 'result'; toolName?: string; value: unknown; isError?: boolean }
  /** Anything else, such as an image: words for it, and the value folded. */
  | { kind: 'value'; title: string; value: unknown }

/** One tool call; `mark` and `note` are for whoever compares it with what was expected. */
export type ToolCall = {
  toolName: string
  serverName?: string
  arguments?: unknown
  /** The MCP result, or whatever came back. */
  result?: unknown
  /** Why nothing came back. */
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
