import * as z from 'zod'
import {
  pageOptions,
  queryCursor,
  commaList,
  flag,
  limit,
  openEnum,
  page,
  record,
  shape,
  strictBody,
  timestamp,
} from './shapes.ts'
import { SESSION_SOURCES } from './choices.ts'
import { endpoint, resource } from './endpoint.ts'

/** The parent of a session. `kind` decides which ids are present. */
export const SessionParentRef = shape(() =>
  record({
    kind: openEnum(['evalRun', 'journeyRun', 'scenario']),
    label: z.string().nullish(),
    iterationId: z.string().nullish(),
    suiteRunId: z.string().nullish(),
    suiteId: z.string().nullish(),
    journeyRunId: z.string().nullish(),
    journeyRefId: z.string().nullish(),
    scenarioId: z.string().nullish(),
  }),
)
export type SessionParentRef = z.infer<typeof SessionParentRef>

/** A row of the project's session feed. `chatSessionId` is the runtime's key and differs from `id`. */
export const SessionSummary = shape(() =>
  record({
    id: z.string(),
    chatSessionId: z.string().nullish(),
    projectId: z.string().nullish(),
    sourceType: openEnum(SESSION_SOURCES),
    origin: z.string().nullish(),
    status: z.string().nullish(),
    synthetic: z.boolean().nullish(),
    lockReason: z.string().nullish(),
    title: z.string().nullish(),
    firstMessagePreview: z.string().nullish(),
    visibility: z.string().nullish(),
    ownedByViewer: z.boolean().nullish(),
    startedAt: timestamp().nullish(),
    lastActivityAt: timestamp().nullish(),
    modelId: z.string().nullish(),
    messageCount: z.number().nullish(),
    cumulativeUserMessageCount: z.number().nullish(),
    cumulativeToolCallCount: z.number().nullish(),
    cumulativeInputTokens: z.number().nullish(),
    cumulativeOutputTokens: z.number().nullish(),
    parentRef: SessionParentRef().nullish(),
    link: record({ path: z.string().nullish(), url: z.string().nullish() }).nullish(),
    matchPreview: z.string().nullish(),
  }),
)
export type SessionSummary = z.infer<typeof SessionSummary>

/** One page of the feed. A deployment that does not return `scope` has not searched transcripts. */
export const SessionSummaryPage = shape(() =>
  record({
    items: z.array(SessionSummary()),
    nextCursor: z.string().nullish(),
    scope: openEnum(['titles', 'transcripts']).nullish(),
  }),
)

/** Cursors are valid only for their scope: every page is requested with the options of the first. */
const SessionQuery = shape(() =>
  strictBody({
    q: z.string().optional(),
    scope: z.enum(['titles', 'transcripts']).optional(),
    sourceType: commaList(SESSION_SOURCES).optional(),
    status: z.enum(['active', 'archived']).optional(),
    ...pageOptions(),
    limit: limit(200).optional(),
  }).refine(query => query.scope === undefined || query.q !== undefined, { path: ['scope'], error: 'needs q' }),
)

/** A chat session as the list shows it. No operation reads its transcript. */
export const ChatSession = shape(() =>
  record({
    id: z.string(),
    title: z.string().nullish(),
    status: openEnum(['active', 'archived']).nullish(),
    projectId: z.string().nullish(),
    visibility: openEnum(['private', 'project']).nullish(),
    lastActivityAt: timestamp().nullish(),
    createdAt: timestamp().nullish(),
    isPinned: z.boolean().nullish(),
    isUnread: z.boolean().nullish(),
  }),
)
export type ChatSession = z.infer<typeof ChatSession>

/** A page of spans as an OTLP/JSON `ExportTraceServiceRequest`, whose body has no place for a cursor. */
export const OtlpTraces = shape(() => record({}))

export const sessions = resource('sessions', {
  list: endpoint('listSessions', 'GET', '/projects/{projectId}/sessions', {
    summary: 'Project session feed across surfaces, or a search over it.',
    query: SessionQuery,
    response: SessionSummaryPage,
    errors: ['VALIDATION_ERROR'],
    cursor: queryCursor,
    fromRecords: true,
  }),
})

export const chatSessions = resource('chatSessions', {
  list: endpoint('listChatSessions', 'GET', '/chat-sessions', {
    summary: "Caller's own plus shared chat sessions, latest activity first.",
    query: shape(() =>
      strictBody({
        projectId: z.string().optional(),
        status: z.enum(['active', 'archived']).optional(),
        ...pageOptions(),
        limit: limit(200).optional(),
        before: z.string().optional(),
      }),
    ),
    response: page(ChatSession),
    cursor: { in: 'query', name: 'before' },
  }),
})

export const traceExports = resource('traceExports', {
  otlp: endpoint('exportTracesOtlp', 'GET', '/trace-exports/otlp', {
    summary: 'Project traces as OTLP JSON, paged through response headers.',
    query: shape(() =>
      strictBody({
        projectId: z.string(),
        cursor: z.string().optional(),
        limit: z.coerce.number().int().optional(),
        sourceTypes: z.string().optional(),
        includeContent: flag().optional(),
      }),
    ),
    response: OtlpTraces,
    errors: ['VALIDATION_ERROR'],
    cursor: { in: 'query', name: 'cursor', fromHeader: 'x-mcpjam-next-cursor' },
    deadlineMs: 60_000,
  }),
})
