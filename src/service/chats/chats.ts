import type { Chat } from '../../api/contract/chat.ts'
import { modelOf, serversOfClient } from '../clients/clients.ts'
import { historyOf, openAssistant } from '../conversations/assistant.ts'
import type {
  Conversation,
  ConversationOptions,
  ConversationToolCall,
  ConversationTurn,
} from '../conversations/conversation.ts'
import {
  storedCall,
  NOTHING_SAID,
  createMessageRows,
  type MessageRow,
  type MessageTotals,
} from '../conversations/message-rows.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import type { Store } from '../core/database/store.ts'
import { ServiceError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { isAbandoned, releaseLease, takeLease, type Lease } from '../core/lease.ts'
import { messageOf } from '../core/one-line.ts'
import { resolveEnvironment } from '../environments/environments.ts'
import { withDeadline } from '../models/ask.ts'
import { addUsage, NO_TOKENS, type TokenUsage } from '../core/token-usage.ts'
import type { Database } from '../../lib/sqlite.ts'
import { json, tableOf } from '../core/database/table.ts'
import type { FeedFilter } from '../core/list-page.ts'

/** A member's chat with the servers of an environment, or of a client. */
export type ChatRow = MessageTotals & {
  id: string
  projectId: string
  environmentId: string | null
  clientId: string | null
  /** Name of the chat's environment or client when the chat began. */
  title: string
  /** The model that answered the last question; null for the configured one. */
  modelId: string | null
  startedAt: number
  lastActivityAt: number
  lease?: Lease | undefined
  /** The calls of the answer in progress. They are stored in case the process ends before the answer does. */
  pending: ConversationToolCall[]
}

/** A message of role `system` says why there is no answer. */
export type ChatMessageRow = MessageRow<'user' | 'assistant' | 'system'>

export function createChatRows(database: Database) {
  const chats = tableOf<ChatRow>(database, 'chat', { kinds: { lease: json(), pending: json() } })
  return {
    ...createMessageRows<ChatMessageRow['role']>(database, { messageTable: 'chatMessage', sessionTable: 'chat' }),
    require: chats.basics.require,
    insert: chats.basics.insert,
    change: (id: string, changes: Partial<ChatRow>) => void chats.change({ id }, changes),
    /** Lists chats by their last activity. `overSince` selects only chats without activity since that time. */
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

/** Time limit of one answer in milliseconds. Somewhat later, other hosts consider the answer interrupted. */
const ANSWER_MS = 120_000
const LEASE_MS = ANSWER_MS + 30_000

type Saying = Parameters<Handlers['chats']['say']>[0]

export function chatHandlers(context: ServiceContext): Handlers['chats'] {
  const { store } = context
  return {
    async say(call) {
      const pending: ConversationToolCall[] = []
      // Another process takes the chat over if this one seemed to have ended, as after a pause of the machine.
      const isOurs = () => store.chats.require(call.project.id, id).lease?.token === lease.token
      const onCall = (made: ConversationToolCall) => {
        pending.push(made)
        store.write(() => isOurs() && store.chats.change(id, { pending: pending.map(storedCall) }))
        call.onProgress?.({ progress: pending.length, message: `${made.serverName}: ${made.toolName}` })
      }
      let spent = NO_TOKENS
      const onSpend = (usage: TokenUsage) => void (spent = addUsage(spent, usage))
      const { id, lease, conversation } = store.write(() => begin(context, call, { onCall, onSpend }))
      try {
        const turn = await withDeadline(ANSWER_MS, call.signal, signal => conversation.say(call.body.text, signal))
        return store.write(() => {
          if (!isOurs()) throw takenOver()
          return noteAnswer(context, call.project.id, id, turn)
        })
      } catch (error) {
        const failure = call.signal.aborted ? cancelled(error) : error
        store.write(() => isOurs() && noteFailure(context, id, { text: messageOf(failure), calls: pending, spent }))
        throw withSession(failure, id)
      } finally {
        releaseLease(lease)
      }
    },
    get: ({ project, params: { sessionId } }) =>
      store.read(() => toChat(store.chats.require(project.id, sessionId), store.chats.messages(sessionId))),
  }
}

type Begun = { id: string; lease: Lease; conversation: Conversation }

/** Checks everything before anything is spent, and stores the question with a lease. Runs inside a transaction. */
function begin(
  context: ServiceContext,
  { project, body }: Saying,
  hooks: Pick<ConversationOptions, 'onCall' | 'onSpend'>,
): Begun {
  const { store, now } = context
  const { sessionId, text } = body
  const known = sessionId === undefined ? undefined : store.chats.require(project.id, sessionId)
  if (known?.lease && !isAbandoned(known.lease))
    throw new ServiceError('CONFLICT', 'The last message is still being answered.')
  if (known?.lease) noteFailure(context, known.id, { text: INTERRUPTED, calls: known.pending })
  const { environmentId = null, clientId = null } = known ?? body
  const { title, config, servers, model } = partsOf(store, project.id, { environmentId, clientId })
  const history = known ? historyOf(store.chats.messages(known.id)) : []
  const conversation = openAssistant(context, { config, servers, model, history, ...hooks })
  const lease = { ...takeLease(), expiresAt: Date.now() + LEASE_MS }
  const at = now()
  const asked = { modelId: model ?? null, lastActivityAt: at, lease }
  const id = known?.id ?? newId('ses')
  const target = { projectId: project.id, environmentId, clientId, title }
  if (known) store.chats.change(id, asked)
  else store.chats.insert({ id, ...target, startedAt: at, pending: [], ...NOTHING_SAID, ...asked })
  store.chats.append({ sessionId: id, role: 'user', text, toolCalls: [], ...NOTHING_SPENT, createdAt: at })
  return { id, lease, conversation }
}

const INTERRUPTED = 'The process that wrote the answer has ended.'
const SETTLED = { lease: undefined, pending: [] }
const NOTHING_SPENT = { usage: NO_TOKENS, durationMs: 0 }

/**
 * Returns the servers and settings that a chat currently talks to.
 * @throws ServiceError `NOT_FOUND`, and `CONFLICT` if it has no servers
 */
function partsOf(store: Store, projectId: string, target: Pick<ChatRow, 'environmentId' | 'clientId'>) {
  const { environmentId, clientId } = target
  if (environmentId !== null) {
    const environment = store.environments.require(projectId, environmentId)
    const { client, servers, model } = resolveEnvironment(store, environment)
    return { title: environment.name ?? client.name, config: client.config, servers, model: model.id }
  }
  const client = store.clients.require(projectId, clientId ?? '')
  const servers = serversOfClient(store, client)
  if (servers.length === 0) throw new ServiceError('CONFLICT', `The client "${client.name}" has no servers.`)
  return { title: client.name, config: client.config, servers, model: modelOf(client.config) }
}

/** Stores the answer, and returns the new messages. Runs inside the caller's transaction. */
function noteAnswer({ store, now }: ServiceContext, projectId: string, id: string, turn: ConversationTurn): Chat {
  const { text, toolCalls, usage, durationMs } = turn
  const kept = { text, toolCalls: toolCalls.map(storedCall), usage, durationMs }
  store.chats.append({ sessionId: id, role: 'assistant', ...kept, createdAt: now() })
  store.chats.change(id, SETTLED)
  return toChat(store.chats.require(projectId, id), store.chats.messages(id).slice(-2))
}

/** Stores why there is no answer, and the calls and tokens until then. Runs inside the caller's transaction. */
function noteFailure(
  { store, now }: ServiceContext,
  sessionId: string,
  { text, calls, spent = NO_TOKENS }: { text: string; calls: readonly ConversationToolCall[]; spent?: TokenUsage },
): void {
  const kept = { ...NOTHING_SPENT, text, toolCalls: calls.map(storedCall), usage: spent }
  store.chats.append({ sessionId, role: 'system', ...kept, createdAt: now() })
  store.chats.change(sessionId, SETTLED)
}

function withSession(error: unknown, sessionId: string): unknown {
  if (!(error instanceof ServiceError)) return error
  const { code, message, details, retryAfterSeconds } = error
  const more = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
  return new ServiceError(code, message, { cause: error, details: { ...details, sessionId }, ...more })
}

function takenOver(): ServiceError {
  return new ServiceError('CONFLICT', 'Another process took over this chat before the answer ended.')
}

function cancelled(cause: unknown): ServiceError {
  return new ServiceError('TIMEOUT', 'The caller cancelled the answer, or its connection ended.', { cause })
}

type Said = Omit<ChatMessageRow, 'sessionId' | 'position'>

function toChat(row: ChatRow, messages: readonly Said[]): Chat {
  const { id, title, environmentId, clientId, modelId, lease, pending, lastActivityAt: createdAt } = row
  const isInterrupted = lease !== undefined && isAbandoned(lease)
  const broken: Said = { role: 'system', text: INTERRUPTED, toolCalls: pending, ...NOTHING_SPENT, createdAt }
  const said = isInterrupted ? [...messages, broken] : messages
  return {
    id,
    title,
    environmentId,
    clientId,
    status: isInterrupted ? 'interrupted' : lease ? 'answering' : 'idle',
    modelId,
    messages: said.map(({ role, text, toolCalls, usage, durationMs, createdAt }) => ({
      role,
      text,
      toolCalls: toolCalls.map(({ resultText, ...call }) => ({ ...call, result: resultText })),
      totalTokens: usage.totalTokens,
      durationMs,
      createdAt,
    })),
  }
}
