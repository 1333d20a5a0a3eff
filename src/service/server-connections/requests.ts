import { isoTime } from '../../lib/times.ts'
import type * as z from 'zod'
import type { ServerConnection, ServerConnectionCreateRequest } from '../../api/contract/connections.ts'
import { parseServerUrl } from '../connections/http-request.ts'
import { ServiceError } from '../core/errors.ts'
import type { ServiceContext, Handlers } from '../core/context.ts'
import { newId, digest } from '../core/ids.ts'
import { type Caller, projectFor, requireRole } from '../core/access.ts'
import { rateLimited, takeOne } from '../core/organization-limits.ts'
import type { ProjectRole } from '../../api/contract/endpoint.ts'
import type { ConnectionRow, ConnectionProblem, ConnectionStatus } from './rows.ts'
import { writeWherePossible } from '../core/database/storage-problem.ts'
import { requireNotBlank } from '../core/record-handlers.ts'
import { invalidField } from '../core/validation.ts'
import { redactedUrl, sameUrl } from '../core/urls.ts'
import type { ServerTarget } from '../connections/types.ts'
import { insertServer, updateServer } from '../servers/records.ts'
import type { ServerRow } from '../servers/rows.ts'
import type { Store } from '../core/database/store.ts'

type CreateBody = z.output<typeof ServerConnectionCreateRequest>

/**
 * Adds servers to projects in the background by their URL: checks the authorization, waits until tokens are imported,
 * validates the server and saves it. What a person would do in a browser is done with the API: `projectId` chooses the
 * project, and importing tokens gives the consent.
 */
type ConnectionRequests = {
  /**
   * Begins a request, or returns an open request for the same server and project.
   * @throws ServiceError `VALIDATION_ERROR`, `NOT_FOUND`, `FORBIDDEN`, `ACTIVE_REQUEST_LIMIT`
   */
  create(caller: Caller, body: CreateBody): ServerConnection
  /**
   * Returns a request. Each read counts against the request's own poll limit. @throws ServiceError `NOT_FOUND`,
   * `RATE_LIMITED`
   */
  get(caller: Caller, requestId: string): ServerConnection
  /** Ends a request. A request that has ended is not changed. */
  cancel(caller: Caller, requestId: string): ServerConnection
  /**
   * Retries a request at once if it waits for validation or authorization. A request in another status is not changed.
   */
  retryValidation(caller: Caller, requestId: string): ServerConnection
}

/** Milliseconds for which a request stays open (service-api, "Limits"). */
const OPEN_MS = 60 * 60 * 1000
/** Milliseconds between two checks of open requests. */
const CHECK_EVERY_MS = 2000

