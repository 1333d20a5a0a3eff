import * as z from 'zod'
import { endpoint, resource } from './endpoint.ts'
import { cursorBody } from './server-operations.ts'
import { emptyBody, flag, page, record, shape, strictBody, timestamp } from './shapes.ts'

/** Resources whose address contains variables, as the MCP server returned them (RFC 6570). */
export const ResourceTemplate = shape(() =>
  record({
    uriTemplate: z.string(),
    name: z.string().nullish(),
    description: z.string().nullish(),
    mimeType: z.string().nullish(),
  }),
)
export type ResourceTemplate = z.infer<typeof ResourceTemplate>

const CompletionRequest = shape(() =>
  strictBody({
    /** The owner of the argument: a prompt by its name, or a template by its text. */
    of: z.enum(['prompt', 'template']),
    name: z.string(),
    argument: z.string(),
    value: z.string(),
    /** Values of the other arguments so far. */
    others: z.record(z.string(), z.string()).optional(),
  }),
)
export type CompletionRequest = z.infer<typeof CompletionRequest>

const Completion = shape(() => record({ values: z.array(z.string()) }))

/** Levels of a server's log messages, the least important first (RFC 5424). */
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

const LogLevelRequest = shape(() => strictBody({ level: z.enum(LOG_LEVELS) }))
const SubscriptionRequest = shape(() => strictBody({ uri: z.string().max(2000), subscribed: z.boolean() }))

const count = () => z.number()

/** Facts about a server that is, or was, connected from this process. */
export const LiveServer = shape(() =>
  record({
    /** Features of the server; null while there is no connection. */
    offers: record({ logging: z.boolean(), subscriptions: z.boolean() }).nullish(),
    /** The level that was set here, which applies to each new connection. */
    logLevel: z.string().nullish(),
    /** Why the latest connection lacks the level or the subscriptions. */
    problem: z.string().nullish(),
    /** When the connection, and over stdio the server's program, began; null while there is none. */
    startedAt: timestamp().nullish(),
    /** Number of connections for tools, prompts, resources, calls and the doctor since mcpdeck started. */
    starts: count(),
    /** Instructions of the server for models, as of the last connection; null if it sends none. */
    instructions: z.string().nullish(),
    /** Numbers of changes of each list that the server has reported since its start. */
    listChanges: record({ tools: count(), prompts: count(), resources: count() }),
    subscriptions: z.array(record({ uri: z.string(), updates: count(), updatedAt: timestamp().nullish() })),
    /** Until when the connection is kept without a request; null if it is `held`. Each read extends it. */
    keptUntil: timestamp().nullish(),
    /**
     * Whether a tool was called over the connection, so that it is kept until someone ends it or leaves the workspace.
     */
    held: z.boolean().nullish(),
    /** The last start that ended unexpectedly after calls. What the server stored for them is lost. */
    stateLost: record({ start: count(), calls: count(), endedAt: timestamp() }).nullish(),
  }),
)
export type LiveServer = z.infer<typeof LiveServer>

const server = '/local/projects/{projectId}/servers/{serverId}' as const
const errors = ['OAUTH_REQUIRED', 'SERVER_UNREACHABLE', 'TIMEOUT', 'FEATURE_NOT_SUPPORTED', 'VALIDATION_ERROR'] as const
/** Deadline in milliseconds, as for the operations of the contract that connect to a server. */
const deadlineMs = 60_000

/**
 * Why lost answers need no check. If such a request were sent again later, it would start a server that nobody uses.
 */
const OF_PROCESS = 'it holds until the service ends, and the server shows it'

const asking = { errors, deadlineMs, local: true } as const

/** Requests to servers that a local workspace offers in addition to the published contract. */
export const liveServers = resource('liveServers', {
  templates: endpoint('listResourceTemplates', 'POST', `${server}/resource-templates`, {
    ...asking,
    summary: 'One page of resource templates read from the live server.',
    body: cursorBody,
    response: page(ResourceTemplate),
    risk: 'read',
    cursor: { in: 'body', name: 'cursor' },
  }),
  get: endpoint('getLiveServer', 'GET', `${server}/live`, {
    summary:
      'Notifications, log level and subscriptions of a connected server; keeps the connection, unless told not to.',
    // A read that checks whether the connection ended must not keep it open.
    query: shape(() => strictBody({ keepsConnection: flag().optional() })),
    response: LiveServer,
    local: true,
  }),
  restart: endpoint('restartServer', 'POST', `${server}/restart`, {
    ...asking,
    summary: 'End the processes of a server and every connection to it, with the calls under way, and connect again.',
    body: emptyBody,
    response: LiveServer,
    risk: 'external',
    idempotency: 'natural',
  }),
  end: endpoint('endServer', 'POST', `${server}/end`, {
    ...asking,
    summary: 'End the processes of a server and every connection to it; the next request connects again.',
    body: emptyBody,
    response: LiveServer,
    risk: 'external',
    idempotency: 'natural',
  }),
  setLogLevel: endpoint('setLogLevel', 'PUT', `${server}/log-level`, {
    ...asking,
    summary: 'Set the log level of the live server, for this and later connections.',
    body: LogLevelRequest,
    response: LiveServer,
    risk: 'write',
    idempotency: 'natural',
    leavesNothing: OF_PROCESS,
  }),
  subscribe: endpoint('subscribeToResource', 'PUT', `${server}/subscriptions`, {
    ...asking,
    summary: 'Subscribe to updates of a live resource, or unsubscribe.',
    body: SubscriptionRequest,
    response: LiveServer,
    risk: 'write',
    idempotency: 'natural',
    leavesNothing: OF_PROCESS,
  }),
  complete: endpoint('completeArgument', 'POST', `${server}/completions`, {
    ...asking,
    summary: 'Completions from the live server for an argument of a prompt or a resource template.',
    body: CompletionRequest,
    response: Completion,
    risk: 'read',
  }),
})
