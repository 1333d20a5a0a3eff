import type { Client, McpSubscription } from '@modelcontextprotocol/client'
import * as z from 'zod'
import { defined, hasMoreLevels, MAX_INPUT_LEVELS } from '../../lib/json.ts'
import type { OnProgress } from '../../api/contract/message.ts'
import { shape } from '../../api/contract/shapes.ts'
import { ServiceError } from '../core/errors.ts'
import { untilAborted, type Deadline } from '../core/deadline.ts'
import { demandedVisits, UNUSABLE_ANSWER, toFailure } from './failures.ts'
import { createNotices, type Change } from './notices.ts'
import type { EarlyStart } from './early-start.ts'
import type { Guardian } from './guardian.ts'
import { createSseLink, createStreamableLink } from './http-link.ts'
import {
  loadLibrary,
  type McpLibrary,
  type Link,
  type StrayOutput,
  type PendingWork,
  type InitInfo,
  type JsonObject,
  type ServerTarget,
} from './types.ts'
import { createParamHeaders, UncallableTool } from './param-headers.ts'
import { UnansweredRequest, type RequestDesk, type ServerRequests } from './server-requests.ts'
import type { Traffic } from './traffic.ts'
import type { ServerEnding } from './server-process.ts'
import { createStdioLink } from './stdio-link.ts'
import { isModern, offeredVersion, pinnedBy, speaksOnlyModern } from './versions.ts'
import type { LogLevel } from '../../api/contract/live-servers.ts'
export type SessionSettings = {
  guardian: Guardian
  client: { name: string; version: string }
  /** Longest message that a server may send, in bytes. */
  maxResultBytes: number
  /** Collects the closing of failed attempts, so that their error is not delayed by it. */
  pending: PendingWork
  /** Returns the program of a command if it was started early. */
  takeStarted?: EarlyStart['take']
  ending: ServerEnding
  /** Records the messages of the connections; absent if nobody can read them. */
  traffic?: Traffic | undefined
  /** Passes requests of servers to a person. If absent, nobody can answer, so these features are not announced. */
  requests?: ServerRequests | undefined
}

/** An initialized session with one server. */
export type Session = Wishes & {
  readonly initInfo: InitInfo
  /** Milliseconds until the transport was connected, and from then on until the session was initialized. */
  readonly timings: { start: number; initialize: number }
  /** False once the connection has ended, or a request got no usable answer before its deadline. */
  readonly usable: boolean
  /** Calls the listener once when the session ends, for whatever reason. */
  onEnd(listener: () => void): void
  /** Whether the server is waiting for a person's answer. */
  isAwaited(): boolean
  /**
   * Sends one request. The schema and the depth of the result are checked. Throws the error that {@link toFailure}
   * returns.
   */
  request<T>(
    method: string,
    params: JsonObject,
    schema: z.ZodType<T>,
    deadline: Deadline,
    onProgress?: OnProgress,
  ): Promise<T>
  /** Calls the listener with each change that the server reports. */
  onChange(listener: (change: Change) => void): void
  /** Returns the output that a program printed to stdout outside the protocol; undefined over HTTP. */
  strayOutput(): StrayOutput | undefined
  /** @param reason the error with which requests in progress fail, unless a request ended the session itself */
  close(reason?: ServiceError): Promise<void>
}

/** The longest timer. The library's own timeout must not end a request, since the deadline does. */
const NO_LIBRARY_TIMEOUT_MS = 2 ** 31 - 1
/**
 * Status codes with which servers that support only the older event-stream transport answer the first POST (MCP
 * 2025-11-25, transports).
 */
const SSE_ONLY_STATUSES = [400, 404, 405]

