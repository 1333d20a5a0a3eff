import * as z from 'zod'
import { listQuery, openEnum, queryCursor, record, shape, timestamp, type Shape } from './shapes.ts'
import { endpoint, resource } from './endpoint.ts'

/** An MCP message as it was sent or received, or an HTTP answer that is none. */
export const TrafficFrame = shape(() =>
  record({
    id: z.string(),
    /** Number of the connection in this process. Ids of the protocol are unique within one. */
    connection: z.number(),
    at: timestamp(),
    direction: openEnum(['sent', 'received']),
    kind: openEnum(['request', 'notification', 'result', 'error', 'other']),
    /** For an answer, the method of its request, while that request is kept. */
    method: z.string().nullish(),
    /** The id in the protocol, as JSON. */
    rpcId: z.string().nullish(),
    size: z.number(),
    /** The frame that this one answers, and the time between them in milliseconds. */
    answers: z.string().nullish(),
    durationMs: z.number().nullish(),
    /** Whether it is an error of the protocol, of HTTP, or of the called tool. */
    failed: z.boolean(),
    /** The beginning of its content. */
    summary: z.string(),
    /** The trial that it was sent for, or answers; absent if it belongs to no trial, or to several. */
    origin: record({ runId: z.string(), runNumber: z.number(), caseTitle: z.string() }).nullish(),
  }),
)
export type TrafficFrame = z.infer<typeof TrafficFrame>

const headers = () => z.record(z.string(), z.string())

/** A complete frame without secrets. */
export const TrafficMessage = shape(() =>
  record({
    frame: TrafficFrame(),
    /** The message, which is JSON if the sender wrote JSON. */
    text: z.string(),
    /** The end of a long message, and the number of missing bytes before it. */
    end: z.string().nullish(),
    leftOut: z.number(),
    /** The HTTP exchange that contained the message, if there was one. */
    exchange: record({
      method: z.string(),
      url: z.string(),
      requestHeaders: headers(),
      /** Absent until the request is answered. */
      status: z.number().nullish(),
      responseHeaders: headers().nullish(),
      /** Milliseconds until the headers of the answer. */
      durationMs: z.number().nullish(),
      /** Why there was no answer. */
      problem: z.string().nullish(),
    }).nullish(),
  }),
)
export type TrafficMessage = z.infer<typeof TrafficMessage>

/** A line that a server's program printed, a log message of the protocol, or the end of the program. */
export const ConsoleLine = shape(() =>
  record({
    id: z.string(),
    connection: z.number(),
    at: timestamp(),
    /** `stdout` is an error of the program, because it is reserved for the protocol. */
    stream: openEnum(['stderr', 'stdout', 'process', 'log']),
    text: z.string(),
    /** Number of characters missing at the end of the line. */
    leftOut: z.number(),
    /** Level and logger of a log message, as the server wrote them. */
    level: z.string().nullish(),
    logger: z.string().nullish(),
  }),
)
export type ConsoleLine = z.infer<typeof ConsoleLine>

/**
 * Declares a page of recorded entries, oldest first. The process keeps a limited number, so older entries may be
 * removed meanwhile.
 */
function recordedPage<T extends z.ZodType>(item: Shape<T>) {
  return shape(() =>
    record({
      items: z.array(item()),
      nextCursor: z.string().nullish(),
      /** A cursor that returns what was recorded after these entries. */
      latest: z.string(),
      /** Entries with a lower id are no longer kept. */
      keptFrom: z.string(),
      /** Whether older entries were removed. */
      dropped: z.boolean(),
    }),
  )
}

/** Why a lost answer needs no check. If the request were sent again later, it would clear what was recorded since. */
const RECORDED = 'what is recorded lasts no longer than the service, and the list shows it'

const Cleared = shape(() => record({ cleared: z.boolean() }))

const server = '/local/projects/{projectId}/servers/{serverId}' as const

export const traffic = resource('traffic', {
  list: endpoint('listTraffic', 'GET', `${server}/traffic`, {
    summary: 'Messages between this process and a server, oldest first.',
    query: listQuery,
    response: recordedPage(TrafficFrame),
    errors: ['VALIDATION_ERROR'],
    cursor: queryCursor,
    local: true,
  }),
  get: endpoint('getTrafficMessage', 'GET', `${server}/traffic/{frameId}`, {
    summary: 'One message in full, with the HTTP exchange that carried it.',
    response: TrafficMessage,
    local: true,
  }),
  clear: endpoint('clearTraffic', 'DELETE', `${server}/traffic`, {
    summary: 'Clear what was recorded so far.',
    response: Cleared,
    risk: 'write',
    idempotency: 'natural',
    leavesNothing: RECORDED,
    local: true,
  }),
})

export const console = resource('console', {
  list: endpoint('listConsole', 'GET', `${server}/console`, {
    summary: 'Output of a server program outside the protocol, oldest first.',
    query: listQuery,
    response: recordedPage(ConsoleLine),
    errors: ['VALIDATION_ERROR'],
    cursor: queryCursor,
    local: true,
  }),
  clear: endpoint('clearConsole', 'DELETE', `${server}/console`, {
    summary: 'Clear the output recorded so far.',
    response: Cleared,
    risk: 'write',
    idempotency: 'natural',
    leavesNothing: RECORDED,
    local: true,
  }),
})
