import * as z from 'zod'
import { ownValue } from '../../lib/own-value.ts'
import { listOf, openEnum, openObject, record, shape, timestamp } from './shapes.ts'
import { endpoint, resource } from './endpoint.ts'

const call = () =>
  ({
    /** Equal to the request id of the answer to the caller. */
    id: z.string(),
    kind: openEnum(['tool', 'prompt', 'resource']),
    /** Name of the tool or prompt, or the resource's URI. */
    target: z.string(),
    input: openObject().nullish(),
    /** Why `input` differs from what was sent: secrets in it were removed, or it was too large to store. */
    incomplete: openEnum(['secrets', 'size']).nullish(),
    startedAt: timestamp(),
    /** `unknown` means that the call may have been made, for example if the program ended meanwhile. */
    status: openEnum(['running', 'answered', 'tool_error', 'failed', 'given_up', 'unknown']),
    /** Milliseconds: for a tool as the service measured them, for other calls until the answer. */
    durationMs: z.number().nullish(),
    /** Why the call has no answer. */
    error: record({ code: z.string(), message: z.string() }).nullish(),
    /** Size of the whole result as JSON, in bytes. */
    resultBytes: z.number().nullish(),
  }) as const

/** A manual tool call, prompt or resource read. */
export const ServerCall = shape(() => record(call()))
export type ServerCall = z.infer<typeof ServerCall>

/** A call with the MCP server's result, except for secrets; absent if it was too large. */
export const ServerCallDetail = shape(() => record({ ...call(), result: z.unknown().optional() }))
export type ServerCallDetail = z.infer<typeof ServerCallDetail>

const STATUS_WORDS: Readonly<Record<string, string>> = { tool_error: 'tool error', given_up: 'cancelled' }

/** Returns the status of a call in words. An unknown status is returned unchanged. */
export function callStatusWord(status: string): string {
  return ownValue(STATUS_WORDS, status) ?? status
}

/** The last result of a tool, in a manual call or in a trial. Errors of tools do not count. */
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