/** Connects and initializes, falling back to the protocol without `initialize` and to the older HTTP transport. */
export async function openSession(
  target: ServerTarget,
  settings: SessionSettings,
  deadline: Deadline,
): Promise<Session> {
  deadline.stage = 'the protocol library'
  const library = await untilAborted(loadLibrary(), deadline.signal)
  const attempt = (createLink: () => Link, mode: Mode, versions?: string[]) =>
    connect(createLink(), { target, settings, deadline, library, mode, versions })
  const first = firstLink(target, settings, library)
  const pinned = pinnedBy(target, library)
  if (pinned && isModern(pinned)) return attempt(first, { pin: pinned })
  const versions = pinned === undefined ? undefined : [pinned]
  try {
    return await attempt(first, 'legacy', versions)
  } catch (error) {
    if (!versions && speaksOnlyModern(error, library)) return attempt(first, 'auto')
    const offered = versions ? undefined : offeredVersion(error, library)
    if (offered !== undefined) return attempt(first, 'legacy', [offered])
    if (!speaksOnlySse(error, library) || target.transport.type !== 'http') throw error
    const http = target.transport
    try {
      return await attempt(() => createSseLink(http, linkOptions(target, settings, library)), 'legacy', versions)
    } catch (second) {
      // A refusal of credentials says more than "not found". Otherwise the first answer is reported.
      const refused = second instanceof ServiceError && second.code !== 'SERVER_UNREACHABLE'
      throw refused ? second : error
    }
  }
}

function firstLink(target: ServerTarget, settings: SessionSettings, library: McpLibrary): () => Link {
  const { transport } = target
  const { guardian, takeStarted, ending } = settings
  const options = () => linkOptions(target, settings, library)
  return transport.type === 'stdio'
    ? () => createStdioLink(transport, { ...options(), guardian, takeStarted, ending })
    : () => createStreamableLink(transport, options())
}

function linkOptions(target: ServerTarget, { maxResultBytes, traffic }: SessionSettings, library: McpLibrary) {
  const tap = traffic?.connect(target)
  return { library, serverName: target.name, maxMessageBytes: maxResultBytes, tap, notices: createNotices(tap?.log) }
}

type Mode = 'legacy' | 'auto' | { pin: string }

type Attempt = {
  target: ServerTarget
  settings: SessionSettings
  deadline: Deadline
  library: McpLibrary
  mode: Mode
  /** Protocol versions that may be negotiated. Default: all that the library supports. */
  versions?: string[] | undefined
}

async function connect(link: Link, { target, settings, deadline, library, mode, versions }: Attempt): Promise<Session> {
  const desk = settings.requests?.open(target, library)
  const capabilities = desk && { capabilities: desk.capabilities }
  const client = new library.Client(settings.client, {
    versionNegotiation: { mode },
    ...(versions && { supportedProtocolVersions: versions }),
    ...capabilities,
  })
  desk?.attach(client, link.transport)
  const began = performance.now()
  let started = began
  deadline.remark = link.instead
  const start = link.transport.start.bind(link.transport)
  deadline.stage = 'the connection'
  link.transport.start = async () => {
    await start()
    started = performance.now()
    deadline.stage = 'initialize'
  }
  // If the event stream is closed before it begins, the library waits forever.
  const failed = new Promise<never>((_resolve, reject) => {
    link.transport.onclose = () => {
      if (link.failure()) reject(link.failure())
    }
  })
  try {
    const connecting = client.connect(link.transport, { signal: deadline.signal, timeout: NO_LIBRARY_TIMEOUT_MS })
    await untilAborted(Promise.race([connecting, failed]), deadline.signal)
    requireFlat(readInitInfo(client, link), target.name, 'initialize')
  } catch (error) {
    const failure = toFailure(error, { library, serverName: target.name, asked: 'initialize', deadline, link })
    settings.pending.add(link.close())
    desk?.close()
    throw failure
  }
  deadline.remark = undefined
  const timings = { start: started - began, initialize: performance.now() - started }
  return createSession(client, link, { library, serverName: target.name, timings, desk })
}

type Sent = { method: string; params: JsonObject }
type Sending = { signal: AbortSignal; timeout: number }
type Opened = { library: McpLibrary; serverName: string; timings: Session['timings']; desk: RequestDesk | undefined }

