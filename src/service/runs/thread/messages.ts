import type { ConnectionsOptions } from '../../connections/runner.ts'
import type { AccessToken, ServerTarget, ServerTransport } from '../../connections/types.ts'
import type { ExecutionSettings, RunExecution } from '../executor.ts'
import type { RelayedTraffic } from './traffic-relay.ts'

/**
 * Settings that a thread starts with. Keys of a launch are not included: they are sent with the message that starts it.
 */
export type ThreadSettings = ExecutionSettings & {
  /** The workspace's database, which exists and is already migrated. */
  database: string
  /** Options of the connections, except those that cannot be sent to a thread. */
  connections: Omit<ConnectionsOptions, 'early' | 'traffic'>
  /** Whether the thread gives the screen precedence, see `comeAfterTheScreen`. */
  runsGiveWay: boolean
}

export type ThreadData = ThreadSettings & {
  /** Folder in which the program stores compiled code; undefined if it stores none. */
  compileCache: string | undefined
}

type HttpTransport = Extract<ServerTransport, { type: 'http' }>
type TokenFunction = 'accessToken' | 'renewedToken'

/**
 * A server to connect to. The functions that get its tokens are replaced by flags, because the thread requests each
 * token.
 */
export type SentTarget = Omit<ServerTarget, 'transport'> & {
  transport:
    | Exclude<ServerTransport, HttpTransport>
    | (Omit<HttpTransport, TokenFunction> & { asksToken: boolean; renewsToken: boolean })
}

export type SentExecution = Omit<RunExecution, 'targets'> & { targets: SentTarget[] }

export type ToThread =
  | { kind: 'execute'; execution: SentExecution }
  | { kind: 'stop'; runId: string }
  | { kind: 'drop'; serverId: string }
  /** Someone will be watching the traffic of a server for this number of milliseconds. */
  | { kind: 'watch'; serverId: string; ms: number }
  | { kind: 'token'; question: number; token?: AccessToken | undefined; problem?: SentError }
  /** Asks the thread to end all its work and then itself. */
  | { kind: 'close' }

export type FromThread =
  | { kind: 'ended'; runId: string; problem?: SentError }
  | { kind: 'traffic'; recorded: RelayedTraffic }
  /** Asks for the token of a server, or for another one than `refused`. */
  | { kind: 'askToken'; question: number; runId: string; serverId: string; refused?: string }

/** An error as plain data. An error with a function among its fields could not be sent. */
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
