import * as z from 'zod'
import { endpoint, resource } from './endpoint.ts'
import { emptyBody, openEnum, record, shape, strictBody, timestamp } from './shapes.ts'

/** States after which a connection request never changes. */
export const TERMINAL_CONNECTION_STATUSES = ['ready', 'failed', 'expired', 'cancelled'] as const

/** Whether a connection request has ended. An unknown state counts as in progress. */
export function isTerminalConnectionStatus(status: string): boolean {
  return (TERMINAL_CONNECTION_STATUSES as readonly string[]).includes(status)
}

/** Why a request failed. `candidates` comes with `AMBIGUOUS_SERVER` and lists possible values of `serverId`. */
const ConnectionError = shape(() =>
  record({
    code: z.string().nullish(),
    message: z.string().nullish(),
    retryable: z.boolean().nullish(),
    candidates: z
      .array(record({ id: z.string().nullish(), name: z.string().nullish(), url: z.string().nullish() }))
      .nullish(),
  }),
)

/**
 * A request to attach a server URL. The holder of `handoffUrl` can finish the request, so it is shown only to the
 * caller.
 */
export const ServerConnection = shape(() =>
  record({
    connectionRequestId: z.string(),
    status: openEnum([
      'discovering',
      'awaiting_project',
      'awaiting_authorization',
      'authorizing',
      'validating',
      ...TERMINAL_CONNECTION_STATUSES,
    ]),
    handoffUrl: z.string().nullish(),
    expiresAt: timestamp().nullish(),
    projectId: z.string().nullish(),
    serverId: z.string().nullish(),
    server: record({
      id: z.string().nullish(),
      name: z.string().nullish(),
      url: z.string().nullish(),
      enabled: z.boolean().nullish(),
    }).nullish(),
    error: ConnectionError().nullish(),
  }),
)
export type ServerConnection = z.infer<typeof ServerConnection>

/** Without `projectId` the person chooses the project in the browser. `name` applies only to a new server. */
export const ServerConnectionCreateRequest = shape(() =>
  strictBody({
    url: z.string(),
    projectId: z.string().optional(),
    serverId: z.string().optional(),
    name: z.string().optional(),
    reauthorize: z.boolean().optional(),
  }),
)

const collection = '/server-connections' as const
const request = `${collection}/{requestId}` as const

const answered = { response: ServerConnection, errors: ['VALIDATION_ERROR', 'CONFLICT'] } as const

export const connections = resource('connections', {
  create: endpoint('createServerConnection', 'POST', collection, {
    ...answered,
    goesOn: true,
    summary: 'Begin attaching a server URL to some project.',
    body: ServerConnectionCreateRequest,
    status: 201,
    risk: 'external',
    refreshes: ['servers'],
  }),
  get: endpoint('getServerConnection', 'GET', request, {
    ...answered,
    summary: 'State of one connection request, under a poll budget of its own.',
    ownBudget: true,
  }),
  cancel: endpoint('cancelServerConnection', 'POST', `${request}/cancel`, {
    ...answered,
    summary: 'Stop a connection request and kill its browser link.',
    body: emptyBody,
    risk: 'end',
    idempotency: 'natural',
  }),
  retryValidation: endpoint('retryServerConnectionValidation', 'POST', `${request}/retry-validation`, {
    ...answered,
    goesOn: true,
    summary: 'Retry a stalled validation at once; an ended request stays ended.',
    body: emptyBody,
    risk: 'external',
    refreshes: ['servers'],
  }),
})