function createSession(client: Client, link: Link, { library, serverName, timings, desk }: Opened): Session {
  let usable = client.transport !== undefined
  const listeners: (() => void)[] = []
  const end = () => {
    usable = false
    desk?.close()
    for (const listener of listeners.splice(0)) listener()
  }
  client.onclose = end
  link.notices.onVisited(id => desk?.visited(id))
  if (!usable) desk?.close()
  let underWay = 0
  /** Number of requests that were in progress when the program ended. */
  let lost: number | undefined
  let closedFor: ServiceError | undefined
  const attempt: Attempted = async (asked, deadline, work) => {
    deadline.stage = asked
    underWay += 1
    try {
      return await work()
    } catch (error) {
      if (closedFor && !deadline.signal.aborted) throw closedFor
      if (link.kind === 'stdio' && link.failure()) lost ??= underWay
      const failure = besideOthers(toFailure(error, { library, serverName, asked, deadline, link }), lost)
      // An HTTP server that restarted, forgot the session or wants other credentials needs a new session.
      if (failure instanceof ServiceError && !isAnswer(error, library)) end()
      throw failure
    } finally {
      underWay -= 1
    }
  }
  const takesHeaders = link.kind === 'streamable-http' && client.getProtocolEra() === 'modern'
  const paramHeaders = takesHeaders ? createParamHeaders(client, library) : undefined
  const send = async <T>(message: Sent, schema: z.ZodType<T>, options: Sending): Promise<T> => {
    if (paramHeaders && message.method === 'tools/call') return (await paramHeaders.call(message, schema, options)) as T
    const answer = await client.request(message, schema, options)
    if (message.method === 'tools/list') paramHeaders?.listed((answer as { items?: unknown[] }).items ?? [])
    return answer
  }
  const request: Session['request'] = async (method, params, schema, deadline, onProgress) => {
    const followed = onProgress && link.notices.follow(onProgress)
    const ended = desk?.begin(callName(method, params), deadline)
    const meta = { ...wanted.meta(), ...followed?.meta }
    const sent = Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params
    const options = { signal: deadline.signal, timeout: NO_LIBRARY_TIMEOUT_MS }
    try {
      return await attempt(method, deadline, async () =>
        requireFlat(await send({ method, params: sent }, schema, options), serverName, method),
      )
    } catch (error) {
      desk?.demand(callName(method, params), demandedVisits((error as Error).cause))
      throw error
    } finally {
      ended?.()
      followed?.end()
    }
  }
  const wanted = createWishes(client, library, { request, attempt })
  return {
    ...wanted.wishes,
    initInfo: readInitInfo(client, link),
    timings,
    get usable() {
      return usable
    },
    onEnd(listener) {
      if (usable) listeners.push(listener)
      else listener()
    },
    isAwaited: () => desk?.isAwaited() ?? false,
    request,
    onChange: link.notices.onChange,
    strayOutput: () => link.strayOutput?.(),
    close(reason) {
      closedFor ??= reason
      return link.close()
    },
  }
}

/** Changes the error of a request if the program ended during several: any of them may have caused the end. */
function besideOthers(failure: unknown, lost = 1): unknown {
  if (lost < 2 || !(failure instanceof ServiceError)) return failure
  const others = `${lost - 1} other ${lost === 2 ? 'request was' : 'requests were'} under way`
  return new ServiceError(failure.code, `${failure.message} (${others}, any of which may be why)`, { cause: failure })
}

function callName(method: string, { name, uri }: JsonObject): string {
  return [method, ...[name, uri].filter(each => typeof each === 'string')].join(' ')
}
type Attempted = <T>(asked: string, deadline: Deadline, work: () => Promise<T>) => Promise<T>

/** @throws ServiceError `SERVER_UNREACHABLE` if an answer is nested too deeply to be stored or passed on */
function requireFlat<T>(answer: T, serverName: string, asked: string): T {
  if (!hasMoreLevels(answer, MAX_INPUT_LEVELS)) return answer
  throw new ServiceError(
    'SERVER_UNREACHABLE',
    `The server "${serverName}" gave ${asked} an answer of more than ${MAX_INPUT_LEVELS} levels.`,
    { details: { reason: UNUSABLE_ANSWER } },
  )
}

/**
 * Whether a session can be used after an error. It can after an error answer, after a result that does not match the
 * schema, after a request of the server that is not supported here, and if a person did not answer.
 */
