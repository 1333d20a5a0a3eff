import * as z from 'zod'
import { shape } from '../../api/contract/shapes.ts'
import { ServiceError } from '../core/errors.ts'
import { brief } from '../core/one-line.ts'
import { unknownVersion } from './failures.ts'
import { pinnedVersion } from './http-request.ts'
import type { McpLibrary, ServerTarget } from './types.ts'

/** The supported versions that have no sessions. The library does not export them. */
const MODERN_VERSIONS = ['2026-07-28']
/**
 * Error codes of `initialize` that mean that only the newer protocol is supported (missing version header, unsupported
 * version, unknown method).
 */
const MODERN_ONLY_CODES = [-32020, -32022, -32601]

const ErrorAnswer = shape(() => z.object({ error: z.object({ code: z.number() }) }))

/** @throws ServiceError `VALIDATION_ERROR` if a header of the server pins a version that is not supported here */
export function pinnedBy({ transport }: ServerTarget, { SUPPORTED_PROTOCOL_VERSIONS }: McpLibrary): string | undefined {
  const pinned = transport.type === 'http' ? pinnedVersion(transport) : undefined
  const spoken = [...MODERN_VERSIONS, ...SUPPORTED_PROTOCOL_VERSIONS]
  if (pinned === undefined || spoken.includes(pinned)) return pinned
  throw new ServiceError(
    'VALIDATION_ERROR',
    `The header MCP-Protocol-Version pins ${brief(pinned)}; mcpdeck speaks ${spoken.join(', ')}.`,
    { details: { field: 'headers' } },
  )
}

export function isModern(version: string): boolean {
  return MODERN_VERSIONS.includes(version)
}

/** Whether a server refused the handshake in a way that only servers of the newer protocol do. */
export function speaksOnlyModern(failure: unknown, library: McpLibrary): boolean {
  const cause = failure instanceof Error ? failure.cause : undefined
  if (isModern(unknownVersion(cause) ?? '')) return true
  if (cause instanceof library.ProtocolError) return MODERN_ONLY_CODES.includes(cause.code)
  if (!(cause instanceof library.SdkHttpError)) return false
  const answer = ErrorAnswer().safeParse(parseJson(cause.data.text))
  return answer.success && MODERN_ONLY_CODES.includes(answer.data.error.code)
}

/** Returns a version that both sides support, if a server refused mcpdeck's version and named its own versions. */
export function offeredVersion(failure: unknown, library: McpLibrary): string | undefined {
  const cause = failure instanceof Error ? failure.cause : undefined
  if (!(cause instanceof library.ProtocolError)) return undefined
  const { supported } = Object(cause.data) as { supported?: unknown }
  return Array.isArray(supported)
    ? library.SUPPORTED_PROTOCOL_VERSIONS.find(each => supported.includes(each))
    : undefined
}

function parseJson(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}
