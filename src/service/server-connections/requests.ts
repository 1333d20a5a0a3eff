import { isoTime } from '../../lib/times.ts'
import type * as z from 'zod'
import type { ServerConnection, ServerConnectionCreateRequest } from '../../api/contract/connections.ts'
import { parseServerUrl } from '../connections/http-request.ts'
import { ServiceError } from '../core/errors.ts'
import type { ServiceContext } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import { type Caller, projectFor, requireRole } from '../core/access.ts'
import { rateLimited, takeOne } from '../core/organization-limits.ts'
import type { ProjectRole } from '../../api/contract/endpoint.ts'
import type { ConnectionRow } from './rows.ts'
import { writeWherePossible } from '../core/database/storage-problem.ts'
import { requireNotBlank } from '../core/record-handlers.ts'
import { invalidField } from '../core/validation.ts'
import { createAttempts, ended } from './attempts.ts'
import { redactedUrl, sameUrl } from '../core/urls.ts'

type CreateBody = z.output<typeof ServerConnectionCreateRequest>

/**
 * Requests to attach a server URL to a project. They go on in the background: the server is asked whether it wants
 * authorization, waited for until tokens were imported, validated and saved. What a person would do in a browser is
 * done over the API here: the project is chosen by the same create with `projectId`, consent is given by imported
 * tokens.
 */
export type ConnectionRequests = {
  /**
   * Begins a request, or answers the open one that has the same aim, unless `reauthorize` is set.
   * @throws ServiceError `VALIDATION_ERROR`, `NOT_FOUND`, `FORBIDDEN`, and `ACTIVE_REQUEST_LIMIT` with the open
   *   requests
   */
  create(caller: Caller, body: CreateBody): ServerConnection
  /**
   * Counts in a poll budget of the request's own, which has the numbers of the key rate.
   * @throws ServiceError `NOT_FOUND`, also for a request of another account; `RATE_LIMITED`
   */
  get(caller: Caller, requestId: string): ServerConnection
  /** Ends a request; one that has ended stays as it is. */
  cancel(caller: Caller, requestId: string): ServerConnection
  /** Tries again at once where the validation or the authorization is waited for; everything else stays as it is. */
  retryValidation(caller: Caller, requestId: string): ServerConnection
}

/** How long a request stays open (service-api, "Limits"). */
const OPEN_MS = 60 * 60 * 1000
/** How often open requests are looked at, in milliseconds. */
const LOOK_EVERY_MS = 2000

export function createConnectionRequests(context: ServiceContext): ConnectionRequests {
  const { store, limits, background } = context
  const attempts = createAttempts(context)
  background.every(LOOK_EVERY_MS, attempts.look)

  const named = (caller: Caller, requestId: string, needed: ProjectRole): ConnectionRow => {
    const row = store.serverConnections.find(requestId)
    if (!row || row.accountId !== caller.accountId || row.organizationId !== caller.organizationId)
      throw new ServiceError('NOT_FOUND', `There is no connection request ${requestId}.`)
    if (row.projectId !== null) projectFor(store, caller, row.projectId, needed)
    else requireRole(caller.role ?? undefined, needed)
    return row
  }
  const require: typeof named = (...which) => attempts.expired(named(...which))
  const answer = (row: ConnectionRow) => toServerConnection(context, row)

  return {
    create: (caller, body) => {
      const url = parseServerUrl({ type: 'http', url: body.url, headers: {} }).href
      requireNotBlank('name', body.name)
      return store.write(() => {
        requireTarget(context, caller, body, url)
        const open = store.serverConnections
          .open(caller.accountId)
          .map(attempts.expired)
          .filter(row => row.endedAt === null && row.organizationId === caller.organizationId)
        const known = body.reauthorize ? undefined : open.find(row => hasSameAim(row, body, url))
        if (known) return answer(known.projectId === null ? choose(known, body) : known)
        requireFreeRequest(open, limits.number(caller.organizationId, 'pendingConnections'))
        const row = rowOf(caller, body, url)
        store.serverConnections.insert(row)
        return answer(row.projectId === null ? row : attempts.begin(row))
      })
    },
    get: (caller, requestId) =>
      writeWherePossible(() => store.write(() => answer(takePoll(context, require(caller, requestId, 'member'))))) ??
      answer(named(caller, requestId, 'member')),
    cancel: (caller, requestId) =>
      store.write(() => {
        const row = require(caller, requestId, 'editor')
        return answer(row.endedAt === null ? attempts.end(row, 'cancelled') : row)
      }),
    retryValidation: (caller, requestId) =>
      store.write(() => answer(attempts.retry(require(caller, requestId, 'editor')))),
  }

  function choose(row: ConnectionRow, { projectId, serverId, name }: CreateBody): ConnectionRow {
    if (projectId === undefined) return row
    const chosen = { projectId, serverId: serverId ?? null, name: name ?? row.name }
    return attempts.begin({ ...row, ...chosen, status: 'discovering', error: undefined })
  }
}

