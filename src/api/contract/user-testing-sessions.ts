import * as z from 'zod'
import { listQuery, queryCursor, listOf, openEnum, record, shape, timestamp } from './shapes.ts'
import { endpoint, resource } from './endpoint.ts'

/** A visitor's session as the list shows it; `authInterrupted` means they left at a server's login. */
export const UserTestingSession = shape(() =>
  record({
    id: z.string(),
    chatSessionId: z.string().nullish(),
    messageCount: z.number().nullish(),
    preview: z.string().nullish(),
    modelId: z.string().nullish(),
    toolCallCount: z.number().nullish(),
    authInterrupted: z.boolean().nullish(),
    visitor: record({
      displayName: z.string().nullish(),
      segment: z.string().nullish(),
      authType: openEnum(['signedIn', 'guest']).nullish(),
      recency: openEnum(['new', 'returning']).nullish(),
      deviceKind: z.string().nullish(),
      language: z.string().nullish(),
    }).nullish(),
    feedback: record({
      rating: z.number().nullish(),
      comment: z.string().nullish(),
      count: z.number().nullish(),
    }).nullish(),
    theme: record({ id: z.string(), label: z.string().nullish(), keywords: z.array(z.string()).nullish() }).nullish(),
    startedAt: timestamp().nullish(),
    lastActivityAt: timestamp().nullish(),
  }),
)
export type UserTestingSession = z.infer<typeof UserTestingSession>

/** One message of a transcript, payloads removed. */
export const TranscriptMessage = shape(() =>
  record({
    role: z.string(),
    text: z.string().nullish(),
    toolName: z.string().nullish(),
    createdAt: timestamp().nullish(),
  }),
)
export type TranscriptMessage = z.infer<typeof TranscriptMessage>

/** One page of a transcript. A null `messageCount` means unreadable, never zero. */
export const UserTestingSessionDetail = shape(() =>
  record({
    id: z.string(),
    scenarioId: z.string().nullish(),
    chatSessionId: z.string().nullish(),
    modelId: z.string().nullish(),
    startedAt: timestamp().nullish(),
    lastActivityAt: timestamp().nullish(),
    messageCount: z.number().nullish(),
    transcriptUnavailable: z.boolean().nullish(),
    messages: z.array(TranscriptMessage()).nullish(),
    nextCursor: z.string().nullish(),
  }),
)
export type UserTestingSessionDetail = z.infer<typeof UserTestingSessionDetail>

const collection = '/projects/{projectId}/user-testing/scenarios/{scenarioId}/sessions' as const

export const userTestingSessions = resource('userTestingSessions', {
  list: endpoint('listUserTestingSessions', 'GET', collection, {
    summary: 'Visitor sessions of a scenario as summaries.',
    ...listOf(UserTestingSession),
    gate: 'user-testing',
  }),
  get: endpoint('getUserTestingSession', 'GET', `${collection}/{sessionId}`, {
    summary: 'Paged transcript of one visitor session.',
    query: listQuery,
    response: UserTestingSessionDetail,
    gate: 'user-testing',
    cursor: queryCursor,
  }),
})
