import type { Database } from '../../lib/sqlite.ts'
import { json, tableOf } from '../core/database/table.ts'
import type { TokenUsage } from '../core/token-usage.ts'
import type { ConversationToolCall } from './conversation.ts'

export type MessageRow<Role extends string = string> = {
  sessionId: string
  position: number
  role: Role
  text: string
  /** The calls that the assistant made before the message. Long results are cut. */
  toolCalls: ConversationToolCall[]
  usage: TokenUsage
  durationMs: number
  createdAt: number
}

/** Totals of a session's messages, stored in the row of the session. */
export type MessageTotals = {
  /** The first message of the user; null until there is one. */
  preview: string | null
  messageCount: number
  userMessageCount: number
  toolCallCount: number
  /** Tokens of every participant that a model plays, if the endpoint reported them. */
  inputTokens: number
  outputTokens: number
}

/** The totals of a session without messages. */
export const NOTHING_SAID: MessageTotals = {
  preview: null,
  messageCount: 0,
  userMessageCount: 0,
  toolCallCount: 0,
  inputTokens: 0,
  outputTokens: 0,
}

/** Maximum length of a tool's result in a stored message, in characters. */
const MAX_RESULT = 20_000

export function storedCall(call: ConversationToolCall): ConversationToolCall {
  const { resultText } = call
  if (resultText.length <= MAX_RESULT) return call
  return { ...call, resultText: `${resultText.slice(0, MAX_RESULT)}…` }
}

type StoredMessage<Role extends string> = Omit<MessageRow<Role>, 'usage'> & TokenUsage

export function createMessageRows<Role extends string>(
  database: Database,
  { messageTable, sessionTable }: { messageTable: string; sessionTable: string },
) {
  const messages = tableOf<StoredMessage<string>>(database, messageTable, {
    key: 'sessionId',
    kinds: { toolCalls: json() },
  })
  return {
    /** Appends a message, and adds it to the totals. */
    append({ toolCalls, usage, ...message }: Omit<MessageRow<Role>, 'position'>) {
      const { sessionId, role, text, createdAt } = message
      const { inputTokens, outputTokens } = usage
      const values = { ...message, ...usage, toolCalls: JSON.stringify(toolCalls) }
      const columns = Object.keys(values)
      database.run(
        `INSERT INTO ${messageTable} (position, ${columns.join(', ')})
         SELECT messageCount, ${columns.map(name => `:${name}`).join(', ')} FROM ${sessionTable} WHERE id = :sessionId`,
        values,
      )
      const isUser = role === 'user'
      database.run(
        `UPDATE ${sessionTable} SET messageCount = messageCount + 1, lastActivityAt = :createdAt,
                userMessageCount = userMessageCount + :isUser, toolCallCount = toolCallCount + :calls,
                inputTokens = inputTokens + :inputTokens, outputTokens = outputTokens + :outputTokens,
                preview = coalesce(preview, iif(:isUser, :text, NULL))
         WHERE id = :sessionId`,
        { sessionId, createdAt, isUser, text, calls: toolCalls.length, inputTokens, outputTokens },
      )
    },
    messages: (sessionId: string) =>
      messages
        .all({ sessionId }, 'ORDER BY position')
        .map(({ inputTokens, outputTokens, totalTokens, role, ...row }): MessageRow<Role> => {
          return { ...row, role: role as Role, usage: { inputTokens, outputTokens, totalTokens } }
        }),
  }
}
