import * as z from 'zod'
import { listQuery, openEnum, queryCursor, record, shape, timestamp, type Shape } from './shapes.ts'
import { endpoint, resource } from './endpoint.ts'

/** A message of MCP as it went over the wire, or an answer of HTTP that is none. */
export const TrafficFrame = shape(() =>
  record({
    id: z.string(),
    /** Counts the connections of the process; ids of the protocol are unique within one. */
    connection: z.number(),
    at: timestamp(),
    direction: openEnum(['sent', 'received']),
    kind: openEnum(['request', 'notification', 'result', 'error', 'other']),
    /** Of an answer that of its request, as far as that is still kept. */
    method: z.string().nullish(),
    /** The id of the protocol, as JSON. */
    rpcId: z.string().nullish(),
    size: z.number(),
    /** The frame that this one answers, and how long that took, in milliseconds. */
    answers: z.string().nullish(),
    durationMs: z.number().nullish(),
    /** An error of the protocol, of HTTP, or of the tool that was called. */
    failed: z.boolean(),
    /** The beginning of what it holds. */
    summary: z.string(),
    /** The trial that it was sent for, or answers; absent of what serves no trial, or several. */
    origin: record({ runId: z.string(), runNumber: z.number(), caseTitle: z.string() }).nullish(),
  }),
)
export type TrafficFrame = z.infer<typeof TrafficFrame>

const headers = () => z.record(z.string(), z.string())

/** A frame as a whole; secrets are struck out. */
export const TrafficMessage = shape(() =>
  record({
    frame: TrafficFrame(),
    /** The message, JSON where the program behind it wrote JSON. */
    text: z.string(),
    /** Of a long message its end, with how many bytes are missing before it. */
    end: z.string().nullish(),
    leftOut: z.number(),
    /** The exchange that carried it, where it went over HTTP. */
    exchange: record({
      method: z.string(),
      url: z.string(),
      requestHeaders: headers(),
      /** Absent until it is answered. */
      status: z.number().nullish(),
      responseHeaders: headers().nullish(),
      /** Until the headers of the answer, in milliseconds. */
      durationMs: z.number().nullish(),
      /** Why there was no answer. */
      problem: z.string().nullish(),
    }).nullish(),
  }),
)
export type TrafficMessage = z.infer<typeof TrafficMessage>

/** A line that a server's program printed, a log message of the protocol, or what became of the program. */
export const ConsoleLine = shape(() =>
  record({
    id: z.string(),
    connection: z.number(),
    at: timestamp(),
    /** `stdout` is pollution: the protocol has it for itself. */
    stream: openEnum(['stderr', 'stdout', 'process', 'log']),
    text: z.string(),
    /** Characters that are missing at its end. */
    leftOut: z.number(),
    /** Of a log message, as the server wrote them. */
    level: z.string().nullish(),
    logger: z.string().nullish(),
  }),
)
export type ConsoleLine = z.infer<typeof ConsoleLine>

/** The oldest first. What the process keeps is bounded, so older entries go while it is read. */
function recordedPage<T extends z.ZodType>(item: Shape<T>) {
  return shape(() =>
    record({
      items: z.array(item()),
      nextCursor: z.string().nullish(),
      /** Sent as the cursor it leads to what was recorded after these. */
      latest: z.string(),
      /** Nothing with a lower id is kept. */
      keptFrom: z.string(),
      /** Older entries had to go. */
      dropped: z.boolean(),
    }),
  )
}

/** Sent again later it would clear what came since. */
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
