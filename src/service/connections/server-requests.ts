import type {
  Client,
  ClientCapabilities,
  CreateMessageResult,
  ElicitResult,
  JSONRPCMessage,
  Transport,
} from '@modelcontextprotocol/client'
import { isPlainObject } from '../../api/contract/shapes.ts'
import type { Root } from '../../api/contract/server-requests.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import { hasMoreLevels, MAX_INPUT_LEVELS } from '../../lib/json.ts'
import type { Deadline } from '../core/deadline.ts'
import { ServiceError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { McpLibrary, JsonObject, ServerTarget } from './types.ts'
/** A request of a server that waits for a person. */
export type WaitingRequest = {
  readonly id: string
  readonly serverId: string
  readonly kind: 'form' | 'url' | 'sampling'
  readonly params: JsonObject
  readonly call: string | undefined
  /** Whether the call has ended with the demand to visit a page first. After the visit the call can be repeated. */
  readonly hasCallEnded: boolean
  /** Epoch milliseconds. */
  readonly askedAt: number
  readonly endsAt: number
}

/** A person's decision about a request: a result of the protocol, or a rejection. */
export type Settlement = { result: JsonObject } | 'rejected'

/** Requests of servers to a person. Connections without it do not announce elicitation, sampling or roots. */
export type ServerRequests = {
  all(): WaitingRequest[]
  of(serverId: string): WaitingRequest[]
  /** Settles a request. Returns whether it was still open. */
  settle(serverId: string, id: string, settlement: Settlement): boolean
  /** Tells a connected server that its roots have changed. */
  rootsChanged(serverId: string): void
  open(target: ServerTarget, library: McpLibrary): RequestDesk
}

/** The part of {@link ServerRequests} that belongs to one connection. */
export type RequestDesk = {
  readonly capabilities: ClientCapabilities
  /** Adds the handlers of requests. Must be called before the client connects. */
  attach(client: Client, transport: Transport): void
  /** Registers a call until the returned function is called. The call's deadline pauses while a person is awaited. */
  begin(call: string, deadline: Deadline): () => void
  /** Records that a call ended because the person has to visit pages first. Each page becomes an open request. */
  demand(call: string, visits: readonly JsonObject[]): void
  /** Records that the person has visited the page of an elicitation. */
  visited(elicitationId: string): void
  isAwaited(): boolean
  close(): void
}

/** Thrown if a call of the newer protocol needed a person's answer and got none. The connection continues. */
export class UnansweredRequest extends ServiceError {}

/** Milliseconds that a person has for an answer. */
export const ANSWER_WITHIN_MS = 10 * 60_000
const MOST_WAITING = BOUNDS.waitingRequests.most
const MOST_CHARACTERS = 1024 * 1024
/** Maximum size of a request, in bytes. The library takes about a second per MiB to check the schema of a form. */
const LONGEST = { form: BOUNDS.elicitation.most, url: BOUNDS.elicitation.most, sampling: BOUNDS.samplingRequest.most }

const ELICITATION = 'elicitation/create'
const SAMPLING = 'sampling/createMessage'
/** The error code for a rejected request in the protocol's pages on sampling. */
const REJECTED = -1
const INVALID_PARAMS = -32602
const INTERNAL_ERROR = -32603
const TOO_MANY = -32000

type Entry = WaitingRequest & { size: number; settle: (settlement: Settlement | Error) => void }
type Call = { name: string; deadline: Deadline }
type Context = { mcpReq: { signal: AbortSignal } }
type Shared = {
  waiting: Map<string, Entry>
  of(serverId: string): Entry[]
  /** Whether visits to pages and sampling are not announced, because nobody can answer them. */
  onlyForms?: boolean
  rootsOf: (serverId: string) => readonly Root[]
  onChange: () => void
}

/**
 * Creates the requests of servers.
 * @param onChange called when the open requests have changed
 */
export function createServerRequests(given: Pick<Shared, 'onlyForms' | 'rootsOf' | 'onChange'>): ServerRequests {
  const waiting: Shared['waiting'] = new Map()
  const clients = new Map<Client, string>()
  const of = (serverId: string) => [...waiting.values()].filter(entry => entry.serverId === serverId)
  return {
    all: () => [...waiting.values()],
    of,
    settle(serverId, id, settlement) {
      const entry = waiting.get(id)
      if (entry?.serverId !== serverId) return false
      entry.settle(settlement)
      return true
    },
    rootsChanged(serverId) {
      // A server that has ended, or whose protocol lacks this notification, reads the roots when it needs them.
      for (const [client, id] of clients) if (id === serverId) client.sendRootsListChanged().catch(() => {})
    },
    open(target, library) {
      const desk = createDesk({ waiting, of, ...given }, target.id, library)
      let attached: Client | undefined
      return {
        ...desk,
        attach(client, transport) {
          attached = client
          clients.set(client, target.id)
          desk.attach(client, transport)
        },
        close() {
          if (attached) clients.delete(attached)
          desk.close()
        },
      }
    },
  }
}

function createDesk(shared: Shared, serverId: string, library: McpLibrary): RequestDesk {
  const calls = new Set<Call>()
  const own = new Set<Entry>()
  let client: Client | undefined
  const refusal: Refusal = (message, code = INTERNAL_ERROR) => {
    if (client?.getProtocolEra() !== 'modern') return new library.ProtocolError(code, message)
    return new UnansweredRequest(code === INTERNAL_ERROR ? 'TIMEOUT' : 'VALIDATION_ERROR', message)
  }
  const wait = (
    kind: WaitingRequest['kind'],
    params: JsonObject,
    { mcpReq: { signal } }: Context,
    demandedBy?: string,
  ) => {
    const size = JSON.stringify(params).length
    const others = shared.of(serverId)
    const characters = others.reduce((sum, other) => sum + other.size, size)
    if (size > LONGEST[kind] || hasMoreLevels(params, MAX_INPUT_LEVELS)) throw refusal(tooLarge(kind), INVALID_PARAMS)
    if (others.length >= MOST_WAITING || characters > MOST_CHARACTERS)
      throw refusal('Too many requests of this server are waiting for a person.', TOO_MANY)
    const askedAt = Date.now()
    const times = { askedAt, endsAt: askedAt + ANSWER_WITHIN_MS }
    const underWay = demandedBy === undefined ? [...calls] : []
    const call = demandedBy ?? underWay.at(-1)?.name
    const hasCallEnded = demandedBy !== undefined
    const asked = { id: newId('req'), serverId, kind, params, call, hasCallEnded, ...times, size }
    return untilSettled(asked, { shared, own, underWay, signal, refusal })
  }
  return {
    capabilities: {
      elicitation: shared.onlyForms ? { form: {} } : { form: {}, url: {} },
      ...(!shared.onlyForms && { sampling: {} }),
      roots: { listChanged: true },
    },
    attach(attached, transport) {
      client = attached
      boundRequests(transport)
      // The library validates the result against the protocol's schemas.
      client.setRequestHandler(ELICITATION, ({ params }, context) => {
        const kind = params.mode === 'url' ? 'url' : 'form'
        return wait(kind, { ...params }, context) as Promise<ElicitResult>
      })
      if (!shared.onlyForms)
        client.setRequestHandler(SAMPLING, ({ params }, context) => {
          return wait('sampling', { ...params }, context) as Promise<CreateMessageResult>
        })
      client.setRequestHandler('roots/list', () => ({ roots: [...shared.rootsOf(serverId)] }))
    },
    begin(name, deadline) {
      const call = { name, deadline }
      calls.add(call)
      return () => void calls.delete(call)
    },
    demand(call, visits) {
      const isNew = ({ elicitationId }: JsonObject) =>
        elicitationId === undefined || ![...own].some(each => each.params['elicitationId'] === elicitationId)
      const context = { mcpReq: { signal: new AbortController().signal } }
      // Here the server does not wait for an answer. A request beyond the limits is reported by the error of its call.
      const begin = async (params: JsonObject) => void (await wait('url', params, context, call))
      for (const params of visits.filter(isNew)) begin(params).catch(() => {})
    },
    visited(elicitationId) {
      for (const entry of own)
        if (entry.params['elicitationId'] === elicitationId) entry.settle({ result: { action: 'accept' } })
    },
    isAwaited: () => own.size > 0,
    close() {
      for (const entry of own) entry.settle(refusal('The connection has ended.'))
    },
  }
}

type Refusal = (message: string, code?: number) => Error
type Waiting = { shared: Shared; own: Set<Entry>; underWay: Call[]; signal: AbortSignal; refusal: Refusal }

/** Keeps a request open until it is settled. Meanwhile the deadlines of the calls in progress are paused. */
function untilSettled(asked: Omit<Entry, 'settle'>, { shared, own, underWay, signal, refusal }: Waiting) {
  return new Promise<JsonObject>((resolve, reject) => {
    const releases = underWay.map(({ deadline }) => deadline.hold())
    const settle: Entry['settle'] = settlement => {
      if (!shared.waiting.delete(asked.id)) return
      own.delete(entry)
      clearTimeout(timer)
      signal.removeEventListener('abort', takenBack)
      for (const release of releases) release()
      for (const { deadline } of underWay) deadline.signal.removeEventListener('abort', callEnded)
      if (settlement instanceof Error) reject(settlement)
      else if (settlement === 'rejected') reject(refusal('The person rejected the request.', REJECTED))
      else resolve(settlement.result)
      shared.onChange()
    }
    const takenBack = () => settle(refusal('The server cancelled the request.'))
    const callEnded = () => {
      if (underWay.every(({ deadline }) => deadline.signal.aborted)) settle(refusal('The call was cancelled.'))
    }
    const late = () => settle(refusal(`Nobody answered within ${ANSWER_WITHIN_MS / 60_000} minutes.`))
    const timer = setTimeout(late, ANSWER_WITHIN_MS)
    const entry: Entry = { ...asked, settle }
    signal.addEventListener('abort', takenBack)
    for (const { deadline } of underWay) deadline.signal.addEventListener('abort', callEnded)
    shared.waiting.set(entry.id, entry)
    own.add(entry)
    shared.onChange()
    if (signal.aborted) takenBack()
  })
}

function tooLarge(kind: WaitingRequest['kind']): string {
  return `The request is too large to be shown: at most ${LONGEST[kind] / 1024} KiB.`
}

/** Returns the reason if a result of the newer protocol contains more requests than the library may handle. */
function problemOfRound(result: unknown): string | undefined {
  if (!isPlainObject(result) || !isPlainObject(result['inputRequests'])) return undefined
  const requests = Object.values(result['inputRequests'])
  if (requests.length > MOST_WAITING) return `The server may have at most ${MOST_WAITING} requests waiting at once.`
  const kindOf = (request: unknown) => (isPlainObject(request) && request['method'] === SAMPLING ? 'sampling' : 'form')
  const large = requests.find(request => JSON.stringify(request).length > LONGEST[kindOf(request)])
  return large === undefined ? undefined : tooLarge(kindOf(large))
}

/** Blocks messages that would keep the library busy for seconds, and a second request with the same id. */
function boundRequests(transport: Transport): void {
  const ids = new Set<unknown>()
  const send = transport.send.bind(transport)
  transport.send = (message, sending) => {
    if ('id' in message && !('method' in message)) ids.delete(message.id)
    return send(message, sending)
  }
  const passed = (message: JSONRPCMessage): JSONRPCMessage | undefined => {
    if ('method' in message) {
      if (message.method === 'notifications/cancelled') ids.delete(message.params?.['requestId'])
      if (!('id' in message) || (message.method !== ELICITATION && message.method !== SAMPLING)) return message
      if (ids.has(message.id)) return undefined
      ids.add(message.id)
      const kind = message.method === SAMPLING ? 'sampling' : 'form'
      if (JSON.stringify(message.params ?? {}).length <= LONGEST[kind]) return message
      const error = { code: INVALID_PARAMS, message: tooLarge(kind) }
      transport.send({ jsonrpc: '2.0', id: message.id, error }).catch(() => {})
      return undefined
    }
    const problem = 'result' in message ? problemOfRound(message.result) : undefined
    if (problem === undefined) return message
    return { jsonrpc: '2.0', id: message.id, error: { code: INVALID_PARAMS, message: problem } }
  }
  const before = Object.getOwnPropertyDescriptor(transport, 'onmessage')
  let listener: Transport['onmessage']
  // The client listens by setting this handler. The connection may have defined its own accessor for it.
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => (before?.get ? (before.get() as Transport['onmessage']) : listener),
    set(given: Transport['onmessage']) {
      const bounded: Transport['onmessage'] = (message, extra) => {
        const kept = passed(message)
        if (kept) given?.(kept, extra)
      }
      listener = given && bounded
      before?.set?.(listener)
    },
  })
}
