import { isPlainObject } from '../../contract/shapes.ts'
import { ApiError } from './api-error.ts'

/** A JSON-RPC error that an MCP server answered; `frame` is the whole message, where it is known. */
export type ProtocolAnswer = { error: { code: unknown; message: unknown; data?: unknown }; frame: unknown }

/** The JSON-RPC error behind a failed request; undefined where the server gave none. */
export function protocolErrorOf(error: unknown): ProtocolAnswer | undefined {
  if (!(error instanceof ApiError)) return undefined
  const { protocolError, frame } = error.details ?? {}
  if (!isPlainObject(protocolError)) return undefined
  const { code, message, data } = protocolError
  return { error: { code, message, data }, frame }
}
