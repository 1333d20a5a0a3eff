import type { ConversationToolCall } from '../conversations/conversation.ts'
import { createMessageRows, type MessageRow, type MessageTotals } from '../conversations/message-rows.ts'
import type { Database } from '../../lib/sqlite.ts'
import { json, tableOf } from '../core/database/table.ts'
import type { Lease } from '../core/lease.ts'
import type { FeedFilter } from '../core/list-page.ts'

/** A chat of a member with the servers of an environment, or of a client. */
export type ChatRow = MessageTotals & {
  id: string
  projectId: string
  environmentId: string | null
  clientId: string | null
  /** What it talks to, as that was called when it began. */
  title: string
  /** The model of the last question; null = the configured one. */
  modelId: string | null
  startedAt: number
  lastActivityAt: number
  /** Whoever writes an answer. */
  lease?: Lease | undefined
  /** The calls of the answer that is written; they outlive a process that ends with it. */
  pending: ConversationToolCall[]
}

/** `system` says why there is no answer. */
export type ChatMessageRow = MessageRow<'user' | 'assistant' | 'system'>

export function createChatRows(database: Database) {
  const chats = tableOf<ChatRow>(database, 'chat', { kinds: { lease: json(), pending: json() } })
  return {
    ...createMessageRows<ChatMessageRow['role']>(database, { messageTable: 'chatMessage', sessionTable: 'chat' }),
    require: chats.basics.require,
    insert: chats.basics.insert,
    change: (id: string, changes: Partial<ChatRow>) => void chats.change({ id }, changes),
    /** In the order of their last activity; `overSince`: only those in which nothing happened since. */
    feed(projectId: string, filter: FeedFilter & { overSince: number | undefined }) {
      const { order, after, overSince = null, limit } = filter
      const [direction, beyond] = order === 'newest' ? ['DESC', '<'] : ['ASC', '>']
      return chats.all(
        { projectId },
        `${after ? `AND (lastActivityAt, id) ${beyond} (:at, :after)` : ''}
         AND (:overSince IS NULL OR lastActivityAt <= :overSince)
         ORDER BY lastActivityAt ${direction}, id ${direction} LIMIT :limit`,
        { limit, overSince, ...(after && { at: after.at, after: after.id }) },
      )
    },
  }
}