function createConnectionRequests(context: ServiceContext): ConnectionRequests {
  const { store, limits, background } = context
  const attempts = createAttempts(context)
  background.every(CHECK_EVERY_MS, attempts.poll)

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

/** Checks that the named project and server are the caller's, and that the server has this address. */
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

/**
 * Whether an open request is for the same server and project as a new one. An open request without a project gets the
 * project of the new one.
 */
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

/** Continues requests. All functions except `poll` run inside a transaction and return the row as it is afterwards. */
type Attempts = {
  /** Begins an attempt and writes the row, unless another process is making an attempt already. */
  begin(row: ConnectionRow): ConnectionRow
  retry(row: ConnectionRow): ConnectionRow
  end(row: ConnectionRow, status: 'cancelled' | 'expired'): ConnectionRow
  expired(row: ConnectionRow): ConnectionRow
  /** Ends requests that expired, makes attempts that are due, and continues requests whose tokens were imported. */
  poll(): void
}

/**
 * Maximum number of attempts if the server does not answer. The first pause is one second, and each pause is twice as
 * long as the one before.
 */
const MAX_ATTEMPTS = 5
const FIRST_WAIT_MS = 1000
/** Milliseconds between two checks for requests of other processes if none is open. */
const REST_MS = 10_000
/** Errors that may be temporary. */
const PASSING = new Set(['SERVER_UNREACHABLE', 'TIMEOUT'])

function createAttempts(context: ServiceContext): Attempts {
  const { store, jobs } = context
  const rows = () => store.serverConnections

  jobs.define('server-connection', (id, why) => {
    const row = rows().find(id)
    if (row && isTrying(row) && row.dueAt === null) wait(store, row, problemOf('INTERNAL_ERROR', why))
  })

  let restsUntil = 0
  const begin: Attempts['begin'] = row => {
    restsUntil = 0
    const trying = { ...row, dueAt: null }
    // Another process may be making an attempt already.
    if (!jobs.start('server-connection', row.id, signal => attempt(context, row.id, signal))) return row
    rows().update(trying)
    return trying
  }
  const end: Attempts['end'] = (row, status) => {
    jobs.stop('server-connection', row.id)
    return finish(store, row, status, row.error)
  }
  const expired: Attempts['expired'] = row => (isOver(row) ? end(row, 'expired') : row)
  const retry: Attempts['retry'] = row => {
    const waits = row.status === 'awaiting_authorization' || (row.status === 'validating' && row.dueAt !== null)
    return waits ? begin({ ...row, status: 'validating' }) : row
  }
  const moveOn = (row: ConnectionRow) => {
    if (isOver(row)) end(row, 'expired')
    else if (isDue(row)) begin(row)
    else if (hasNews(store, row)) retry(row)
  }

  return {
    begin,
    retry,
    end,
    expired,
    poll() {
      if (Date.now() < restsUntil) return
      const open = rows().open()
      if (open.length === 0) restsUntil = Date.now() + REST_MS
      for (const { id } of open.filter(row => isOver(row) || isDue(row) || hasNews(store, row)))
        store.write(() => {
          const row = rows().find(id)
          if (row && !ended(row)) moveOn(row)
        })
    },
  }
}

function ended(row: ConnectionRow): boolean {
  return row.endedAt !== null
}

function isOver(row: ConnectionRow): boolean {
  return !ended(row) && row.expiresAt <= Date.now()
}

function isTrying({ status }: ConnectionRow): boolean {
  return status === 'discovering' || status === 'validating'
}

function isDue(row: ConnectionRow): boolean {
  return isTrying(row) && row.dueAt !== null && row.dueAt <= Date.now()
}

/** Whether the server for which a request waits was authorized or deleted. */
function hasNews(store: Store, { status, serverId, tokensSeen }: ConnectionRow): boolean {
  if (status !== 'awaiting_authorization' || serverId === null) return false
  const server = store.servers.find(serverId)
  return !server || (server.tokens !== undefined && digest(server.tokens) !== tokensSeen)
}

/** Makes one attempt, until the request has to wait or ends. */
async function attempt(context: ServiceContext, id: string, signal: AbortSignal): Promise<void> {
  const { store } = context
  const change: Change = work =>
    store.write(() => {
      const row = store.serverConnections.find(id)
      if (row && !ended(row)) work(row)
    })
  try {
    const row = store.serverConnections.find(id)
    if (row && !ended(row)) await goOn(context, row, change, signal)
  } catch (error) {
    signal.throwIfAborted()
    const problem = error instanceof Ambiguous ? error.problem : problemOfError(error)
    change(row => {
      if (PASSING.has(problem.code)) wait(store, row, problem)
      else finish(store, row, 'failed', problem)
    })
  }
}

/** Changes the current row, unless the request has ended in the meantime. */
type Change = (work: (row: ConnectionRow) => void) => void

async function goOn(context: ServiceContext, row: ConnectionRow, change: Change, signal: AbortSignal): Promise<void> {
  const { store, connections, targets } = context
  const server = serverOf(store, row)
  const target = server ? { ...targets.of(server), enabled: true } : newTarget(row)
  const askForTokens = () => change(current => awaitAuthorization(context, current))
  if (row.status === 'discovering') {
    const { useOAuth } = await connections.checkOAuth(target, signal)
    if (useOAuth && (row.reauthorize || !hasCredentials(server))) return askForTokens()
    change(current => store.serverConnections.update({ ...current, status: 'validating' }))
  }
  try {
    await connections.validate(target, signal)
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'OAUTH_REQUIRED')) throw error
    // A 401 alone does not mean OAuth: the server may want other headers.
    const { useOAuth } = await connections.checkOAuth(target, signal)
    if (useOAuth) return askForTokens()
    throw new ServiceError('FORBIDDEN', `${error.message} Save the server with the headers that it wants.`)
  }
  change(current => finish(store, { ...current, serverId: savedServer(store, current).id }, 'ready'))
}

/**
 * Returns the problem of a request that the server or the service refused. Rethrows any other error, which the job
 * reports as internal.
 */