function isAnswer(error: unknown, library: McpLibrary): boolean {
  if (error instanceof library.ProtocolError || error instanceof UnansweredRequest) return true
  if (error instanceof UncallableTool) return true
  const { InvalidResult, CapabilityNotSupported } = library.SdkErrorCode
  return error instanceof library.SdkError && (error.code === InvalidResult || error.code === CapabilityNotSupported)
}

function readInitInfo(client: Client, link: Link): InitInfo {
  const protocolVersion = client.getNegotiatedProtocolVersion()
  const serverInfo = client.getServerVersion()
  return {
    ...(serverInfo && { serverInfo: { ...serverInfo } }),
    capabilities: { ...client.getServerCapabilities() },
    ...defined({ protocolVersion, instructions: client.getInstructions() }),
    transport: link.kind,
  }
}

function speaksOnlySse(failure: unknown, library: McpLibrary): boolean {
  const cause = failure instanceof Error ? failure.cause : undefined
  return cause instanceof library.SdkHttpError && SSE_ONLY_STATUSES.includes(cause.status ?? 0)
}

/** Requests that a session sends without a call. */
type Wishes = {
  setLogLevel(level: LogLevel, deadline: Deadline): Promise<void>
  subscribeTo(uris: readonly string[], deadline: Deadline): Promise<void>
  /** Subscribes to changes of lists, if the protocol version requires a request for that. */
  watchLists(): void
}

type Ask = {
  request: (method: string, params: JsonObject, schema: z.ZodType<unknown>, deadline: Deadline) => Promise<unknown>
  /** Converts the errors of the library to those that callers expect. */
  attempt: <T>(what: string, deadline: Deadline, work: () => Promise<T>) => Promise<T>
}

const Anything = shape(() => z.looseObject({}))
const LISTS = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }

/**
 * Sets the log level and the subscriptions as the protocol version needs. With `initialize` each is a request. Without
 * it the level is sent with every request, and one stream carries all subscriptions.
 * @returns the requests, and the data that each request carries
 */
function createWishes(
  client: Client,
  library: McpLibrary,
  { request, attempt }: Ask,
): { wishes: Wishes; meta: () => JsonObject | undefined } {
  const isStateless = client.getProtocolEra() === 'modern'
  let meta: JsonObject | undefined
  let asked = 0
  /** The stream that the server agreed to for the latest request. */
  let agreed: { stream: McpSubscription; to: number } | undefined
  let subscribed: readonly string[] = []

  const listen = async (uris: readonly string[], limit: { signal: AbortSignal } | { timeout: number }) => {
    asked += 1
    const own = asked
    const stream = await client.listen({ ...LISTS, resourceSubscriptions: [...uris] }, limit)
    const before = agreed
    // The server may have agreed to a later request first.
    if (before && before.to > own) return await stream.close()
    agreed = { stream, to: own }
    await before?.stream.close()
  }
  return {
    meta: () => meta,
    wishes: {
      async setLogLevel(level, deadline) {
        if (isStateless) meta = { [library.LOG_LEVEL_META_KEY]: level }
        else await request('logging/setLevel', { level }, Anything(), deadline)
      },
      async subscribeTo(uris, deadline) {
        if (isStateless) {
          const limit = { signal: deadline.signal }
          return attempt('subscriptions/listen', deadline, () => listen(uris, limit))
        }
        const ask = async (method: string, uri: string) => {
          await request(`resources/${method}`, { uri }, Anything(), deadline)
          subscribed = method === 'subscribe' ? [...subscribed, uri] : subscribed.filter(each => each !== uri)
        }
        for (const uri of uris) if (!subscribed.includes(uri)) await ask('subscribe', uri)
        for (const uri of subscribed) if (!uris.includes(uri)) await ask('unsubscribe', uri)
      },
      watchLists() {
        // A server that cannot report changes is read as often as the person asks.
        // A signal would end the stream later on, while this timeout ends with the server's agreement.
        if (isStateless && asked === 0) listen([], { timeout: WATCH_MS }).catch(() => undefined)
      },
    },
  }
}

/** Milliseconds that a server has to agree to report changes. */
const WATCH_MS = 30_000
