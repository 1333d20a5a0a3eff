import * as z from 'zod'
import { endpoint, resource } from './endpoint.ts'
import { record, shape, strictBody } from './shapes.ts'

/**
 * Only `browser` is documented; it goes on every turn that should browse. What else a message needs is not, so the
 * rest of the body stays open and is the caller's own knowledge (differences, section 5, item 8).
 */
export const ChatMessageRequest = shape(() =>
  record({ browser: strictBody({ policy: z.unknown().optional(), profileId: z.string().optional() }).optional() }),
)

/** The reply is not documented. */
export const ChatMessageReply = shape(() => record({}))
export type ChatMessageReply = z.infer<typeof ChatMessageReply>

export const chat = resource('chat', {
  send: endpoint('sendChatSessionMessage', 'POST', '/chat-sessions/messages', {
    summary: 'Send one chat turn, with a browser where the body attaches one; its body is mostly undocumented.',
    body: ChatMessageRequest,
    response: ChatMessageReply,
    errors: ['VALIDATION_ERROR', 'CONFLICT'],
    risk: 'spend',
    // A capacity refusal releases the turn for the same key; an execution of unknown outcome is inspected first.
    idempotency: 'caller',
    refreshes: ['chatSessions', 'sessions'],
    // A model answers while the caller waits, as in an agent turn.
    deadlineMs: 100_000,
    source: 'prose',
  }),
})