function problemOfError(error: unknown): ConnectionProblem {
  if (error instanceof ServiceError) return problemOf(error.code, error.message)
  throw error
}

class Ambiguous extends Error {
  readonly problem: ConnectionProblem

  constructor(servers: readonly ServerRow[]) {
    super('ambiguous')
    const message = 'Several saved servers have this address; begin again with "serverId".'
    const candidates = servers.map(({ id, name, url }) => ({ id, name, url: redactedUrl(url ?? '') }))
    this.problem = { ...problemOf('AMBIGUOUS_SERVER', message), candidates }
  }
}

/** Returns the saved server of a request; undefined if the server is still to be created. */
function serverOf(store: Store, { projectId, serverId, url }: ConnectionRow): ServerRow | undefined {
  const saved = store.servers.list(projectId ?? '').filter(server => sameUrl(server.url, url))
  const [only, ...others] = serverId === null ? saved : saved.filter(({ id }) => id === serverId)
  if (!only && serverId !== null)
    throw new ServiceError('NOT_FOUND', `The server ${serverId} is gone or has another address.`)
  if (only && others.length > 0) throw new Ambiguous(saved)
  return only
}

function newTarget({ id, url, name }: ConnectionRow): ServerTarget {
  const label = name ?? hostOf(url)
  return { id, name: label, enabled: true, useOAuth: false, transport: { type: 'http', url, headers: {} } }
}

function hasCredentials(server: ServerRow | undefined): boolean {
  return server?.tokens !== undefined || Object.keys(server?.secrets.headers ?? {}).length > 0
}

function savedServer(store: Store, row: ConnectionRow, useOAuth = false): ServerRow {
  const server = serverOf(store, row)
  if (server) return server
  const { url, projectId } = row
  const name = row.name ?? freeName(store, projectId ?? '', hostOf(url))
  return insertServer(store, projectId ?? '', { name, enabled: true, transportType: 'http', url, useOAuth })
}

function freeName(store: Store, projectId: string, host: string): string {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? host : `${host} ${number}`
    if (!store.servers.findByName(projectId, candidate)) return candidate
  }
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url
}

/** Saves a new server before it is usable, because tokens can be imported only for a saved server. */
function awaitAuthorization({ store, connections }: ServiceContext, row: ConnectionRow): void {
  const saved = savedServer(store, row, true)
  const server = saved.useOAuth ? saved : updateServer(store, saved, { useOAuth: true })
  connections.drop(server.id)
  store.serverConnections.update({
    ...row,
    status: 'awaiting_authorization',
    serverId: server.id,
    tokensSeen: server.tokens ? digest(server.tokens) : null,
    attempts: 0,
    dueAt: null,
    error: problemOf(
      'OAUTH_REQUIRED',
      `The server asks for authorization: mcpdeck sign-in ${server.id}, or import tokens with ` +
        `POST /projects/${server.projectId}/servers/${server.id}/oauth/import-tokens. This request then goes ` +
        'on by itself.',
      true,
    ),
  })
}

function wait(store: Store, row: ConnectionRow, problem: ConnectionProblem): void {
  const attempts = row.attempts + 1
  if (attempts >= MAX_ATTEMPTS) return void finish(store, { ...row, attempts }, 'failed', problem)
  const dueAt = Date.now() + FIRST_WAIT_MS * 2 ** row.attempts
  store.serverConnections.update({ ...row, attempts, dueAt, error: { ...problem, retryable: true } })
}

function finish(store: Store, row: ConnectionRow, status: ConnectionStatus, error?: ConnectionProblem): ConnectionRow {
  const done: ConnectionRow = { ...row, status, error, dueAt: null, endedAt: Date.now() }
  store.serverConnections.update(done)
  return done
}

function problemOf(code: string, message: string, retryable = false): ConnectionProblem {
  return { code, message, retryable }
}

export function connectionHandlers(context: ServiceContext): Handlers['connections'] {
  const requests = createConnectionRequests(context)
  return {
    create: ({ caller, body }) => requests.create(caller, body),
    get: ({ caller, params }) => requests.get(caller, params.requestId),
    cancel: ({ caller, params }) => requests.cancel(caller, params.requestId),
    retryValidation: ({ caller, params }) => requests.retryValidation(caller, params.requestId),
  }
}
