import * as z from 'zod'
import { ownValue } from '../../lib/own-value.ts'
import { listOf, openEnum, openObject, record, shape, timestamp } from './shapes.ts'
import { endpoint, resource } from './endpoint.ts'

const call = () =>
  ({
    /** Also the request id of the answer to anyone who made the call. */
    id: z.string(),
    kind: openEnum(['tool', 'prompt', 'resource']),
    /** Name of the tool or prompt, or the resource's URI. */
    target: z.string(),
    input: openObject().nullish(),
    /** What keeps `input` from being what was sent: secrets in it are struck out, or it was too large to store. */
    incomplete: openEnum(['secrets', 'size']).nullish(),
    startedAt: timestamp(),
    /** `unknown`: it may have happened, as where the program ended meanwhile. */
    status: openEnum(['running', 'answered', 'tool_error', 'failed', 'given_up', 'unknown']),
    /** In milliseconds; of a tool as the service measured it, else until its answer. */
    durationMs: z.number().nullish(),
    /** Why there is no answer. */
    error: record({ code: z.string(), message: z.string() }).nullish(),
    /** Bytes of the whole result as JSON. */
    resultBytes: z.number().nullish(),
  }) as const

/** A tool call, prompt or resource read that somebody made by hand. */
export const ServerCall = shape(() => record(call()))
export type ServerCall = z.infer<typeof ServerCall>

/** The same with what came back, as the MCP server answered it but for secrets; absent if it was too large. */
export const ServerCallDetail = shape(() => record({ ...call(), result: z.unknown().optional() }))
export type ServerCallDetail = z.infer<typeof ServerCallDetail>

const STATUS_WORDS: Readonly<Record<string, string>> = { tool_error: 'tool error', given_up: 'cancelled' }

/** What people read for the status of a call; one that is not known here is itself. */
export function callStatusWord(status: string): string {
  return ownValue(STATUS_WORDS, status) ?? status
}

/** What a tool returned last, in a call by hand or in a trial; errors of tools do not count. */
const RecordedResult = shape(() =>
  record({
    tool: z.string(),
    of: openEnum(['call', 'trial']),
    at: timestamp(),
    structuredContent: z.unknown().optional(),
  }),
)
export type RecordedResult = z.infer<typeof RecordedResult>

const server = '/local/projects/{projectId}/servers/{serverId}' as const

export const calls = resource('calls', {
  list: endpoint('listCalls', 'GET', `${server}/calls`, {
    summary: 'Manual tool calls, prompts and resource reads on a server, newest first.',
    ...listOf(ServerCall),
    errors: ['VALIDATION_ERROR'],
    local: true,
  }),
  get: endpoint('getCall', 'GET', `${server}/calls/{callId}`, {
    summary: 'One manual call with its result.',
    response: ServerCallDetail,
    local: true,
  }),
  results: endpoint('listRecordedResults', 'GET', `${server}/results`, {
    summary: 'Latest result of each tool of a server, where it is stored unredacted.',
    response: shape(() => record({ items: z.array(RecordedResult()) })),
    local: true,
  }),
  clear: endpoint('clearCalls', 'DELETE', `${server}/calls`, {
    summary: 'Delete the finished manual calls of a server.',
    response: shape(() => record({ cleared: z.number() })),
    risk: 'delete',
    idempotency: 'natural',
    local: true,
  }),
})
