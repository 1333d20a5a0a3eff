import * as z from 'zod'
import { endpoint, resource } from './endpoint.ts'
import { openEnum, openObject, record, shape, strictBody, timestamp } from './shapes.ts'

/** Only `browser` is documented. The rest of the body is open (differences, section 5, item 8). */
export const ChatMessageRequest = shape(() =>
  record({ browser: strictBody({ policy: z.unknown().optional(), profileId: z.string().optional() }).optional() }),
)

/** The reply, which is not documented. */
export const ChatMessageReply = shape(() => record({}))
export type ChatMessageReply = z.infer<typeof ChatMessageReply>

export const chat = resource('chat', {
  send: endpoint('sendChatSessionMessage', 'POST', '/chat-sessions/messages', {
    summary: 'Send one chat turn, with a browser where the body attaches one; its body is mostly undocumented.',
    body: ChatMessageRequest,
    response: ChatMessageReply,
    errors: ['VALIDATION_ERROR', 'CONFLICT'],
    risk: 'spend',
    // After a refusal for lack of capacity, the same key may be sent again. If the outcome of a turn is unknown, it is
    // checked first.
    idempotency: 'caller',
    refreshes: ['chatSessions', 'sessions'],
    // A model answers while the caller waits, as in an agent turn.
    deadlineMs: 100_000,
    source: 'prose',
  }),
})

export const CHAT_CHARACTERS = 8000

/** A message to the servers of an environment or a client, in a new session or in an existing one. */
export const ChatRequest = shape(() =>
  strictBody({
    text: z
      .string()
      .max(CHAT_CHARACTERS)
      .refine(text => text.trim() !== '', { error: 'must not be blank' }),
    sessionId: z.string().min(1).optional(),
    environmentId: z.string().min(1).optional(),
    clientId: z.string().min(1).optional(),
  }).refine(
    ({ sessionId, environmentId, clientId }) =>
      [sessionId, environmentId, clientId].filter(id => id !== undefined).length === 1,
    { error: 'names one of sessionId, environmentId and clientId' },
  ),
)

/** One message of a chat. `system` says why there is no answer. */
export const ChatMessage = shape(() =>
  record({
    role: openEnum(['user', 'assistant', 'system']),
    text: z.string(),
    toolCalls: z.array(
      record({
        serverName: z.string(),
        toolName: z.string(),
        arguments: openObject(),
        isError: z.boolean(),
        /** The server's own text, cut. */
        result: z.string(),
        startedAt: timestamp(),
        durationMs: z.number(),
      }),
    ),
    totalTokens: z.number(),
    durationMs: z.number(),
    createdAt: timestamp(),
  }),
)
export type ChatMessage = z.infer<typeof ChatMessage>

/** A chat with all its messages, oldest first. An answer returns the messages that it added. */
export const Chat = shape(() =>
  record({
    /** Id of the session, as in the feed of sessions. */
    id: z.string(),
    title: z.string(),
    environmentId: z.string().nullish(),
    clientId: z.string().nullish(),
    /** `interrupted` means that the process that wrote an answer has ended. */
    status: openEnum(['idle', 'answering', 'interrupted']),
    modelId: z.string().nullish(),
    messages: z.array(ChatMessage()),
  }),
)
export type Chat = z.infer<typeof Chat>

const local = '/local/projects/{projectId}/chats' as const

export const chats = resource('chats', {
  say: endpoint('sayInChat', 'POST', local, {
    summary: 'Send a message to the model of an environment or a client, which may call tools of its servers.',
    body: ChatRequest,
    response: Chat,
    errors: ['VALIDATION_ERROR', 'CONFLICT', 'FEATURE_NOT_SUPPORTED', 'SERVER_UNREACHABLE', 'TIMEOUT'],
    risk: 'spend',
    idempotency: 'none',
    refreshes: ['chats', 'sessions', 'chatSessions'],
    // The service's own timeout must come first.
    deadlineMs: 130_000,
    local: true,
  }),
  get: endpoint('getChat', 'GET', `${local}/{sessionId}`, {
    summary: 'One chat with its messages and tool calls.',
    response: Chat,
    local: true,
  }),
})
