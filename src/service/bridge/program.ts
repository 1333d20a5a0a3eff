import { randomUUID } from 'node:crypto'
import type { JSONRPCMessage, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { parseExact } from '../../lib/json.ts'
import { createGuardian } from '../connections/guardian.ts'
import { startServer, type ServerCommand, type ServerProcess } from '../connections/server-process.ts'
import { createLineReader } from '../connections/stdio-link.ts'
import { createPendingWork, inMebibytes } from '../connections/types.ts'
import type { Behind } from './forwarded.ts'

/**
 * Maximum number of programs. Clients often abandon their sessions, so the program that was idle for longest is ended.
 */
const MOST_SESSIONS = 8
/** Maximum size in bytes of a program's message, and of its output between two answers. */
const MOST_BYTES = 8 * 1024 * 1024
/** The last version of the protocol with sessions; later ones are not used with programs here. */
const LAST_WITH_SESSIONS = '2025-11-25'
/** JSON-RPC error code whose meaning servers may define. */
const SERVER_ERROR = -32_000

type Id = string | number
type Params = { progressToken?: unknown; requestId?: Id; _meta?: { progressToken?: unknown } }
type Message = { id?: Id; method?: string; params?: Params }
type Transport = WebStandardStreamableHTTPServerTransport

type Session = {
  transport: Transport
  /** The progress tokens of the open requests by request id, in order of arrival. */
  open: Map<Id, unknown>
  start(): Promise<void>
}

/** Provides a stdio server over HTTP: the protocol library handles HTTP, and messages are forwarded unchanged. */
export async function bridgeProgram(command: ServerCommand, serverName: string): Promise<Behind> {
  const { WebStandardStreamableHTTPServerTransport: Transport } = await import('@modelcontextprotocol/server')
  const guardian = createGuardian()
  const pending = createPendingWork()
  const sessions = new Map<string, Session>()
  let wasMisunderstood = false
  let broken = 0
  let isClosed = false

  const begin = (): Transport => {
    const transport: Transport = new Transport({
      sessionIdGenerator: randomUUID,
      async onsessioninitialized(id) {
        await session.start()
        sessions.set(id, session)
        endUnused(sessions)
      },
    })
    const start = async (): Promise<ServerProcess> => {
      const server = await startServer(command, serverName, guardian, 'here')
      let isOurEnd = isClosed
      transport.onclose = () => {
        isOurEnd = true
        sessions.delete(transport.sessionId!)
        pending.add(server.end())
      }
      void server.ended.then(() => (broken += isOurEnd ? 0 : 1))
      // The bridge may have been closed while the program was starting.
      if (isClosed) await server.end()
      return server
    }
    const session = createSession(transport, () => {
      const starting = start()
      pending.add(
        starting.then(
          () => undefined,
          () => undefined,
        ),
      )
      return starting
    })
    return transport
  }
  return {
    wasMisunderstood: () => wasMisunderstood,
    answer(request) {
      wasMisunderstood ||= (request.headers.get('mcp-protocol-version') ?? '') > LAST_WITH_SESSIONS
      const id = request.headers.get('mcp-session-id')
      if (id === null && isFull(sessions)) return Response.json(errorOf(null, 'Too many sessions'), { status: 503 })
      if (id === null) return begin().handleRequest(request)
      const session = sessions.get(id)
      // The protocol library gives the same answer for an unknown session.
      if (!session) return Response.json(errorOf(null, 'Session not found'), { status: 404 })
      sessions.delete(id)
      sessions.set(id, session)
      return session.transport.handleRequest(request)
    },
    brokenSessions: () => broken,
    async close() {
      isClosed = true
      for (const { transport } of sessions.values()) await transport.close()
      await pending.settled()
      guardian.close()
    },
  }
}

/** Whether as many programs run as are allowed, and all of them have requests in progress. */
function isFull(sessions: ReadonlyMap<string, Session>): boolean {
  return sessions.size >= MOST_SESSIONS && [...sessions.values()].every(({ open }) => open.size > 0)
}

/**
 * If there are too many programs, ends the one that was idle for longest. A program with open requests and the program
 * that has just started are never ended.
 */
function endUnused(sessions: ReadonlyMap<string, Session>): void {
  if (sessions.size <= MOST_SESSIONS) return
  const unused = [...sessions.values()].slice(0, -1).find(({ open }) => open.size === 0)
  void unused?.transport.close()
}

function createSession(transport: Transport, startProgram: () => Promise<ServerProcess>): Session {
  const open = new Map<Id, unknown>()
  let printed = 0
  const send = (message: object, relatedRequestId?: Id) => {
    const related = relatedRequestId === undefined ? {} : { relatedRequestId }
    // Sending fails if the client has no stream open for messages that answer no request.
    transport.send(message as JSONRPCMessage, related).catch(() => undefined)
  }
  const fail = (how: string) => {
    for (const id of open.keys()) send(errorOf(id, `The server ${how}`), id)
    open.clear()
    void transport.close()
  }
  const take = (line: string) => {
    printed += line.length + 1
    const message = messageOf(line)
    if (printed > MOST_BYTES) return fail(`printed more than ${inMebibytes(MOST_BYTES)} without an answer`)
    if (!message) return
    if (message.method !== undefined) return send(message, relatedTo(message, open))
    if (message.id === undefined || !open.delete(message.id)) return
    printed = 0
    send(message, message.id)
  }
  return {
    transport,
    open,
    async start() {
      const server = await startProgram().catch((error: Error) => error)
      if (server instanceof Error) {
        transport.onmessage = message => 'id' in message && send(errorOf(message.id!, server.message), message.id)
        return
      }
      const reader = createLineReader(MOST_BYTES, take)
      server.child.stdout.on('data', (chunk: Buffer) => {
        if (!reader.push(chunk)) fail(`answered more than ${inMebibytes(MOST_BYTES)} in one message`)
      })
      void server.ended.then(fail)
      transport.onmessage = message => {
        const { id, method, params } = message as Message
        if (method !== undefined && id !== undefined) open.set(id, params?._meta?.progressToken)
        // A cancelled request may never be answered.
        if (method === 'notifications/cancelled' && params?.requestId !== undefined) open.delete(params.requestId)
        server.child.stdin.write(`${JSON.stringify(message)}\n`)
      }
    },
  }
}

/** Returns undefined for a line that is not a message, such as a banner. */
function messageOf(line: string): Message | undefined {
  if (!line.trimStart().startsWith('{')) return undefined
  try {
    return parseExact(line) as Message
  } catch {
    return undefined
  }
}

/** Returns the request whose stream a message is sent on: the request with its progress token, else the latest one. */
function relatedTo({ params }: Message, open: ReadonlyMap<Id, unknown>): Id | undefined {
  const token = params?.progressToken
  const [reported] = [...open].find(([, each]) => token !== undefined && each === token) ?? []
  return reported ?? [...open.keys()].at(-1)
}

function errorOf(id: Id | null, message: string): object {
  return { jsonrpc: '2.0', id, error: { code: SERVER_ERROR, message } }
}
