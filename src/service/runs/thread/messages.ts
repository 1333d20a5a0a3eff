import type { ConnectionsOptions } from '../../connections/runner.ts'
import type { ServerTarget, ServerTransport } from '../../connections/types.ts'
import type { ExecutionSettings, RunExecution } from '../executor.ts'
import type { RelayedTraffic } from './traffic-relay.ts'

/**
 * Settings that a thread starts with. Keys of single launches are not included: they are sent with their launch
 * messages.
 */
export type ThreadSettings = ExecutionSettings & {
  /** The workspace's database, which exists and is up to date. */
  database: string
  /** Without what cannot be handed to a thread. */
  connections: Omit<ConnectionsOptions, 'early' | 'traffic'>
  /** See `comeAfterTheScreen`. */
  runsGiveWay: boolean
}

export type ThreadData = ThreadSettings & {
  /** Where the program stores compiled code, if anywhere. */
  compileCache: string | undefined
}

type HttpTransport = Extract<ServerTransport, { type: 'http' }>

/** A server with a flag in the place of its token, which the thread asks for each time. */
export type SentTarget = Omit<ServerTarget, 'transport'> & {
  transport: Exclude<ServerTransport, HttpTransport> | (Omit<HttpTransport, 'accessToken'> & { asksToken: boolean })
}

export type SentExecution = Omit<RunExecution, 'targets'> & { targets: SentTarget[] }

export type ToThread =
  | { kind: 'execute'; execution: SentExecution }
  | { kind: 'stop'; runId: string }
  | { kind: 'drop'; serverId: string }
  /** Somebody watches the traffic of a server, for so many milliseconds from now. */
  | { kind: 'watch'; serverId: string; ms: number }
  | { kind: 'token'; question: number; token?: string | undefined; problem?: SentError }
  /** Everything is to be ended, and then the thread. */
  | { kind: 'close' }

export type FromThread =
  | { kind: 'ended'; runId: string; problem?: SentError }
  | { kind: 'traffic'; recorded: RelayedTraffic }
  | { kind: 'askToken'; question: number; runId: string; serverId: string }

/** An error as data, since one that holds a function could not be sent at all. */
export type SentError = { message: string; stack?: string }

export function toSentError(error: unknown): SentError {
  if (!(error instanceof Error)) return { message: String(error) }
  return { message: error.message, ...(error.stack !== undefined && { stack: error.stack }) }
}

export function fromSentError({ message, stack }: SentError): Error {
  const error = new Error(message)
  if (stack !== undefined) error.stack = stack
  return error
}
