import type { ServerTarget } from '../connections/types.ts'
import { ServiceError } from '../core/errors.ts'
import { digest } from '../core/ids.ts'
import type { ServiceContext } from '../core/context.ts'
import { insertServer, updateServer } from '../servers/records.ts'
import type { ConnectionProblem, ConnectionRow, ConnectionStatus } from './rows.ts'
import type { ServerRow } from '../servers/rows.ts'
import type { Store } from '../core/database/store.ts'
import { redactedUrl, sameUrl } from '../core/urls.ts'

/** What moves requests on. Everything but `look` runs inside a transaction and answers the row as it is now. */
export type Attempts = {
  /** Writes the row and tries at once. */
  begin(row: ConnectionRow): ConnectionRow
  /** Tries again at once where something is waited for. */
  retry(row: ConnectionRow): ConnectionRow
  end(row: ConnectionRow, status: 'cancelled' | 'expired'): ConnectionRow
  /** Ends the row when its time is up. */
  expired(row: ConnectionRow): ConnectionRow
  /** Ends what is over, tries what is due, goes on where tokens have come. */
  look(): void
}

/** A server that does not answer is asked this often, first after one second and then after twice the time each. */
const MAX_ATTEMPTS = 5
const FIRST_WAIT_MS = 1000
/** While nothing is open, it is looked this rarely for what other processes left, in milliseconds. */
const REST_MS = 10_000
/** Failures that may pass. */
const PASSING = new Set(['SERVER_UNREACHABLE', 'TIMEOUT'])

export function createAttempts(context: ServiceContext): Attempts {
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
    // Another process may be at it already.
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
    look() {
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

export function ended(row: ConnectionRow): boolean {
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

/** Whether the server that is waited for was authorized, or is gone. */
function hasNews(store: Store, { status, serverId, tokensSeen }: ConnectionRow): boolean {
  if (status !== 'awaiting_authorization' || serverId === null) return false
  const server = store.servers.find(serverId)
  return !server || (server.tokens !== undefined && digest(server.tokens) !== tokensSeen)
}

/** One try, from where the request stands to where it has to wait or ends. */
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

/** Does something to the row as it is now, unless it has ended meanwhile. */
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
    // A 401 is about OAuth only where the server says so.
    const { useOAuth } = await connections.checkOAuth(target, signal)
    if (useOAuth) return askForTokens()
    throw new ServiceError('FORBIDDEN', `${error.message} Save the server with the headers that it wants.`)
  }
  change(current => finish(store, { ...current, serverId: savedServer(store, current).id }, 'ready'))
}

/** A refusal in its own words; anything else is a fault of ours. */
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

/** The saved server that a request is about; undefined = it will be a new one. */
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

/** The server of a request, saved now where it is new. */
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

/** Tokens are imported for a saved server, so a new one is saved before it is ready. */
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

/** Tries again after a while, or gives up. */
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