/** The project and the server that are named must be the caller's, and the server must have that address. */
function requireTarget(
  { store }: ServiceContext,
  caller: Caller,
  { projectId, serverId }: CreateBody,
  url: string,
): void {
  if (projectId === undefined) {
    requireRole(caller.role ?? undefined, 'editor')
    if (serverId !== undefined) throw invalidField('serverId', 'needs projectId')
    return
  }
  projectFor(store, caller, projectId, 'editor')
  if (serverId !== undefined && !sameUrl(store.servers.require(projectId, serverId).url, url))
    throw invalidField('serverId', 'is a server with another address')
}

/** Whether an open request wants what is asked for again; one without a project takes the one that is named now. */
function hasSameAim(row: ConnectionRow, { projectId, serverId }: CreateBody, url: string): boolean {
  if (row.url !== url || row.reauthorize) return false
  if (row.projectId === null) return true
  return row.projectId === projectId && (serverId === undefined || serverId === row.serverId)
}

function requireFreeRequest(open: readonly ConnectionRow[], limit: number): void {
  if (open.length < limit) return
  throw new ServiceError(
    'ACTIVE_REQUEST_LIMIT',
    `${open.length} connection requests are open, which is the limit; cancel or finish one of them.`,
    { details: { limit, requestIds: open.map(({ id }) => id) } },
  )
}

function takePoll({ store, limits }: ServiceContext, row: ConnectionRow): ConnectionRow {
  const perMinute = limits.number(row.organizationId, 'requestsPerMinute')
  if (perMinute === 0) return row
  const limit = { perMinute, burst: limits.number(row.organizationId, 'burst') }
  const { bucket, waitMs } = takeOne({ owed: row.pollsOwed, at: row.polledAt }, limit, Date.now())
  if (waitMs > 0) throw rateLimited(Math.ceil(waitMs / 1000))
  const polled = { ...row, pollsOwed: bucket.owed, polledAt: bucket.at }
  store.serverConnections.update(polled)
  return polled
}

function rowOf({ accountId, organizationId }: Caller, body: CreateBody, url: string): ConnectionRow {
  const createdAt = Date.now()
  const row: ConnectionRow = {
    id: newId('scr'),
    accountId,
    organizationId,
    projectId: body.projectId ?? null,
    serverId: body.serverId ?? null,
    url,
    name: body.name ?? null,
    reauthorize: body.reauthorize ?? false,
    status: 'discovering',
    attempts: 0,
    dueAt: null,
    tokensSeen: null,
    pollsOwed: 0,
    polledAt: createdAt,
    createdAt,
    expiresAt: createdAt + OPEN_MS,
    endedAt: null,
  }
  if (row.projectId !== null) return row
  const error = {
    code: 'VALIDATION_ERROR',
    message: 'Send the same create with "projectId": this workspace has no page on which to choose a project.',
    retryable: true,
  }
  return { ...row, status: 'awaiting_project', error }
}

function toServerConnection({ store }: ServiceContext, row: ConnectionRow): ServerConnection {
  const { id, status, projectId, serverId, error, expiresAt } = row
  const server = serverId === null || projectId === null ? undefined : store.servers.get(projectId, serverId)
  return {
    connectionRequestId: id,
    status,
    expiresAt: isoTime(expiresAt),
    ...(projectId !== null && { projectId }),
    ...(serverId !== null && { serverId }),
    ...(server && {
      server: { id: server.id, name: server.name, url: redactedUrl(server.url ?? ''), enabled: server.enabled },
    }),
    ...(error && { error: { ...error, retryable: error.retryable && !ended(row) } }),
  }
}
