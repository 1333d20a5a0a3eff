import { reachOf, type Reach, type ReachMore } from '../../domain/servers/reach.ts'
import { startEarly, type EarlyStart } from '../../service/connections/early-start.ts'
import type { ServerEnding } from '../../service/connections/server-process.ts'
import { UsageError } from '../arguments/usage-error.ts'

/** The connection of an unsaved server. */
export type ReachOptions = ReachParts & { command?: string; url?: string }

/** Options for a command or an address; `timeout` in milliseconds. */
export type ReachParts = {
  env?: readonly string[]
  header?: readonly string[]
  tokenEnv?: string
  timeout?: number
  cwd?: string
}

/** Temporary name of such a server. */
export const UNSAVED = 'unsaved'

/** An unsaved server, whose program may already be running. */
export type UnsavedServer = { reach: Reach; early: EarlyStart | undefined }

/**
 * Starts the server that options describe before anything else is loaded; the command ends when it has its answer.
 * @throws UsageError for an invalid connection
 */
export function beginUnsaved(own: ReachOptions): UnsavedServer {
  const reach = requireReach(own, process.env)
  enterDirectory(own)
  return { reach, early: startReach(reach, UNSAVED, 'guardian') }
}

/**
 * Changes to the given directory: the service has no field for it, and server programs start in the directory of this
 * process.
 * @throws UsageError
 */
export function enterDirectory({ cwd }: ReachParts): void {
  if (cwd === undefined) return
  try {
    process.chdir(cwd)
  } catch {
    throw new UsageError(`--cwd: ${cwd} is no directory that can be entered.`)
  }
}

/** Starts the program of a connection; an address has none. */
export function startReach(
  { command, args = [], env = {} }: Reach,
  name: string,
  ending: ServerEnding,
): EarlyStart | undefined {
  return command === undefined ? undefined : startEarly({ command, args, env }, name, ending)
}

function requireReach({ command, url, ...parts }: ReachOptions, env: NodeJS.ProcessEnv): Reach {
  if (command !== undefined && url !== undefined) throw new UsageError('--command and --url cannot be combined.')
  const option = url === undefined ? '--command' : '--url'
  const reach = reachOf(url ?? command ?? '', moreOf(parts, env))
  if (typeof reach === 'string') throw new UsageError(`${option}: ${reach}`)
  const kind = reach.transportType === 'http' ? '--url' : '--command'
  if (kind !== option) throw new UsageError(`${option}: this goes with ${kind}.`)
  return reach
}

/** Converts the options for a command or an address. @throws UsageError for an invalid token */
export function moreOf({ env = [], header = [], tokenEnv, timeout }: ReachParts, own: NodeJS.ProcessEnv): ReachMore {
  const token = tokenEnv === undefined ? '' : (own[tokenEnv]?.trim() ?? '')
  if (tokenEnv !== undefined && token === '') throw new UsageError(`The variable ${tokenEnv} of --token-env is empty.`)
  return { token, env, headers: header, ...(timeout !== undefined && { timeout: String(timeout / 1000) }) }
}
