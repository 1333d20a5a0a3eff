import type { Transport } from '@modelcontextprotocol/client'
import type { ServiceError } from '../core/errors.ts'
import type { LinkKind } from './types.ts'

/** One connection to a server below the protocol: bytes and how they end. */
export type Link = {
  readonly kind: LinkKind
  readonly transport: Transport
  /** Why the connection ended by itself; undefined while it lives and when we ended it. */
  failure(): ServiceError | undefined
  /** What the server did while an answer was waited for, as sentences; empty where it did nothing that can be told. */
  instead?(): string
  /** What a program printed to stdout that is no message of MCP, so far; absent where there is no stdout. */
  strayOutput?(): StrayOutput
  /** Ends the connection and everything behind it; safe to call twice. */
  close(): Promise<void>
}

/** Lines on stdout that were no messages, and the first of them that can be read. */
export type StrayOutput = { lines: number; first: string }

const MEBIBYTE = 1024 * 1024

/** A limit in the words of an error. */
export function inMebibytes(bytes: number): string {
  return bytes >= MEBIBYTE ? `${Math.round(bytes / MEBIBYTE)} MiB` : `${bytes} bytes`
}
